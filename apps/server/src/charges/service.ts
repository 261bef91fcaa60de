import type { ChargeStatus, PaymentFailure } from '@mintmark/contract'
import { type Captured, type Change, type Rollback, rollback } from '../db/command.ts'
import { bound } from '../platform/bound.ts'
import { begunWork, mintingOf } from './begin.ts'
import { charge } from './charge.ts'
import { confirm, releaseCredential } from './confirm.ts'
import { unsealCredential } from './credential.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { paymentEvent } from './events.ts'
import { drive } from './finish.ts'
import { hear, observing, pulling } from './hearing.ts'
import { puttingOff, reconciling } from './jobs.ts'
import { endCredential, lapse } from './lapse.ts'
import { checkSigned, mint } from './mint.ts'
import { createPlaces } from './places.ts'
import { reconcile } from './reconcile.ts'
import { report } from './report.ts'
import { reportStanding } from './report-standing.ts'
import { type SignedCharge, sealedCharge } from './seal.ts'
import { sealedCredentials } from './sealed-place.ts'
import * as store from './store.ts'

export type { Charging, LimitDetails } from './agent-limits.ts'
export type { ChargeAnswer } from './charge.ts'
export type { ChargeDeps } from './deps.ts'
export type { Driven } from './finish.ts'
export { mandatesOfPurchases } from './mandate-store.ts'
export type { ChargeRequest } from './prepare.ts'
export type { Difference, Reconciliation } from './reconcile.ts'
export type { Report, ReportRefusal, ReportResult } from './report.ts'
export type { StandingReport, StandingReported } from './report-standing.ts'
export { isLapsed } from './rules.ts'
export { canonicalAmount, fromWirePayee, fromWireProducts, type Payee, type PurchasedProduct } from './wire-purchase.ts'

/**
 * Before a session that was approved answers with its charge, or reports of it: throws `RowTampered` where an editor
 * has made it lead to another session's.
 */
export function checkOpenedBy(
  { seals }: Pick<ChargeDeps, 'seals'>,
  session: ChargeRef & SignedCharge & { id: string; mandateId: string | null; chargeSeal: Buffer | null },
): void {
  const { chargeId, mandateId, id: openedBy, chargeSeal, ...charge } = session
  // What is not approved has no credential, and nothing to report.
  if (mandateId === null) return
  seals.check(sealedCharge({ ...charge, id: chargeId, mandateId, openedBy }), chargeSeal)
}

/** Where a charge may be ended from before it has a credential. */
type Voidable = Extract<ChargeStatus, 'initiated' | 'minting'>

/**
 * Ends a charge that has no credential yet, in the caller's transaction, and returns the event of it, for the caller to
 * capture or not. What the network may have minted is voided there: its mandate is cancelled.
 */
export async function voidCharge(
  deps: ChargeDeps,
  { tx, at }: Change,
  charge: ChargeRef & { customerId: string; failure: PaymentFailure; from: readonly Voidable[] },
): Promise<Captured<'payment.failed'> | Rollback> {
  const { from, failure } = charge
  // Approved or not is looked at first: the work of a purchase is locked before its charge, here as everywhere.
  const approved = from.includes('minting') ? await store.findMandate(tx, { ...charge }) : undefined
  const mandateId = approved?.mandateId ?? null
  if (mandateId !== null) deps.mandates.wakeCancellation(tx)
  const ended = await store.updateVoided(tx, { ...charge, mandateId, from: [...from], at })
  return ended === undefined ? rollback : paymentEvent('payment.failed', ended, failure)
}

/**
 * A charge's whole life: what is opened elsewhere is minted, reported, finished and reconciled here. It knows no
 * session.
 */
export const createChargeService = (given: Omit<ChargeDeps, 'places'>) => {
  const deps: ChargeDeps = { ...given, places: createPlaces() }
  return bound(deps, {
    mintingOf,
    begunWork,
    drive,
    report,
    voidCharge,
    lapse,
    unsealCredential,
    checkOpenedBy,
    endCredential,
    sealedCredentials,
    reconciling,
    puttingOff,
    mint,
    confirm,
    releaseCredential,
    checkSigned,
    charge,
    reportStanding,
    hear,
    observing,
    pulling,
    reconcile,
  })
}
export type ChargeService = ReturnType<typeof createChargeService>
