import { bool, nullable, oneOf, text, time } from '../db/row.ts'
import { HELD_ANEW, insertWork } from '../jobs/fragments.ts'
import { INSTRUCTION, INSTRUCTION_COLUMNS, TAKE_FROM_MANDATE } from '../mandates/fragments.ts'

// Parts of the statements that open a charge against a standing mandate: one for its merchant, one for an agent.

/** Why a charge was not opened. */
const OPEN_REFUSALS = [
  'DUPLICATE',
  'HAS_FRACTION',
  'NOT_ACTIVE',
  'NO_INSTRUCTION',
  'NO_ORDER',
  'MERCHANT_NOT_ALLOWED',
  'ROLLED_OVER',
  'MAX_CHARGES_EXCEEDED',
  'THRESHOLD_EXCEEDED',
  'AGENT_LIMIT_EXCEEDED',
  'ASKED',
] as const
export type OpenRefusal = (typeof OPEN_REFUSALS)[number]

/**
 * A clock that was set back between two questions would name the same window again, or one before it: with nothing spent in
 * it. So only a window that begins where the known one ends, or later, follows it.
 */
const FOLLOWS = 'window_started_at = $windowFrom and $windowStartsAt::timestamptz >= window_ends_at'

/**
 * CTEs `windowed` and `judged`: the mandate with the window that `$at` lies in, and why it may not be charged; `asked` and `further`
 * are more reasons, before and after what the mandate allows. The caller says what follows the window that began at `$windowFrom`; it counts only while that is the one which the row knows.
 */
const judge = <const From extends string, const Asked extends string, const Further extends string>(
  from: From,
  asked: Asked,
  further: Further,
) =>
  `windowed as materialized (
     select mandate.*,
       case when ${FOLLOWS} then $windowStartsAt::timestamptz else window_started_at end as starts_at,
       case when ${FOLLOWS} then $windowEndsAt::timestamptz else window_ends_at end as ends_at,
       case when ${FOLLOWS} then 0 else window_spent_minor end as spent_minor
     from ${from} mandate
   ), judged as materialized (
     select windowed.*, case
       when exists (select 1 from charge_references
         where merchant_id = $merchantId and mandate_id = $mandateId and reference = $reference) then 'DUPLICATE'
       when currency = any ($wholeCurrencies) and $hasFraction::boolean then 'HAS_FRACTION'
       when per_checkout or status <> 'active' or valid_until <= $at then 'NOT_ACTIVE'
       when instruction_ref is null then 'NO_INSTRUCTION'
       when order_id is null then 'NO_ORDER'
       ${asked}
       when not $merchantAllowed::boolean then 'MERCHANT_NOT_ALLOWED'
       when ends_at <= $at then 'ROLLED_OVER'
       when charge_count >= max_charges then 'MAX_CHARGES_EXCEEDED'
       when spent_minor + $amountMinor::bigint > approved_minor then 'THRESHOLD_EXCEEDED'
       ${further}
     end as refusal
     from windowed
   )` as const

export const JUDGED = {
  refusal: nullable(oneOf(OPEN_REFUSALS)),
  orderId: nullable(text),
  externalOrderRef: nullable(text),
  mandateActivatedAt: nullable(time),
  mandateWindowStartedAt: nullable(time),
  merchantActive: bool,
  ...INSTRUCTION,
}
const JUDGED_COLUMNS = `mandates.order_id, mandates.external_order_ref, mandates.activated_at as mandate_activated_at,
     mandates.window_started_at as mandate_window_started_at,
     (select status = 'active' from merchants where id = $merchantId) as merchant_active, ${INSTRUCTION_COLUMNS}` as const
const FROM_JUDGED = `from judged mandates join lateral (
     select * from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true` as const

/** Columns of a new charge, from a mandate: what the charge does not name is as its setup named it. */
export const NEW_CHARGE = `merchant_id, id, line_item_id, order_id, external_order_ref, mandate_id, standing_mandate_id, reference,
       card_id, amount_minor, currency, payee_name, payee_network_name, payee_url, payee_country, payee_category_code,
       payee_category, products, life_minutes, version, created_at, updated_at, agent_id`
export const NEW_CHARGE_VALUES = `$merchantId, $chargeId, $lineItemId, order_id, external_order_ref, id, id, $reference,
       card_id, $amountMinor, currency, coalesce($payeeName::text, payee_name), coalesce($payeeNetworkName::text, payee_network_name),
       coalesce($payeeUrl::text, payee_url), coalesce($payeeCountry::text, payee_country),
       coalesce($payeeCategoryCode::text, case when $payeeUrl::text is null then payee_category_code end),
       coalesce($payeeCategory::text, case when $payeeUrl::text is null then payee_category end),
       case when $products::jsonb = '[]' then coalesce(products, '[]') else $products::jsonb end, $lifeMinutes::integer, 1, $at, $at, agent_id` as const

/** What one kind of caller adds to the opening of a charge. */
interface Opening {
  /** Further conditions on the mandate, each with an "and" before it. */
  readonly own: string
  /** CTEs after `locked`, which they may refer to, each with a comma behind it. */
  readonly lock: string
  /** Further reasons against it: cases of `refusal`, before what the mandate allows and after it. */
  readonly asked: string
  readonly refusal: string
  /** CTEs after `admitted`, each with a comma behind it. */
  readonly take: string
  readonly names: string
  readonly values: string
  /** Further columns of the answer, each with a comma before it. */
  readonly answer: string
}

/**
 * Opens a charge, in one round trip: the mandate is locked and judged, the reference claimed, amount and count taken in its
 * window, and the charge written with its open work leased to the caller. All or nothing of it: the lock makes the charges of
 * one mandate follow each other, so neither cap nor count can be passed. None: the merchant has no such mandate, or it has no card.
 *
 * What is taken is counted from the locked row, not from the one that is updated: PostgreSQL makes the new row from the old
 * version that the statement began with, and holds a CHECK of the count against it, where there is one (ADR 0120), before it sees that
 * there is a later one.
 *
 * A reference that another charge took while this one waited for the lock is not seen by the judging, which looks with the
 * eyes of the statement's start; the key of the references sees it, and then nothing is written.
 */
export const opening = <const Of extends Opening>({ own, lock, asked, refusal, take, names, values, answer }: Of) =>
  `with locked as materialized (
     select * from mandates where merchant_id = $merchantId and id = $mandateId${own as Of['own']}
       and exists (select 1 from cards where merchant_id = $merchantId and id = card_id) for no key update
   ), ${lock as Of['lock']}${judge('locked', asked as Of['asked'], refusal as Of['refusal'])}, claimed as (
     insert into charge_references (merchant_id, mandate_id, reference, charge_id)
     select $merchantId, id, $reference, $chargeId from judged where refusal is null and $reference::text is not null
     on conflict on constraint charge_references_pkey do nothing
     returning charge_id
   ), admitted as materialized (
     select * from judged where refusal is null and ($reference::text is null or exists (select 1 from claimed))
   ), ${TAKE_FROM_MANDATE}, ${take as Of['take']}charge as (
     insert into charges (${NEW_CHARGE}, status, window_started_at, seal${names as Of['names']})
     select ${NEW_CHARGE_VALUES}, 'minting', starts_at, $chargeSeal${values as Of['values']} from admitted
     returning id
   ), work as (
     ${insertWork('charge', 'charge.id', '$at', '1', '$leaseUntil')} from charge
     ${HELD_ANEW}
     returning lease_fence
   )
   select coalesce(refusal, case when not exists (select 1 from admitted) then 'DUPLICATE' end) as refusal,
     (select lease_fence from work) as lease_fence, ${JUDGED_COLUMNS}${answer as Of['answer']}
   ${FROM_JUDGED}` as const

/** The same question without a charge: nothing is locked or written. */
export const asking = <const Of extends Opening>({ own, lock, asked, refusal, answer }: Of) =>
  `with found as materialized (
     select * from mandates where merchant_id = $merchantId and id = $mandateId${own as Of['own']}
   ), ${lock as Of['lock']}${judge('found', asked as Of['asked'], refusal as Of['refusal'])}
   select refusal, ${JUDGED_COLUMNS}${answer as Of['answer']} ${FROM_JUDGED}` as const
