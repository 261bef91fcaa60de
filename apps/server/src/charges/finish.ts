import type { ChargeStatus, Confirmation, PaymentFailure } from '@mintmark/contract'
import { command, rollback, singleWithEvent } from '../db/command.ts'
import { holding } from '../jobs/work.ts'
import { unbounded } from '../platform/bounds.ts'
import type { SealedField } from '../vault/service.ts'
import { confirm } from './confirm.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { nextEvent, paymentEvent, valuesOf } from './events.ts'
import { type MintOutcome, mint } from './mint.ts'
import { postpone } from './postpone.ts'
import { isStanding } from './rules.ts'
import { standingEnds } from './standing-ends.ts'
import type { ChargeWork } from './store.ts'
import * as store from './store.ts'
import { chargeWork } from './store.ts'

/** How a charge stands once its holder has recorded the network's word; null where that is to be read. */
export type Driven = {
  chargeStatus: ChargeStatus
  failure: PaymentFailure | null
  /** The credential, where one was minted. */
  sealed: SealedField | null
} | null

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
    if (work.reportedOutcome === null) await runOut(deps, work)
    else await driveConfirmation(deps, work)
  } catch (error) {
    deps.log.failure('charge stays open', error, { merchant_id: work.merchantId, charge_id: work.id })
    await postpone(deps, work)
  }
  return null
}

/** The time to report is over. */
async function runOut(deps: ChargeDeps, work: ChargeWork): Promise<void> {
  if (isStanding(work)) noteIfLost(deps, work, await standingEnds.runOut(deps, work))
  else await lapse(deps, { ...work, chargeId: work.id })
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

/**
 * Returns the network's confirmation, which is recorded then; 'unknown'; or 'lost' where another holder records it, so that
 * none is acknowledged before it is there to be read.
 */
export async function driveConfirmation(
  deps: ChargeDeps,
  work: ChargeWork,
): Promise<Confirmation | 'unknown' | 'lost'> {
  const confirmation = await confirm(deps, work)
  if (confirmation === 'unknown') {
    await postpone(deps, work)
    return confirmation
  }
  return (await unbounded(() => finishReported(deps, work, confirmation))) ? confirmation : 'lost'
}

/** One statement: charge, mandate and event, in this order of locks: mandate, charge. */
async function finishMinted(
  deps: ChargeDeps,
  work: ChargeWork,
  minted: MintOutcome & { outcome: 'minted' },
): Promise<Driven> {
  const captured = isStanding(work)
    ? await standingEnds.minted(deps, work, minted)
    : await finishCheckoutMinted(deps, work, minted)
  noteIfLost(deps, work, captured)
  return captured === undefined ? null : { chargeStatus: 'awaiting_result', failure: null, sealed: minted.sealed }
}

function finishCheckoutMinted(deps: ChargeDeps, work: ChargeWork, minted: MintOutcome & { outcome: 'minted' }) {
  const declaration = { name: 'charges.finish_minted', emits: ['payment.credentials_ready'] } as const
  const { instructionRef } = minted
  const { sealed, keyId } = minted.sealed
  const lapsesAt = work.validUntil
  return singleWithEvent(deps, declaration, nextEvent('payment.credentials_ready', work), (context) =>
    store.updateMinted(context.on, { ...valuesOf(work, context), instructionRef, sealed, keyId, lapsesAt }),
  )
}

async function finishRefused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Promise<Driven> {
  const captured = isStanding(work)
    ? await standingEnds.refused(deps, work, failure)
    : await finishCheckoutRefused(deps, work, failure)
  noteIfLost(deps, work, captured)
  return captured === undefined ? null : { chargeStatus: 'failed', failure, sealed: null }
}

function finishCheckoutRefused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure) {
  const declaration = { name: 'charges.finish_refused', emits: ['payment.failed'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.failed', work, failure), (context) => {
    deps.mandates.wakeCancellation(context.on)
    return store.updateRefused(context.on, { ...valuesOf(work, context), failure })
  })
}

async function finishReported(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation): Promise<boolean> {
  const { paid, declined } = isStanding(work) ? standingEnds : CHECKOUT_ENDS
  const finish = work.reportedOutcome === 'APPROVED' ? paid : declined
  const captured = await finish(deps, work, confirmation)
  noteIfLost(deps, work, captured)
  return captured !== undefined
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

const CHECKOUT_ENDS = { paid: finishPaid, declined: finishDeclined }

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
