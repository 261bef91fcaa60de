import type { Confirmation, EventType, PaymentFailure } from '@mintmark/contract'
import { type Captured, type CommandContext, command, type Rollback, rollback } from '../db/command.ts'
import { confirm } from './confirm.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { paymentEvent } from './events.ts'
import { type MintOutcome, mint } from './mint.ts'
import { postpone } from './postpone.ts'
import type { ChargeWork } from './store.ts'
import * as store from './store.ts'

/**
 * Takes open work on a charge to its end: the network is asked outside any transaction, and its word is recorded in one.
 * If anything fails in between, the charge stays open and is asked again. Called by the approval itself and, for what a
 * crash or a silent network left open, by the reconciler.
 */
export async function drive(deps: ChargeDeps, work: ChargeWork): Promise<void> {
  try {
    if (work.status === 'minting') await driveMint(deps, work)
    else if (work.reportedOutcome === null) await lapse(deps, { ...work, chargeId: work.id })
    else await driveConfirmation(deps, work)
  } catch (error) {
    deps.log.failure('charge stays open', error, { merchant_id: work.merchantId, charge_id: work.id })
    await postpone(deps, work)
  }
}

async function driveMint(deps: ChargeDeps, work: ChargeWork): Promise<void> {
  const answer = await mint(deps, work)
  switch (answer.outcome) {
    case 'unknown':
      return postpone(deps, work)
    case 'minted':
      return finishMinted(deps, work, answer)
    case 'refused':
      return finishRefused(deps, work, answer.failure)
  }
}

/** Returns the network's word, or 'unknown'; a known one is recorded before it is returned. */
export async function driveConfirmation(deps: ChargeDeps, work: ChargeWork): Promise<Confirmation | 'unknown'> {
  const confirmation = await confirm(deps, work)
  if (confirmation === 'unknown') await postpone(deps, work)
  else await finishReported(deps, work, confirmation)
  return confirmation
}

async function finishMinted(deps: ChargeDeps, work: ChargeWork, minted: MintOutcome & { outcome: 'minted' }) {
  const declaration = { name: 'charges.finish_minted', emits: ['payment.credentials_ready'] } as const
  await finish(deps, work, declaration, async (change) => {
    // Of a standing mandate the instruction is registered, and the mandate active, long before.
    if (work.instructionRef === null) await deps.mandates.activate(change, mandateOf(work), minted.instructionRef)
    const { sealed, keyId } = minted.sealed
    const write = { ...work, sealed, keyId, lapsesAt: work.validUntil, at: change.at }
    const charge = await store.updateMinted(change.tx, write)
    return charge === undefined ? rollback : paymentEvent('payment.credentials_ready', charge)
  })
}

async function finishRefused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Promise<void> {
  const declaration = { name: 'charges.finish_refused', emits: ['payment.failed'] } as const
  await finish(deps, work, declaration, async (change) => {
    await deps.mandates.chargeFailed(change, mandateOf(work))
    const charge = await store.updateRefused(change.tx, { ...work, failure, at: change.at })
    return charge === undefined ? rollback : paymentEvent('payment.failed', charge, failure)
  })
}

async function finishReported(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation): Promise<void> {
  const approved = work.reportedOutcome === 'APPROVED'
  const failure = approved ? null : 'PAYMENT_DECLINED'
  const type = approved ? 'payment.succeeded' : 'payment.failed'
  await finish(deps, work, { name: 'charges.finish_reported', emits: [type] }, async (change) => {
    await deps.mandates[approved ? 'chargePaid' : 'chargeFailed'](change, mandateOf(work))
    const write = { ...work, status: approved ? 'completed' : 'failed', failure, confirmation, at: change.at }
    const charge = await store.updateReported(change.tx, write)
    return charge === undefined ? rollback : paymentEvent(type, charge, failure)
  })
}

/** The credential's time passed without a report: it is erased. False: a report came first. */
export async function lapse(deps: ChargeDeps, charge: ChargeRef & { mandateId: string }): Promise<boolean> {
  const declaration = { name: 'charges.lapse', emits: ['payment.failed'] } as const
  const lapsed = await command(deps, declaration, async ({ tx, at, emit }) => {
    await deps.mandates.chargeLapsed({ tx, at }, { merchantId: charge.merchantId, id: charge.mandateId })
    const ended = await store.updateLapsed(tx, { ...charge, at })
    if (ended === undefined) return rollback
    emit(paymentEvent('payment.failed', ended, 'MANDATE_EXPIRED'))
    return true
  })
  return lapsed !== null
}

/**
 * Mandate, charge and event in one transaction, in this order of locks. `record` rolls back when the charge was ended, or
 * its lease taken over, while the network was asked: a revoke has cancelled the mandate at the network, and a newer lease
 * makes the same idempotent call.
 */
async function finish<Type extends EventType>(
  deps: ChargeDeps,
  { merchantId, id }: ChargeWork,
  declaration: { name: string; emits: readonly Type[] },
  record: (change: CommandContext<Type>) => Promise<Captured<Type> | Rollback>,
): Promise<void> {
  const done = await command(deps, declaration, async (change) => {
    const event = await record(change)
    if (event === rollback) return rollback
    change.emit(event)
    return true
  })
  if (done === null) deps.log.info('charge was finished elsewhere', { merchant_id: merchantId, charge_id: id })
}

function mandateOf({ merchantId, mandateId }: ChargeWork) {
  return { merchantId, id: mandateId }
}
