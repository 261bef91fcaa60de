import type { ChargeStatus, MandateStatus, PaymentFailure, ReportedOutcome, SessionStatus } from '@mintmark/contract'
import type { StoredProduct } from '../charges/service.ts'
import { type Queryable, row, rows, statement } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'
import { originsOf } from '../platform/states.ts'
import { SESSION_TRANSITIONS } from './states.ts'

export interface NewSession {
  merchantId: string
  sessionId: string
  newCustomerId: string
  userId: string
  email: string
  phone: string | null
  country: string | null
  orderId: string
  chargeId: string
  lineItemId: string
  integrationType: string
  callbackUrl: string | null
  description: string | null
  externalOrderRef: string | null
  effectiveMinutes: number
  cardId: string | null
  vaultRecordId: string | null
  launchHash: Buffer
  at: Date
  expiresAt: Date
  amountMinor: bigint
  currency: string
  payee: { name: string; url: string; country: string; categoryCode: string | null; category: string | null }
  products: StoredProduct[]
}

export type CreateRefusal =
  | 'MERCHANT_LOOKUP_ERROR'
  | 'CONFIG_ERROR'
  | 'CARD_NOT_FOUND'
  | 'CARD_INACTIVE'
  | 'TRIES_EXHAUSTED'

const create = statement<{ refusal: CreateRefusal | null; customer_id: string | null }>(
  'sessions.create',
  // One round trip. Nothing is written unless `admitted` has a row. The allowance is checked and lowered in one
  // predicate, so that the last one is given once however many ask. A customer two requests add at once is added by
  // one of them (unique index); ON CONFLICT gives the other the same row.
  `with account as (
     select status, network_profile, session_allowance from merchants where id = $1
   ), known as (
     select id from customers where merchant_id = $1 and external_user_id = $4
   ), card as (
     select status from cards where merchant_id = $1 and id = $16::text and customer_id = (select id from known)
   ), refusal as (
     select case
       when not exists (select from account where status = 'active') then 'MERCHANT_LOOKUP_ERROR'
       when not exists (select from account where network_profile is not null) then 'CONFIG_ERROR'
       when $16::text is not null and not exists (select from card) then 'CARD_NOT_FOUND'
       when $16::text is not null and not exists (select from card where status = 'active') then 'CARD_INACTIVE'
       when $16::text is null and $17::uuid is not null and not exists (
         select from vault_records where merchant_id = $1 and id = $17::uuid) then 'CARD_NOT_FOUND'
     end as code
   ), allowance as (
     update merchants set session_allowance = session_allowance - 1
     where id = $1 and session_allowance > 0 and (select code from refusal) is null
     returning id
   ), admitted as (
     select 1 as yes where (select code from refusal) is null
       and (exists (select from account where session_allowance is null) or exists (select from allowance))
   ), added as (
     insert into customers (merchant_id, id, external_user_id, email, phone, country, created_at, updated_at)
     select $1, $3, $4, $5, $6, $7, $19, $19 from admitted where not exists (select from known)
     on conflict (merchant_id, external_user_id) do update set email = excluded.email, updated_at = excluded.updated_at
     returning id
   ), changed as (
     update customers set email = $5, phone = coalesce($6, phone), country = coalesce($7, country), updated_at = $19
     from admitted
     where merchant_id = $1 and id = (select id from known)
       and (email, phone, country) is distinct from ($5, coalesce($6, phone), coalesce($7, country))
   ), session as (
     insert into sessions (merchant_id, id, customer_id, order_id, kind, status, integration_type, callback_url,
       description, external_order_ref, effective_minutes, preselected_vault_record_id, card_id, launch_hash, version,
       created_at, expires_at)
     select $1, $2, coalesce((select id from known), (select id from added)), $8, 'payment', 'pending', $11, $12, $13,
       $14, $15, case when $16::text is null then $17::uuid end, $16, $18, 1, $19, $20
     from admitted
     returning customer_id
   ), charge as (
     insert into charges (merchant_id, id, line_item_id, order_id, session_id, card_id, status, amount_minor, currency,
       payee_name, payee_url, payee_country, payee_category_code, payee_category, products, attempt_count, lease_fence,
       created_at, updated_at)
     select $1, $9, $10, $8, $2, $16, 'initiated', $21, $22, $23, $24, $25, $26, $27, $28::jsonb, 0, 0, $19, $19
     from admitted
   )
   select coalesce((select code from refusal), case when not exists (select from admitted) then 'TRIES_EXHAUSTED' end)
     as refusal, (select customer_id from session) as customer_id`,
)

/** Creates customer, session and charge together, or answers why not and leaves no trace. */
export async function createSession(on: Queryable, session: NewSession) {
  return row(on, create, [
    session.merchantId,
    session.sessionId,
    session.newCustomerId,
    session.userId,
    session.email,
    session.phone,
    session.country,
    session.orderId,
    session.chargeId,
    session.lineItemId,
    session.integrationType,
    session.callbackUrl,
    session.description,
    session.externalOrderRef,
    session.effectiveMinutes,
    session.cardId,
    session.vaultRecordId,
    session.launchHash,
    session.at,
    session.expiresAt,
    session.amountMinor,
    session.currency,
    session.payee.name,
    session.payee.url,
    session.payee.country,
    session.payee.categoryCode,
    session.payee.category,
    JSON.stringify(session.products),
  ])
}

/** A payment session with its charge and, once approved, its mandate. */
export interface SessionRow {
  merchant_id: string
  id: string
  customer_id: string
  order_id: string
  status: SessionStatus
  failure_code: PaymentFailure | null
  integration_type: 'full_checkout' | 'embedding'
  callback_url: string | null
  description: string | null
  external_order_ref: string | null
  effective_minutes: number
  preselected_vault_record_id: string | null
  card_id: string | null
  launch_hash: Buffer
  version: number
  created_at: Date
  expires_at: Date
  approved_at: Date | null
  ended_at: Date | null
  charge_id: string
  line_item_id: string
  charge_status: ChargeStatus
  charge_card_id: string | null
  charge_failure_code: PaymentFailure | null
  amount_minor: bigint
  currency: string
  payee_name: string
  payee_url: string
  payee_country: string
  products: StoredProduct[]
  credential_sealed: Buffer | null
  credential_key_id: string | null
  reported_outcome: ReportedOutcome | null
  network_confirmation: 'SUCCESS' | 'FAILURE' | null
  charge_lease_until: Date | null
  mandate_id: string | null
  mandate_status: MandateStatus | null
  mandate_valid_until: Date | null
}

const find = statement<SessionRow>(
  'sessions.find',
  `select s.merchant_id, s.id, s.customer_id, s.order_id, s.status, s.failure_code, s.integration_type, s.callback_url,
     s.description, s.external_order_ref, s.effective_minutes, s.preselected_vault_record_id, s.card_id, s.launch_hash,
     s.version, s.created_at, s.expires_at, s.approved_at, s.ended_at,
     c.id as charge_id, c.line_item_id, c.status as charge_status, c.card_id as charge_card_id,
     c.failure_code as charge_failure_code, c.amount_minor, c.currency, c.payee_name, c.payee_url, c.payee_country,
     c.products, c.credential_sealed, c.credential_key_id, c.reported_outcome, c.network_confirmation,
     c.lease_until as charge_lease_until,
     m.id as mandate_id, m.status as mandate_status, m.valid_until as mandate_valid_until
   from sessions s
   join charges c on c.merchant_id = s.merchant_id and c.session_id = s.id
   left join mandates m on m.merchant_id = s.merchant_id and m.session_id = s.id
   where s.merchant_id = $1 and s.id = $2`,
)

/** Everything a payment result, a report or the cardholder's page needs, in one round trip. */
export async function findSession(on: Queryable, merchantId: string, sessionId: string) {
  return row(on, find, [merchantId, sessionId])
}

const bindCard = statement<{ id: string }>(
  'sessions.bind_card',
  `update sessions set card_id = $3 where merchant_id = $1 and id = $2 and status = 'pending' and expires_at > $4
   returning id`,
)

/** Which card the session will be approved with; null lets the cardholder choose again. False once it is approved or over. */
export async function bindSessionCard(
  on: Queryable,
  of: SessionKey,
  cardId: string | null,
  at: Date,
): Promise<boolean> {
  return (await row(on, bindCard, [of.merchantId, of.sessionId, cardId, at])) !== undefined
}

export interface SessionKey {
  merchantId: string
  sessionId: string
}

const approve = statement<{ id: string }>(
  'sessions.approve',
  // The one winner of any number of approvals: whoever moves the session out of `pending`, in time, for the card that
  // was shown. A revoke, a cancel, a second approval or another card chosen in another tab leaves no row to match.
  `update sessions set status = 'processing', approved_at = $4
   where merchant_id = $1 and id = $2 and card_id = $3 and expires_at > $4 and status = any($5) returning id`,
)

export async function approveSession(tx: Tx, of: SessionKey, cardId: string, at: Date): Promise<boolean> {
  const allowed = originsOf<SessionStatus>(SESSION_TRANSITIONS, 'processing')
  return (await row(tx, approve, [of.merchantId, of.sessionId, cardId, at, allowed])) !== undefined
}

/** What an event about the session needs, as of the change. */
export interface ChangedSession {
  id: string
  merchant_id: string
  version: number
  order_id: string
  external_order_ref: string | null
}

const move = statement<ChangedSession>(
  'sessions.move',
  `update sessions set status = $3, failure_code = $4, version = version + 1,
     ended_at = case when $3 in ('completed', 'failed') then $5::timestamptz end
   where merchant_id = $1 and id = $2 and status = any($6)
   returning id, merchant_id, version, order_id, external_order_ref`,
)

/**
 * One step of the session, captured as an event by the caller. `from` narrows the transition table's origins.
 * Undefined: somebody else moved it.
 */
export async function moveSession(
  tx: Tx,
  of: SessionKey,
  to: 'awaiting_result' | 'completed' | 'failed',
  failure: PaymentFailure | null,
  at: Date,
  from?: readonly SessionStatus[],
) {
  const allowed = originsOf<SessionStatus>(SESSION_TRANSITIONS, to).filter((state) => from?.includes(state) ?? true)
  return row(tx, move, [of.merchantId, of.sessionId, to, failure, at, allowed])
}

const lockExpired = statement<{ merchant_id: string; id: string }>(
  'sessions.lock_expired',
  `select merchant_id, id from sessions where status = 'pending' and expires_at <= $1
   order by expires_at limit $2 for update skip locked`,
)

/** Sessions nobody approved in time; locked, so that several sweepers share the work. Operator's statement. */
export async function lockExpiredSessions(tx: Tx, now: Date, limit: number) {
  return rows(tx, lockExpired, [now, limit])
}

const lockLapsed = statement<{ merchant_id: string; id: string }>(
  'sessions.lock_lapsed',
  `select s.merchant_id, s.id from mandates m
   join sessions s on s.merchant_id = m.merchant_id and s.id = m.session_id
   join charges c on c.merchant_id = s.merchant_id and c.session_id = s.id
   where m.status in ('pending', 'active', 'paused') and m.transient and m.valid_until <= $1
     and s.status = 'awaiting_result' and c.reported_outcome is null
   order by m.valid_until limit $2 for update of s skip locked`,
)

/** Sessions whose approval lapsed before a report; locked as above. Operator's statement. */
export async function lockLapsedSessions(tx: Tx, now: Date, limit: number) {
  return rows(tx, lockLapsed, [now, limit])
}
