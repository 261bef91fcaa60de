import { bool, nullable, oneOf, text, time } from '../db/row.ts'
import { INSTRUCTION, INSTRUCTION_COLUMNS } from '../mandates/fragments.ts'

// Parts of the questions why a charge against a standing mandate is not opened: one of its merchant, one of an agent.

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
/** Those that are written as a charge that failed. */
export type Limit = Extract<OpenRefusal, 'MAX_CHARGES_EXCEEDED' | 'THRESHOLD_EXCEEDED' | 'AGENT_LIMIT_EXCEEDED'>

/**
 * A clock that was set back between two questions would name the same window again, or one before it: with nothing
 * spent in it. So only a window that begins where the known one ends, or later, follows it.
 */
const FOLLOWS = 'window_started_at = $windowFrom and $windowStartsAt >= window_ends_at'

/** A SELECT: the charge that a reference names now. */
export const REFERENCED = `select 1 from charges
         where merchant_id = $merchantId and standing_mandate_id = $mandateId and reference = $reference and holds_reference` as const

/**
 * CTEs `windowed` and `judged`: the mandate with the window that `$at` lies in, and why it may not be charged; `asked`
 * and `further` are more reasons, before and after what the mandate allows. The caller says what follows the window
 * that began at `$windowFrom`; it counts only while that is the one which the row knows.
 */
const judge = <const Asked extends string, const Further extends string>(asked: Asked, further: Further) =>
  `windowed as materialized (
     select mandate.*,
       case when ${FOLLOWS} then $windowStartsAt::timestamptz else window_started_at end as starts_at,
       case when ${FOLLOWS} then $windowEndsAt::timestamptz else window_ends_at end as ends_at,
       case when ${FOLLOWS} then 0 else window_spent_minor end as spent_minor
     from found mandate
   ), judged as materialized (
     select windowed.*, case
       when exists (${REFERENCED}) then 'DUPLICATE'
       when currency = any ($wholeCurrencies) and $hasFraction::boolean then 'HAS_FRACTION'
       when status <> 'active' or valid_until <= $at then 'NOT_ACTIVE'
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

/** What one kind of caller adds to the question. */
interface Asking {
  /** Further conditions on the mandate, each with an "and" before it. */
  readonly own: string
  /** CTEs after `found`, each with a comma behind it. */
  readonly look: string
  /** Further reasons against it: cases of `refusal`, before what the mandate allows and after it. */
  readonly asked: string
  readonly refusal: string
  /** Further columns of the answer, each with a comma before it. */
  readonly answer: string
}

/** Whether a charge would be opened, and if not why: nothing is locked or written. None: there is no such mandate. */
export const asking = <const Of extends Asking>({ own, look, asked, refusal, answer }: Of) =>
  `with found as materialized (
     select * from mandates where merchant_id = $merchantId and id = $mandateId${own as Of['own']}
   ), ${look as Of['look']}${judge(asked as Of['asked'], refusal as Of['refusal'])}
   select refusal, ${JUDGED_COLUMNS}${answer as Of['answer']} ${FROM_JUDGED}` as const
