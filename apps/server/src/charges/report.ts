import type { Confirmation, MandateStatus, ReportedOutcome, StoredProduct } from '@mintmark/contract'
import { single } from '../db/command.ts'
import { isDatabaseUnavailable } from '../db/errors.ts'
import { leaseBound } from '../jobs/due.ts'
import { holding } from '../jobs/handle.ts'
import { leaseEnd } from '../jobs/work.ts'
import type { MandateScope } from '../mandates/service.ts'
import { waitAway } from '../platform/bounds.ts'
import { fieldErrors, PublicError, unavailable } from '../platform/errors.ts'
import { amountFromMinor, fractionProblem } from '../platform/money.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import type { HeldCharge } from './ends.ts'
import {
  chargeConfirmationFailed,
  chargeNoLineItem,
  chargeNotFound,
  chargeNotReportable,
  chargeReportFailed,
  noInstruction,
} from './errors.ts'
import { driveConfirmation, driveLapse } from './finish.ts'
import { lapse } from './lapse.ts'
import { type Early, postpone } from './postpone.ts'
import { hasRunOut, isLapsed, isStanding, overdueBound } from './rules.ts'
import type { KnownCharge, ReportedCharge, StandingCharge } from './store.ts'
import * as store from './store.ts'

export interface Report {
  outcome: ReportedOutcome
  type: string
  authorizationCode: string | null
  responseCode: string | null
  paidMinor: bigint | null
  /** The charge's products with what was reported of each. */
  products: StoredProduct[]
}

/** Why a report is not accepted, in the order in which the reasons are looked at. */
export type ReportRefusal = 'other_outcome' | 'lapsed' | 'not_awaiting'
export type ReportResult =
  | { state: 'confirmed'; confirmation: Confirmation }
  /**
   * The network did not answer. The report is kept, and an equal one or the reconciler finishes it; or it is not, where the network has not said
   * whether a lapsed credential was used.
   */
  | { state: 'unconfirmed'; isKept: boolean }
  | { state: 'refused'; reason: ReportRefusal }

const WAIT_MILLIS = 50

/**
 * What became of a payment. Where several reports come at once, the first claims the charge; the network is told
 * once; an equal report waits for the answer and gets the same one; the other outcome is refused. When the network does
 * not confirm, the claim stays and an equal report, or the reconciler, finishes it.
 */
export async function report(
  deps: ChargeDeps,
  charge: ChargeRef,
  known: KnownCharge,
  given: Report,
): Promise<ReportResult> {
  const deadline = performance.now() + deps.callerWaitMillis
  for (let current: KnownCharge = known; ; current = await refresh(deps, charge)) {
    const decided = decidedReport(current, given.outcome, deps.clock.now())
    if (decided !== null) return decided
    const isSilent = awaitsLapse(current, deps.clock.now()) && (await lapseDue(deps, charge))
    if (isSilent) return { state: 'unconfirmed', isKept: false }
    const work = await claim(deps, charge, given)
    const result = work && (await confirmTaken(deps, work))
    if (result !== undefined) return result
    if (performance.now() > deadline) return { state: 'unconfirmed', isKept: current.reportedOutcome !== null }
    await waitAway(WAIT_MILLIS)
  }
}

/** Tells the network of a report that was taken, and records what it says. Undefined: another holder has it, or records it. */
export async function confirmTaken(deps: ChargeDeps, work: HeldCharge & Early): Promise<ReportResult | undefined> {
  const driving = holding(deps, store.chargeWork, work, () => driveConfirmation(deps, work))
  const confirmation = await driving.catch(async (error: unknown) => {
    // An equal report may take over now, also from this process. If this fails too, when the lease ends.
    await postpone(deps, work).catch(() => undefined)
    throw error
  })
  if (confirmation === 'unknown') return { state: 'unconfirmed', isKept: true }
  return confirmation === 'lost' ? undefined : { state: 'confirmed', confirmation }
}

/** The charge as it is now; a lapse that is due is carried out first. */
async function refresh(deps: ChargeDeps, charge: ChargeRef): Promise<ReportedCharge> {
  const found = await store.findReported(deps.pool, { ...charge })
  if (found === undefined) throw new Error(`There is no charge ${charge.chargeId}.`)
  if (isStanding(found) || !isLapsed(found, deps.clock.now()) || found.mandateId === null) return found
  await lapse(deps, { ...charge, mandateId: found.mandateId })
  return (await store.findReported(deps.pool, { ...charge })) ?? found
}

/** A lapsed credential of which the network has not said yet whether it was used. */
function awaitsLapse(charge: KnownCharge, now: Date): boolean {
  return isStanding(charge) && isLapsed(charge, now) && charge.credentialKeyId !== null
}

/** The first caller asks, if no other caller or worker is at it. True when the network did not answer. */
async function lapseDue(deps: ChargeDeps, { merchantId, chargeId: id }: ChargeRef): Promise<boolean> {
  const work = await single(deps, { name: 'charges.claim_lapse', silent: 'work' }, ({ on, at }) =>
    store.chargeWork.claimOne(on, { merchantId, id }, { at, leaseUntil: leaseEnd(deps, at) }),
  )
  return work !== undefined && driveLapse(deps, work)
}

function claim(deps: ChargeDeps, charge: ChargeRef, given: Report) {
  return single(deps, { name: 'charges.claim_report', silent: 'middle' }, ({ on, at }) =>
    store.claimReport(on, {
      ...{ ...charge, ...given, at, overdueBound: overdueBound(at) },
      ...{ leaseUntil: leaseEnd(deps, at), leaseBound: leaseBound(at) },
    }),
  )
}

/** The result for a charge that is already decided; null while it is still to be claimed or confirmed. */
function decidedReport(charge: KnownCharge, outcome: ReportedOutcome, now: Date): ReportResult | null {
  if (charge.reportedOutcome !== null && charge.reportedOutcome !== outcome) return refused('other_outcome')
  if (charge.networkConfirmation !== null) return { state: 'confirmed', confirmation: charge.networkConfirmation }
  if (charge.failure === 'MANDATE_EXPIRED') return refused('lapsed')
  if (charge.chargeStatus !== 'awaiting_result' || hasRunOut(charge, now)) return refused('not_awaiting')
  return null
}

function refused(reason: ReportRefusal): ReportResult {
  return { state: 'refused', reason }
}

// What a merchant reports of a charge against a standing mandate.

export type StandingReport = Omit<Report, 'products'>

export interface StandingReported {
  mandateId: string
  chargeId: string
  orderId: string
  outcome: ReportedOutcome
  mandateStatus: MandateStatus
  confirmation: Confirmation
}

/** What became of a charge. An equal report returns the first result; the other outcome is refused. */
export async function reportStanding(
  deps: ChargeDeps,
  scope: MandateScope,
  charge: { mandateId: string; chargeId: string },
  given: StandingReport,
): Promise<StandingReported> {
  try {
    return await settle(deps, scope, charge, given)
  } catch (error) {
    if (error instanceof PublicError || isDatabaseUnavailable(error)) throw error
    throw chargeReportFailed({ cause: error })
  }
}

async function settle(
  deps: ChargeDeps,
  scope: MandateScope,
  { mandateId, chargeId }: { mandateId: string; chargeId: string },
  given: StandingReport,
): Promise<StandingReported> {
  const { merchantId } = scope
  await deps.mandates.look(scope, mandateId)
  const found = await store.findStanding(deps.pool, { merchantId, mandateId, chargeId })
  if (found === undefined) throw chargeNotFound()
  rejectCharge(found)
  rejectAmount(given, found)
  const result = await report(deps, { merchantId, chargeId }, found, { ...given, products: found.products })
  switch (result.state) {
    case 'unconfirmed':
      throw result.isKept ? chargeConfirmationFailed() : unavailable()
    case 'refused':
      throw chargeNotReportable()
    case 'confirmed': {
      const { status: mandateStatus } = await deps.mandates.look(scope, mandateId)
      const { orderId } = found
      return { mandateId, chargeId, orderId, outcome: given.outcome, mandateStatus, confirmation: result.confirmation }
    }
  }
}

function rejectCharge({ instructionRef, lineItemId }: StandingCharge): void {
  if (instructionRef === null) throw noInstruction()
  if (lineItemId === '') throw chargeNoLineItem()
}

/** Whether an amount may have a fraction depends on the currency, and no more is paid than was minted. */
function rejectAmount({ paidMinor }: StandingReport, { currency, amountMinor }: StandingCharge): void {
  if (paidMinor === null) return
  const problem = fractionProblem(paidMinor, currency)
  if (problem !== null) throw fieldErrors({ amount_paid: problem })
  if (paidMinor <= amountMinor) return
  throw fieldErrors({ amount_paid: `must not be above the amount of the charge, ${amountFromMinor(amountMinor)}` })
}
