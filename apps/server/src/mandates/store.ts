import type { MandateStatus } from '@mintmark/contract'
import { count, type Queryable, row, rows, statement } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'
import { originsOf } from '../platform/states.ts'
import { MANDATE_TRANSITIONS } from './states.ts'

const insert = statement(
  'mandates.insert',
  `insert into mandates (merchant_id, id, customer_id, session_id, card_id, transient, status, frequency, merchant_scope,
     payee_name, payee_url, payee_country, approved_minor, currency, max_charges, valid_until, approval_hash,
     cancel_attempts, lease_fence, created_at)
   values ($1, $2, $3, $4, $5, true, 'pending', 'one_time', 'listed', $6, $7, $8, $9, $10, 1, $11, $12, 0, 0, $13)`,
)

export interface NewTransientMandate {
  merchantId: string
  id: string
  customerId: string
  sessionId: string
  cardId: string
  payeeName: string
  payeeUrl: string
  payeeCountry: string
  approvedMinor: bigint
  currency: string
  validUntil: Date
  approvalHash: string
  at: Date
}

/** The unique session makes one approval one mandate. */
export async function insertTransientMandate(tx: Tx, mandate: NewTransientMandate): Promise<void> {
  await count(tx, insert, [
    mandate.merchantId,
    mandate.id,
    mandate.customerId,
    mandate.sessionId,
    mandate.cardId,
    mandate.payeeName,
    mandate.payeeUrl,
    mandate.payeeCountry,
    mandate.approvedMinor,
    mandate.currency,
    mandate.validUntil,
    mandate.approvalHash,
    mandate.at,
  ])
}

const activate = statement<{ id: string }>(
  'mandates.activate',
  `update mandates set status = 'active', instruction_ref = $3, activated_at = $4
   where merchant_id = $1 and id = $2 and status = any($5) returning id`,
)

/** False when it was ended meanwhile. */
export async function activateMandate(tx: Tx, merchantId: string, id: string, instructionRef: string, at: Date) {
  const allowed = originsOf<MandateStatus>(MANDATE_TRANSITIONS, 'active')
  return (await row(tx, activate, [merchantId, id, instructionRef, at, allowed])) !== undefined
}

const end = statement<{ id: string }>(
  'mandates.end',
  // The network is told only of an end it does not know: cancel_due_at starts that work in the same transaction.
  `update mandates set status = $3, ended_at = $4, cancel_due_at = case when $5 then $4::timestamptz end
   where merchant_id = $1 and id = $2 and status = any($6) returning id`,
)

/** False when it had ended already. `tellNetwork` leaves the cancellation to the reconciler. */
export async function endMandate(
  tx: Tx,
  mandate: { merchantId: string; id: string },
  to: 'consumed' | 'cancelled' | 'expired',
  tellNetwork: boolean,
  at: Date,
): Promise<boolean> {
  const allowed = originsOf<MandateStatus>(MANDATE_TRANSITIONS, to)
  return (await row(tx, end, [mandate.merchantId, mandate.id, to, at, tellNetwork, allowed])) !== undefined
}

export interface DueCancellation {
  merchant_id: string
  id: string
  cancel_attempts: number
  lease_fence: bigint
}

const claimCancellations = statement<DueCancellation>(
  'mandates.claim_cancellations',
  // Claimed rows are skipped by other workers, and by this one until the lease ends; the fence refuses a late writer.
  // Materialized: a subquery could be run again by the plan, and claim more than the limit.
  `with due as materialized (
     select merchant_id, id from mandates
     where cancel_due_at <= $1 and (lease_until is null or lease_until <= $1)
     order by cancel_due_at limit $3 for update skip locked)
   update mandates set lease_until = $2, lease_fence = lease_fence + 1, cancel_attempts = cancel_attempts + 1
   from due
   where mandates.merchant_id = due.merchant_id and mandates.id = due.id
   returning mandates.merchant_id, mandates.id, mandates.cancel_attempts, mandates.lease_fence`,
)

/** Ended permissions the network has still to hear of. Operator's statement. */
export async function claimDueCancellations(on: Queryable, now: Date, leaseUntil: Date, limit: number) {
  return rows(on, claimCancellations, [now, leaseUntil, limit])
}

const finishCancellation = statement(
  'mandates.finish_cancellation',
  `update mandates set cancel_due_at = $4, lease_until = null
   where merchant_id = $1 and id = $2 and lease_fence = $3`,
)

/** `retryAt` null: the network knows. The fence makes a worker that overslept its lease write nothing. */
export async function finishCancellationAttempt(on: Queryable, claim: DueCancellation, retryAt: Date | null) {
  return count(on, finishCancellation, [claim.merchant_id, claim.id, claim.lease_fence, retryAt])
}
