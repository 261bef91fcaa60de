import type { Confirmation, ReportedOutcome, StoredProduct } from '@mintmark/contract'
import { single } from '../db/command.ts'
import { leaseBound } from '../jobs/due.ts'
import { holding } from '../jobs/handle.ts'
import { leaseEnd } from '../jobs/work.ts'
import { waitAway } from '../platform/bounds.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import type { HeldCharge } from './ends.ts'
import { driveConfirmation, driveLapse } from './finish.ts'
import { lapse } from './lapse.ts'
import { type Early, postpone } from './postpone.ts'
import { hasRunOut, isLapsed, isStanding, overdueBound } from './rules.ts'
import type { KnownCharge, ReportedCharge } from './store.ts'
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
 * What became of a payment. Of concurrent reports the first claims the charge; the network is told
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

/** Whoever comes first asks, if nobody is at it. True when the network did not answer. */
async function lapseDue(deps: ChargeDeps, { merchantId, chargeId: id }: ChargeRef): Promise<boolean> {
  const silent = 'A lease is not a change that anyone sees.'
  const work = await single(deps, { name: 'charges.claim_lapse', silent }, ({ on, at }) =>
    store.chargeWork.claimOne(on, { merchantId, id }, { at, leaseUntil: leaseEnd(deps, at) }),
  )
  return work !== undefined && driveLapse(deps, work)
}

function claim(deps: ChargeDeps, charge: ChargeRef, given: Report) {
  const silent = 'A report is an event when the network has confirmed it.'
  return single(deps, { name: 'charges.claim_report', silent }, ({ on, at }) =>
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
