import { MANDATE_STATUSES } from '@mintmark/contract'
import { bigint, bool, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { INSTRUCTION, INSTRUCTION_COLUMNS, instructionColumns } from './fragments.ts'

// How a charge takes of its standing mandate. The UPDATE alone decides whether it may: one that has waited for another sees the row as that
// has left it, so cap and count hold for any number of callers.

/** What a charge needs to know of its mandate. */
const CHARGED = { ...INSTRUCTION, orderId: nullable(text), externalOrderRef: nullable(text), merchantActive: bool }
const OTHER_COLUMNS = `mandates.order_id, mandates.external_order_ref,
  (select status = 'active' from merchants where id = $merchantId) as merchant_active` as const
export type ChargedMandate = RowOf<typeof CHARGED>

/**
 * The merchant's mandate; with `$ownerSeal` the agent's own. The seal proves agent and owner, so the program need not read the mandate before
 * it charges it.
 */
const OWN = `merchant_id = $merchantId and id = $mandateId
   and ($ownerSeal::bytea is null or agent_id = $agentId and customer_id = $ownerId and owner_seal = $ownerSeal)` as const

/** Written with a cast, so that the planner does not choose the partial index of standing mandates, and scan all of it. */
const IS_STANDING = 'per_checkout::int = 0'

/** Takes amount and count of a charge. None: `refusalOf` says why, or there is no such mandate. */
export const take = one(
  'mandates.take',
  `update mandates set charge_count = charge_count + 1, window_spent_minor = window_spent_minor + $amountMinor, updated_at = $at
   where ${OWN} and status = 'active' and ${IS_STANDING} and valid_until > $at
     and instruction_ref is not null and order_id is not null and currency <> all ($wholeCurrencies::text[])
     and (window_ends_at is null or window_ends_at > $at) and (max_charges is null or charge_count < max_charges)
     and window_spent_minor + $amountMinor::bigint <= approved_minor
     and exists (select 1 from cards where merchant_id = $merchantId and cards.id = card_id)
   returning ${OTHER_COLUMNS},
     ${instructionColumns('(select network_token_ref from cards where merchant_id = $merchantId and cards.id = card_id)')}`,
  CHARGED,
)

/**
 * Begins the window that follows one that is over, before a charge takes of it. The program has computed it; here a second guard refuses one
 * that begins before the known one ends, as after a clock that was set back, with nothing spent in it. None: another caller has begun it.
 */
export const beginWindow = one(
  'mandates.begin_window',
  `update mandates set window_started_at = $startsAt, window_ends_at = $endsAt, window_spent_minor = 0, updated_at = $at
   where merchant_id = $merchantId and id = $mandateId and window_started_at = $followsOn and $startsAt::timestamptz >= window_ends_at
   returning id`,
  { id: text },
)

const CHARGEABLE = {
  ...CHARGED,
  status: oneOf(MANDATE_STATUSES),
  perCheckout: bool,
  activatedAt: nullable(time),
  windowStartedAt: nullable(time),
  windowEndsAt: nullable(time),
  windowSpentMinor: bigint,
  chargeCount: int,
}
/** What says whether a mandate may be charged. */
export type ChargeableMandate = RowOf<typeof CHARGEABLE>

/** The mandate as `take` looks at it; nothing is locked. None: there is none of this merchant, or agent, or it has no card. */
export const findChargeable = one(
  'mandates.find_chargeable',
  `select ${OTHER_COLUMNS}, ${INSTRUCTION_COLUMNS}, mandates.status, mandates.per_checkout, mandates.activated_at,
     mandates.window_started_at, mandates.window_ends_at, mandates.window_spent_minor, mandates.charge_count
   from (select * from mandates where ${OWN} offset 0) mandates
   join lateral (select * from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true`,
  CHARGEABLE,
)
