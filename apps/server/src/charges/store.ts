import type { ChargeStatus, PaymentFailure, ReportedOutcome } from '@mintmark/contract'
import { count, type Queryable, row, rows, statement } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'
import { originsOf } from '../platform/states.ts'
import { CHARGE_TRANSITIONS } from './states.ts'

/** A product line as stored with its charge; `status` and `paid` come with the merchant's report. */
export interface StoredProduct {
  ref: string
  externalId: string | null
  name: string
  unitPrice: string
  quantity: number
  status?: string
  paid?: string
}

/** An open network call: everything needed to make it again, and the fence that its result must carry. */
export interface ChargeWork {
  merchant_id: string
  id: string
  session_id: string
  mandate_id: string
  status: 'minting' | 'awaiting_result'
  amount_minor: bigint
  currency: string
  payee_name: string
  payee_url: string
  payee_country: string
  attempt_count: number
  lease_fence: bigint
  token_ref: string
  approved_minor: bigint
  valid_until: Date
  approval_hash: string
  reported_outcome: ReportedOutcome | null
  paid_minor: bigint | null
  authorization_code: string | null
  response_code: string | null
}

const WORK = `charges.merchant_id, charges.id, charges.session_id, charges.mandate_id, charges.status,
  charges.amount_minor, charges.currency, charges.payee_name, charges.payee_url, charges.payee_country,
  charges.attempt_count, charges.lease_fence, cards.network_token_ref as token_ref, mandates.approved_minor,
  mandates.valid_until, mandates.approval_hash, charges.reported_outcome, charges.paid_minor,
  charges.authorization_code, charges.response_code`

const open = statement<ChargeWork>(
  'charges.open',
  // Written before the network is asked and leased to the asker: whatever dies now, a worker finds it when the lease ends.
  `update charges set status = 'minting', mandate_id = $3, card_id = $4, attempt_count = 1, next_attempt_at = $5,
     lease_until = $6, lease_fence = charges.lease_fence + 1, updated_at = $5
   from mandates, cards
   where charges.merchant_id = $1 and charges.session_id = $2 and charges.status = 'initiated'
     and mandates.merchant_id = $1 and mandates.id = $3 and cards.merchant_id = $1 and cards.id = $4
   returning ${WORK}`,
)

/** Undefined when the charge is not waiting to be minted any more. */
export async function openCharge(
  tx: Tx,
  of: { merchantId: string; sessionId: string; mandateId: string; cardId: string },
  at: Date,
  leaseUntil: Date,
) {
  return row(tx, open, [of.merchantId, of.sessionId, of.mandateId, of.cardId, at, leaseUntil])
}

const claimOpen = statement<ChargeWork>(
  'charges.claim_open',
  // Claimed rows are skipped by other workers, and by this one until the lease ends; the fence refuses a late writer.
  // Materialized: a subquery could be run again by the plan, and claim more than the limit.
  `with due as materialized (
     select merchant_id, id from charges
     where next_attempt_at <= $1 and (lease_until is null or lease_until <= $1)
     order by next_attempt_at limit $3 for update skip locked)
   update charges set lease_until = $2, lease_fence = charges.lease_fence + 1, attempt_count = charges.attempt_count + 1
   from due
     join charges held on held.merchant_id = due.merchant_id and held.id = due.id
     join mandates on mandates.merchant_id = held.merchant_id and mandates.id = held.mandate_id
     join cards on cards.merchant_id = held.merchant_id and cards.id = held.card_id
   where charges.merchant_id = due.merchant_id and charges.id = due.id
   returning ${WORK}`,
)

/** Charges whose network call is open and that nobody holds. Operator's statement. */
export async function claimOpenCharges(on: Queryable, now: Date, leaseUntil: Date, limit: number) {
  return rows(on, claimOpen, [now, leaseUntil, limit])
}

const postpone = statement(
  'charges.postpone',
  `update charges set next_attempt_at = $4, lease_until = null
   where merchant_id = $1 and id = $2 and lease_fence = $3 and next_attempt_at is not null`,
)

/** The network did not say: ask again later. Unknown is never failed. */
export async function postponeCharge(on: Queryable, work: ChargeWork, retryAt: Date): Promise<number> {
  return count(on, postpone, [work.merchant_id, work.id, work.lease_fence, retryAt])
}

const markMinted = statement<{ id: string }>(
  'charges.mark_minted',
  `update charges set status = 'awaiting_result', credential_sealed = $4, credential_key_id = $5,
     next_attempt_at = null, lease_until = null, attempt_count = 0, updated_at = $6
   where merchant_id = $1 and id = $2 and lease_fence = $3 and status = 'minting' returning id`,
)

/** False when it was ended meanwhile, or the lease went to somebody else. */
export async function markChargeMinted(tx: Tx, work: ChargeWork, sealed: { sealed: Buffer; keyId: string }, at: Date) {
  const values = [work.merchant_id, work.id, work.lease_fence, sealed.sealed, sealed.keyId, at]
  return (await row(tx, markMinted, values)) !== undefined
}

const failHeld = statement<{ id: string }>(
  'charges.fail_held',
  `update charges set status = 'failed', failure_code = $4, next_attempt_at = null, lease_until = null, updated_at = $5
   where merchant_id = $1 and id = $2 and lease_fence = $3 and status = 'minting' returning id`,
)

/** The network refused. False when somebody else ended it. */
export async function failHeldCharge(tx: Tx, work: ChargeWork, failure: PaymentFailure, at: Date): Promise<boolean> {
  const values = [work.merchant_id, work.id, work.lease_fence, failure, at]
  return (await row(tx, failHeld, values)) !== undefined
}

const fail = statement<{ id: string; mandate_id: string | null; status: ChargeStatus }>(
  'charges.fail',
  `update charges set status = 'failed', failure_code = $3, next_attempt_at = null, lease_until = null,
     credential_sealed = null, credential_key_id = null, lease_fence = lease_fence + 1, updated_at = $4
   where merchant_id = $1 and session_id = $2 and status = any($5) and reported_outcome is null
   returning id, mandate_id, status`,
)

/** Ends the charge of a session that ends without a report, and erases its credential. Raising the fence stops a driver in flight. */
export async function failSessionCharge(
  tx: Tx,
  merchantId: string,
  sessionId: string,
  failure: PaymentFailure,
  at: Date,
) {
  const allowed = originsOf<ChargeStatus>(CHARGE_TRANSITIONS, 'failed')
  return row(tx, fail, [merchantId, sessionId, failure, at, allowed])
}

const claimReport = statement<ChargeWork>(
  'charges.claim_report',
  // First report wins and keeps the row until the network has confirmed; the same outcome again may take over once
  // nobody holds it; the other outcome never matches. The credential is erased with the claim: it has been used.
  `update charges set reported_outcome = $3, reported_type = coalesce(reported_type, $4),
     authorization_code = coalesce(authorization_code, $5), response_code = coalesce(response_code, $6),
     paid_minor = coalesce(paid_minor, $7), products = case when reported_outcome is null then $8::jsonb else products end,
     reported_at = coalesce(reported_at, $9), credential_sealed = null, credential_key_id = null,
     next_attempt_at = $9, lease_until = $10, lease_fence = charges.lease_fence + 1,
     attempt_count = charges.attempt_count + 1, updated_at = $9
   from mandates, cards
   where charges.merchant_id = $1 and charges.session_id = $2 and charges.status = 'awaiting_result'
     and (charges.reported_outcome is null or charges.reported_outcome = $3)
     and (charges.lease_until is null or charges.lease_until <= $9)
     and (charges.reported_outcome is not null or mandates.valid_until > $9)
     and mandates.merchant_id = $1 and mandates.id = charges.mandate_id
     and cards.merchant_id = $1 and cards.id = charges.card_id
   returning ${WORK}`,
)

export interface NewReport {
  merchantId: string
  sessionId: string
  outcome: ReportedOutcome
  type: string
  authorizationCode: string | null
  responseCode: string | null
  paidMinor: bigint | null
  products: StoredProduct[]
}

/** Undefined when another report holds or has decided the charge, or it awaits none. */
export async function claimChargeReport(on: Queryable, report: NewReport, at: Date, leaseUntil: Date) {
  return row(on, claimReport, [
    report.merchantId,
    report.sessionId,
    report.outcome,
    report.type,
    report.authorizationCode,
    report.responseCode,
    report.paidMinor,
    JSON.stringify(report.products),
    at,
    leaseUntil,
  ])
}

const markReported = statement<{ id: string }>(
  'charges.mark_reported',
  `update charges set status = $4, failure_code = $5, network_confirmation = $6, next_attempt_at = null,
     lease_until = null, updated_at = $7
   where merchant_id = $1 and id = $2 and lease_fence = $3 and status = 'awaiting_result' returning id`,
)

/** The network knows the outcome. False when the lease went to somebody else. */
export async function markChargeReported(
  tx: Tx,
  work: ChargeWork,
  outcome: { approved: boolean; confirmation: 'SUCCESS' | 'FAILURE' },
  at: Date,
): Promise<boolean> {
  const values = [
    work.merchant_id,
    work.id,
    work.lease_fence,
    outcome.approved ? 'completed' : 'failed',
    outcome.approved ? null : 'PAYMENT_DECLINED',
    outcome.confirmation,
    at,
  ]
  return (await row(tx, markReported, values)) !== undefined
}
