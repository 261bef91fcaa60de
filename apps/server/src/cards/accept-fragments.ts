import { workOf } from '../jobs/fragments.ts'
import { BEFORE_ACTIVE, HAS_DEFAULT } from './fragments.ts'

// Parts of the statements by which the network's word about an entry is written, together with the session that it was
// made in.

/**
 * CTE `card`: a card that has not ended since it was asked about, nor begun to, locked. Needs a CTE `session`, whose
 * lock is taken before.
 */
export const LOCKED_CARD = `card as (
     select * from cards
     where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status <> 'deleted' and ending_reason is null
       and (select count(*) from session) < 2
     for update
   )` as const

/**
 * CTE `card`: the network accepted a card that was never accepted before, is to be kept, and is for nothing else by
 * another entry of it, if `condition` holds. No row: `acceptedCard` and what goes with it decide.
 */
export const firstAccepted = <const Condition extends string>(condition: Condition) =>
  `card as (
     update cards set status = 'active', network_token_ref = $tokenRef, seal = $seal, exp_month = $expMonth, exp_year = $expYear,
       design = $design::jsonb, step_up_pending = false, updated_at = $at, accepted_at = $at, keeping = $keeping,
       is_default = not ${HAS_DEFAULT}
     where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status in (${BEFORE_ACTIVE})
       and accepted_at is null and once_sessions is null and not exists (
         select 1 from open_work where ${workOf('deletion', '$cardId')})
       and ${condition}
     returning *
   )` as const

/** For what an entry chose its card, as SQL. */
export interface Chosen<Once extends string, After extends string, Keeping extends string> {
  /** The session that it is for alone, as an array; null: it is kept. */
  once: Once
  /** What becomes of that where the card is active already. */
  onceAfter: After
  /** What was said and answered. */
  keeping: Keeping
}

/** One that is kept for whoever stays so; else it is for one session more. `once` is SQL. */
export const onceAfter = <const Once extends string>(once: Once) =>
  `case when cards.once_sessions is null or ${once} is null then null
       when ${once} <@ cards.once_sessions then cards.once_sessions else cards.once_sessions || ${once} end` as const

const renewed = <
  const Once extends string,
  const After extends string,
  const Keeping extends string,
  const Set extends string,
  const Differs extends string,
>(
  { once, onceAfter: after, keeping }: Chosen<Once, After, Keeping>,
  set: Set,
  differs: Differs,
) =>
  `renewed as (
     update cards set ${set}once_sessions = ${after}, keeping = coalesce(${keeping}, keeping), updated_at = $at,
       is_default = is_default or (once_sessions is not null and ${once} is null and not ${HAS_DEFAULT})
     where merchant_id = $merchantId and id = (select id from card where status = 'active')
       and (${differs}once_sessions is distinct from ${after} or ${keeping} <> coalesce(keeping, ''))
     returning cards.*
   )` as const

/**
 * CTE `renewed`: `card` is active already, and was accepted with another expiry, or for more than it was.
 */
export const renewedCard = <const Once extends string, const After extends string, const Keeping extends string>(
  chosen: Chosen<Once, After, Keeping>,
) =>
  renewed(chosen, 'exp_month = $expMonth, exp_year = $expYear, ', 'exp_month <> $expMonth or exp_year <> $expYear or ')

/** The same of an entry without an expiry. */
export const provenCard = <const Once extends string, const After extends string, const Keeping extends string>(
  chosen: Chosen<Once, After, Keeping>,
) => renewed(chosen, '', '')

/**
 * CTE `changed`: a code is awaited for `card`, and its day to be accepted starts anew. It is for what its last entry
 * chose. An active card stays as it is.
 */
export const AWAITED_CARD = `changed as (
     update cards set step_up_pending = true, once_sessions = $onceSessions::text[], keeping = $keeping, updated_at = $at
     from card
     where cards.merchant_id = $merchantId and cards.id = card.id and cards.status in (${BEFORE_ACTIVE})
     returning cards.*
   )` as const

/** The card as `changed` left it, or as it was active before; no row: it has ended. */
export const CARD_AFTER = `(
     select * from changed union all select * from card where status = 'active'
   ) after` as const

/** The same where `renewed` may have changed an active card. */
export const RENEWED_CARD_AFTER = `(
     select * from changed union all select * from renewed
     union all select * from card where status = 'active' and not exists (select 1 from renewed)
   ) after` as const

/** The cards that an entry has changed. */
export const CHANGED_CARDS = '(select * from changed union all select * from renewed) cards' as const
