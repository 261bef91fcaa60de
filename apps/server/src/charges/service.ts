import type { ChargeStatus, PaymentFailure } from '@mintmark/contract'
import { type Captured, type Change, type Rollback, rollback } from '../db/command.ts'
import { leaseEnd } from '../jobs/work.ts'
import type { Instruction } from '../mandates/service.ts'
import { bound } from '../platform/bound.ts'
import { charge } from './charge.ts'
import { confirm, releaseCredential } from './confirm.ts'
import { unsealCredential } from './credential.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { endCredential } from './end-credential.ts'
import * as endsStore from './ends-store.ts'
import { paymentEvent } from './events.ts'
import { drive } from './finish.ts'
import { reconciling } from './jobs.ts'
import { lapse } from './lapse.ts'
import { checkSigned, mint } from './mint.ts'
import { becomeDue, endOfCard } from './of-card.ts'
import { createPlaces } from './places.ts'
import { confirmTaken, report, reportStanding } from './report.ts'
import { BEING_MINTED } from './rules.ts'
import { type SignedCharge, sealedCharge } from './seal.ts'
import { sealedCredentials } from './sealed-place.ts'
import type { BegunWork, ChargeWork, ReportedWork } from './work-fragments.ts'

export type { Charging, LimitDetails } from './agent.ts'
export type { ChargeAnswer } from './answer.ts'
export type { ChargeDeps } from './deps.ts'
export type { Driven } from './finish.ts'
export type { ChargeRequest } from './prepare.ts'
export type { Report, ReportRefusal, ReportResult, StandingReport, StandingReported } from './report.ts'
export { isLapsed } from './rules.ts'
export { canonicalAmount, fromWirePayee, fromWireProducts, type Payee, type PurchasedProduct } from './wire-purchase.ts'

/**
 * The values of `initiated → minting` (`BEGIN_MINTING`), in the statement of the approval: leased to the caller, who drives it
 * after the commit, and sealed with what was signed.
 */
export function mintingOf(
  { leaseSeconds, seals }: ChargeDeps,
  charge: ChargeRef & { mandateId: string; openedBy: string } & SignedCharge,
  at: Date,
) {
  const { chargeId } = charge
  const chargeSeal = seals.seal(sealedCharge({ ...charge, id: chargeId }))
  return { chargeId, chargeSeal, leaseUntil: leaseEnd({ leaseSeconds }, at) }
}

/** The open work of a charge whose minting has begun, made of what was signed and what its row returned. */
export function begunWork(
  _deps: ChargeDeps,
  charge: ChargeRef & SignedCharge & { chargeSeal: Buffer },
  instruction: Instruction,
  begun: BegunWork,
): ChargeWork {
  const { merchantId, chargeId: id, amountMinor, currency, payeeUrl, chargeSeal: seal } = charge
  return {
    ...{ ...instruction, ...begun, merchantId, id, amountMinor, currency, payeeUrl, seal, attempts: 1 },
    ...{ mandateStatus: 'pending', merchantActive: true, standingMandateId: null, reference: null, lifeMinutes: null },
    ...{ deliveryShopId: null, deliverySessionId: null, ...BEING_MINTED },
  }
}

/**
 * Before a session that was approved answers with its charge, or reports of it: throws `RowTampered` where an editor of the
 * database has made it lead to another session's.
 */
export function checkOpenedBy(
  { seals }: Pick<ChargeDeps, 'seals'>,
  session: ChargeRef & SignedCharge & { id: string; mandateId: string | null; chargeSeal: Buffer | null },
): void {
  const { merchantId, chargeId: id, mandateId, id: openedBy, chargeSeal, amountMinor, currency, payeeUrl } = session
  // What is not approved has no credential, and nothing to report.
  if (mandateId === null) return
  seals.check(sealedCharge({ merchantId, id, mandateId, openedBy, amountMinor, currency, payeeUrl }), chargeSeal)
}

/** The same of a charge that a report has taken, before that is committed. What a session has opened is against no standing mandate. */
export function checkTaken({ seals }: Pick<ChargeDeps, 'seals'>, work: ReportedWork): void {
  seals.check(sealedCharge(work), work.standingMandateId === null ? work.seal : null)
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
  const { merchantId, from, failure } = charge
  // The mandate's row is locked before the charge's, here as everywhere.
  const approved = from.includes('minting') ? await endsStore.findMandate(tx, { ...charge }) : undefined
  if (typeof approved?.mandateId === 'string') {
    await deps.mandates.chargeFailed({ tx, at }, { merchantId, id: approved.mandateId })
  }
  const ended = await endsStore.updateVoided(tx, { ...charge, from: [...from], at })
  return ended === undefined ? rollback : paymentEvent('payment.failed', ended, failure)
}

/** A charge's whole life: what is opened elsewhere is minted, reported, finished and reconciled here. It knows no session. */
export const createChargeService = (given: Omit<ChargeDeps, 'places'>) => {
  const deps: ChargeDeps = { ...given, places: createPlaces() }
  return bound(deps, {
    mintingOf,
    begunWork,
    drive,
    report,
    confirmTaken,
    voidCharge,
    lapse,
    unsealCredential,
    checkOpenedBy,
    checkTaken,
    endCredential,
    endOfCard,
    becomeDue,
    sealedCredentials,
    reconciling,
    mint,
    confirm,
    releaseCredential,
    checkSigned,
    charge,
    reportStanding,
  })
}
export type ChargeService = ReturnType<typeof createChargeService>
