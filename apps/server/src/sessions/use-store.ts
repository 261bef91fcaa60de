import { nullable, time } from '../db/row.ts'
import { one } from '../db/statement.ts'

/**
 * Until when at most a purchase needs a card that is for it alone: while the cardholder can do something with it, and,
 * where the card was approved in it, until its credential is reported or lapses, which deleting the card would end at
 * the network. An end that time has brought counts once it is written. None: no purchase needs it.
 */
export const findUse = one(
  'sessions.find_use_of_card',
  `select max(case when s.closed_at is null then s.expires_at else coalesce(s.lapses_at, s.expires_at) end) as until
   from cards
   cross join lateral unnest(cards.once_sessions) once (session_id)
   join lateral (
     select closed_at, expires_at, lapses_at, status, card_id from charges
     where merchant_id = $merchantId and launch_hash is not null and opened_by = once.session_id offset 0) s on true
   where cards.merchant_id = $merchantId and cards.id = $cardId
     and (s.closed_at is null or (s.status in ('minting', 'awaiting_result') and s.card_id = cards.id))`,
  { until: nullable(time) },
)
