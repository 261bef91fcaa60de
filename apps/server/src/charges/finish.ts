import type { ChargeStatus, Confirmation, EventType, PaymentFailure } from '@mintmark/contract'
import { command, type EventRow, rollback, singleWithEvent } from '../db/command.ts'
import { holding } from '../jobs/work.ts'
import { unbounded } from '../platform/bounds.ts'
import { confirm } from './confirm.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { paymentEvent } from './events.ts'
import { type MintOutcome, mint } from './mint.ts'
import { postpone } from './postpone.ts'
import type { ChargeWork } from './store.ts'
import * as store from './store.ts'
import { chargeWork } from './store.ts'

/** How a charge stands once its holder has recorded the network's word; null where that is to be read. */
export type Driven = { chargeStatus: ChargeStatus; failure: PaymentFailure | null } | null

/**
 * Takes open work on a charge to its end: the network is asked outside any transaction, and its result is recorded in
 * one, also when the caller has hung up meanwhile or their time is over. If anything fails in between, the charge stays
 * open and is asked again. Called by the approval itself and, for what a crash or a silent network left open, by the
 * reconciler.
 */
export async function drive(deps: ChargeDeps, work: ChargeWork): Promise<Driven> {
  return holding(deps, chargeWork, work, () => driveHeld(deps, work))
}

/** As `drive`, for one who keeps the lease. */
export async function driveHeld(deps: ChargeDeps, work: ChargeWork): Promise<Driven> {
  try {
    if (work.status === 'minting') return await driveMint(deps, work)
    if (work.reportedOutcome === null) await lapse(deps, { ...work, chargeId: work.id })
    else await driveConfirmation(deps, work)
  } catch (error) {
    deps.log.failure('charge stays open', error, { merchant_id: work.merchantId, charge_id: work.id })
    await postpone(deps, work)
  }
  return null
}

async function driveMint(deps: ChargeDeps, work: ChargeWork): Promise<Driven> {
  const answer = await mint(deps, work)
  switch (answer.outcome) {
    case 'unknown':
      await postpone(deps, work)
      return null
    case 'minted':
      return unbounded(() => finishMinted(deps, work, answer))
    case 'refused':
      return unbounded(() => finishRefused(deps, work, answer.failure))
  }
}

/** Returns the network's confirmation, or 'unknown'; a known one is recorded before it is returned. */
export async function driveConfirmation(deps: ChargeDeps, work: ChargeWork): Promise<Confirmation | 'unknown'> {
  const confirmation = await confirm(deps, work)
  if (confirmation === 'unknown') await postpone(deps, work)
  else await unbounded(() => finishReported(deps, work, confirmation))
  return confirmation
}

/** One statement: charge, mandate and event, in this order of locks: mandate, charge. */
async function finishMinted(
  deps: ChargeDeps,
  work: ChargeWork,
  minted: MintOutcome & { outcome: 'minted' },
): Promise<Driven> {
  const declaration = { name: 'charges.finish_minted', emits: ['payment.credentials_ready'] } as const
  const { instructionRef } = minted
  const { sealed, keyId } = minted.sealed
  const captured = await singleWithEvent(deps, declaration, nextEvent('payment.credentials_ready', work), (context) =>
    store.updateMinted(context.on, {
      ...valuesOf(work, context),
      instructionRef,
      sealed,
      keyId,
      lapsesAt: work.validUntil,
    }),
  )
  noteIfLost(deps, work, captured)
  return captured === undefined ? null : { chargeStatus: 'awaiting_result', failure: null }
}

async function finishRefused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Promise<Driven> {
  const declaration = { name: 'charges.finish_refused', emits: ['payment.failed'] } as const
  const captured = await singleWithEvent(deps, declaration, nextEvent('payment.failed', work, failure), (context) => {
    deps.mandates.wakeCancellation(context.on)
    return store.updateRefused(context.on, { ...valuesOf(work, context), failure })
  })
  noteIfLost(deps, work, captured)
  return captured === undefined ? null : { chargeStatus: 'failed', failure }
}

async function finishReported(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation): Promise<void> {
  const finish = work.reportedOutcome === 'APPROVED' ? finishPaid : finishDeclined
  noteIfLost(deps, work, await finish(deps, work, confirmation))
}

function finishPaid(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation) {
  const declaration = { name: 'charges.finish_paid', emits: ['payment.succeeded'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.succeeded', work), (context) =>
    store.updatePaid(context.on, { ...valuesOf(work, context), confirmation }),
  )
}

function finishDeclined(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation) {
  const declaration = { name: 'charges.finish_declined', emits: ['payment.failed'] } as const
  const event = nextEvent('payment.failed', work, 'PAYMENT_DECLINED')
  return singleWithEvent(deps, declaration, event, (context) => {
    deps.mandates.wakeCancellation(context.on)
    return store.updateDeclined(context.on, { ...valuesOf(work, context), confirmation })
  })
}

/** The event of a change that its holder is about to make: only then has the charge this version. */
function nextEvent<Type extends EventType>(type: Type, work: ChargeWork, failure: PaymentFailure | null = null) {
  return paymentEvent(type, { ...work, version: work.version + 1 }, failure)
}

function valuesOf(work: ChargeWork, { at, event }: { at: Date; event: EventRow }) {
  const { merchantId, id, mandateId, leaseFence, version } = work
  return { merchantId, id, mandateId, leaseFence, version, at, ...event }
}

/**
 * Nothing was written when the charge was ended, or its lease taken over, while the network was asked: a revoke has
 * cancelled the mandate at the network, and a newer lease makes the same idempotent call.
 */
function noteIfLost({ log }: ChargeDeps, { merchantId, id }: ChargeWork, captured: object | undefined): void {
  if (captured === undefined) log.info('charge was finished elsewhere', { merchant_id: merchantId, charge_id: id })
}

/** The credential's time passed without a report: it is erased, unless a report came first. */
export async function lapse(deps: ChargeDeps, charge: ChargeRef & { mandateId: string }): Promise<void> {
  const declaration = { name: 'charges.lapse', emits: ['payment.failed'] } as const
  await command(deps, declaration, async ({ tx, at, emit }) => {
    await deps.mandates.chargeLapsed({ tx, at }, { merchantId: charge.merchantId, id: charge.mandateId })
    const ended = await store.updateLapsed(tx, { ...charge, at })
    if (ended === undefined) return rollback
    emit(paymentEvent('payment.failed', ended, 'MANDATE_EXPIRED'))
    return true
  })
}
