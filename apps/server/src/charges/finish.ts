import type { ChargeStatus, Confirmation, PaymentFailure } from '@mintmark/contract'
import { holding } from '../jobs/handle.ts'
import type { Claim } from '../jobs/work.ts'
import { unbounded } from '../platform/bounds.ts'
import type { SealedField } from '../vault/service.ts'
import { confirm } from './confirm.ts'
import type { ChargeDeps } from './deps.ts'
import { type HeldCharge, record, recordPaid } from './ends.ts'
import * as lapse from './lapse.ts'
import { type MintOutcome, mint } from './mint.ts'
import { type Early, postpone } from './postpone.ts'
import { isOver, isStanding, lapseOf } from './rules.ts'
import { type ChargeWork, chargeWork } from './store.ts'
import type { ReportedWork } from './work-fragments.ts'

/** How a charge stands once its holder has recorded the network's word; null where that is to be read. */
export type Driven = {
  chargeStatus: ChargeStatus
  failure: PaymentFailure | null
  /** The credential, where one was minted, and when it lapses. */
  sealed: SealedField | null
  lapsesAt: Date | null
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

/** The time to report is over. True: the network said nothing, and the work was given back. */
async function runOut(deps: ChargeDeps, work: ChargeWork): Promise<boolean> {
  const ended = await lapse.runOut(deps, work)
  noteIfLost(deps, work, ended)
  if (ended !== undefined && 'postponed' in ended) return true
  await tellMandate(deps, work, ended)
  return false
}

/** As `drive`, for a caller who has to know whether the network was silent about a lapsed credential. */
export async function driveLapse(deps: ChargeDeps, work: ChargeWork): Promise<boolean> {
  return holding(deps, chargeWork, work, async () => {
    if (work.status === 'awaiting_result' && work.reportedOutcome === null) return runOut(deps, work)
    await driveHeld(deps, work)
    return false
  }).catch(async (error: unknown) => {
    // Another caller or worker may ask now. If this fails too, when the lease ends.
    await postpone(deps, work).catch(() => undefined)
    throw error
  })
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

/** `lost`: another holder records what the network says, so that none is acknowledged before it is there to be read. */
export type Confirmed = Confirmation | 'unknown' | 'lost'

/** Tells the network of a report, and records what it says. */
export async function driveConfirmation(deps: ChargeDeps, work: HeldCharge & Early): Promise<Confirmed> {
  const confirmation = await confirm(deps, work)
  if (confirmation === 'unknown') {
    await postpone(deps, work)
    return confirmation
  }
  return (await unbounded(() => finishReported(deps, work, confirmation))) ? confirmation : 'lost'
}

async function finishMinted(
  deps: ChargeDeps,
  work: ChargeWork,
  answer: Extract<MintOutcome, { outcome: 'minted' }>,
): Promise<Driven> {
  const lapsesAt = isStanding(work) ? lapseOf(work, answer.validUntil, deps.clock.now()) : work.validUntil
  const { instructionRef, sealed: credential } = answer
  const recorded = await record(deps, work, 'minted', () => ({ instructionRef, ...credential, lapsesAt }))
  noteIfLost(deps, work, recorded)
  if (recorded === undefined) return null
  // What is over by then is shown to no caller.
  const sealed = isOver({ lapsesAt }, deps.clock.now()) ? null : credential
  return { chargeStatus: 'awaiting_result', failure: null, sealed, lapsesAt }
}

async function finishRefused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Promise<Driven> {
  const recorded = await record(deps, work, 'refused', () => ({ confirmation: null }), failure)
  noteIfLost(deps, work, recorded)
  await tellMandate(deps, work, recorded)
  return recorded === undefined ? null : { chargeStatus: 'failed', failure, sealed: null, lapsesAt: null }
}

async function finishReported(deps: ChargeDeps, work: HeldCharge, confirmation: Confirmation): Promise<boolean> {
  const recorded =
    work.reportedOutcome === 'APPROVED'
      ? await recordPaid(deps, work, confirmation)
      : await record(deps, work, 'declined', () => ({ confirmation }))
  noteIfLost(deps, work, recorded)
  await tellMandate(deps, work, recorded)
  return recorded !== undefined
}

/** The network is told of a cancelled mandate when the last of its charges has ended. */
async function tellMandate(
  deps: ChargeDeps,
  { merchantId, mandateId: id, mandateStatus }: Pick<ReportedWork, 'merchantId' | 'mandateId' | 'mandateStatus'>,
  recorded: object | undefined,
): Promise<void> {
  if (recorded !== undefined && mandateStatus === 'cancelled') await deps.mandates.chargeEnded({ merchantId, id })
}

/**
 * Nothing was written when the charge was ended, or its lease taken over, while the network was asked: a revoke has
 * cancelled the mandate at the network, and a newer lease makes the same idempotent call.
 */
function noteIfLost({ log }: ChargeDeps, { merchantId, id }: Claim, recorded: object | undefined): void {
  if (recorded === undefined) log.info('charge was finished elsewhere', { merchant_id: merchantId, charge_id: id })
}
