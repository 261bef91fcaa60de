import { CARD, CHOSEN_CARD, giveCard, isFor, othersHavePasskey, SAVED_CARD, USABLE_CARDS } from '../cards/fragments.ts'
import { QUOTE_END } from '../checkout/quotes/fragments.ts'
import { bool, nullable, object, objects, type RowOf, text, time } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'
import { completeEnrollment, lockOpen } from '../enrollment/fragments.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { JOIN_SHOWN_MERCHANT, SHOWN_MERCHANT, SHOWN_MERCHANT_COLUMNS } from '../merchants/fragments.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  ISSUE_CHALLENGE,
  ownPasskey,
  PASSKEY,
  passkeyReleased,
  STORE_PASSKEY,
} from '../passkeys/fragments.ts'
import { PRESELECTED_RECORD, RECORD } from '../vault/fragments.ts'
import { JOIN_SUBJECT, SESSION, SESSION_COLUMNS, type Session } from './store.ts'

/** What a new passkey is made for. */
export const REGISTERED = {
  ...SHOWN_MERCHANT,
  /** The chosen card. */
  card: nullable(object(CARD)),
  /** Other cards than the chosen one belong to a passkey of the customer. */
  othersHavePasskey: bool,
  /** Until when the shop keeps what was quoted; null: nothing was. */
  quoteEndsAt: nullable(time),
}
/** What is approved with, and by whom. */
export const SIGNED = { ...SHOWN_MERCHANT, card: REGISTERED.card, passkey: nullable(object(PASSKEY)) }
/** What the cardholder's page looks at or shows beside the session. */
export const SHOWN = {
  ...REGISTERED,
  ...SIGNED,
  /** The cards that may be used; none once the session is closed. */
  saved: objects(SAVED_CARD),
  /** What is known of the preselected vault record. */
  record: nullable(object(RECORD)),
}
const SURFACE = { ...SESSION, ...SHOWN }
export type OnSurface<S extends Session> = S & RowOf<typeof SHOWN>
export type ToSign<S extends Session = Session> = S & RowOf<typeof SIGNED>
export type ToRegister<S extends Session = Session> = S & RowOf<typeof REGISTERED>
/** A session with all that a step of the cardholder's page looks at or shows. */
export type SurfaceSession = OnSurface<Session>

const SURFACE_COLUMNS = `${SESSION_COLUMNS}, ${SHOWN_MERCHANT_COLUMNS},
     (${CHOSEN_CARD}) as card, ${USABLE_CARDS} as saved, ${othersHavePasskey('s.customer_id', 's.card_id')} as others_have_passkey,
     (${ownPasskey('s.customer_id')}) as passkey, (${PRESELECTED_RECORD}) as record, (${QUOTE_END}) as quote_ends_at` as const
const FROM_SURFACE = `from sessions s ${JOIN_SUBJECT} ${JOIN_SHOWN_MERCHANT}
   where s.merchant_id = $merchantId and s.id = $sessionId` as const

/**
 * Who the caller is, whether they may, and all that is shown to them: in one statement, because each question of its own
 * would be one more wait, and because what is shown together is then of one moment.
 */
export const findOnSurface = one('sessions.find_on_surface', `select ${SURFACE_COLUMNS} ${FROM_SURFACE}`, SURFACE)

/** The same together with the challenge that the cardholder's answer uses up; committed before the answer is judged. */
export const findClaiming = one(
  'sessions.find_claiming',
  `with ${CLAIM_CHALLENGE} select ${SURFACE_COLUMNS}, (${CLAIMED}) as claimed ${FROM_SURFACE} and ${UNAWAITED}`,
  { ...SURFACE, claimed: CLAIMED_CHALLENGE },
)

/** The session's own conditions for a passkey: it is open, and its card was proven in it. */
export const PROVEN =
  `merchant_id = $merchantId and id = $sessionId and customer_id = $customerId and card_id = proven_card_id
     and closed_at is null and expires_at > $at` as const

/** What a passkey is asked for with. */
export const ASKED = { passkeyReleased: nullable(bool), email: nullable(text) }
export const EMAIL = '(select email from customers where merchant_id = $merchantId and id = s.customer_id) as email'

/** The same together with a new challenge for a passkey, which is issued only to a session that has proven its card. */
export const findIssuing = one(
  'sessions.find_issuing',
  `with asking as (select id from sessions where ${PROVEN}), ${ISSUE_CHALLENGE}
   select ${SESSION_COLUMNS}, ${SHOWN_MERCHANT_COLUMNS}, (${passkeyReleased('s.customer_id')}) as passkey_released, ${EMAIL}
   ${FROM_SURFACE} and ${UNAWAITED}`,
  { ...SESSION, ...SHOWN_MERCHANT, ...ASKED },
)

/** CTEs `admitted` and those of `STORE_PASSKEY`: needs `proven` before them, with the proof of the session. */
const MAKE_PASSKEY = `card as (
     select passkey_id from cards
     where merchant_id = $merchantId and id = $cardId and customer_id = $customerId and status = 'active' and ${isFor('$sessionId')}
   ), admitted as (
     select $mayReplace::boolean and proven.proof = $proof and (card.passkey_id is not null) = $hadPasskey::boolean
       and ${othersHavePasskey('$customerId', '$cardId')} = $othersHave::boolean as may_replace
     from proven, card
   ), ${STORE_PASSKEY}, ${giveCard('exists (select 1 from stored)')}` as const
const PROVEN_CARD = `select proof from sessions where ${PROVEN} and card_id = $cardId
       and exists (select 1 from merchants where id = $merchantId and status = 'active')` as const

/**
 * Makes the passkey of a session that has proven this card, and gives it the card. A passkey that is there is replaced only
 * while what decided about it (`mayReplace`) is as it was read. None: the session is over or has proven another card, or
 * there is a passkey that stays.
 */
export const insertPasskey = one(
  'sessions.insert_passkey',
  `with proven as (${PROVEN_CARD}), ${MAKE_PASSKEY}
   select replaces from stored`,
  { replaces: nullable(text) },
)

/**
 * The same in an enrollment, which it completes: session, passkey, card and enrollment change together, with the event. Locks:
 * session, enrollment, passkey, card.
 */
export const insertEnrolledPasskey = one(
  'sessions.insert_enrolled_passkey',
  `with opened as materialized (${PROVEN_CARD} for no key update), ${lockOpen('exists (select 1 from opened)')}, proven as (
     select opened.proof from opened, awaiting
   ), ${MAKE_PASSKEY}, closed as (
     update sessions set closed_at = $at
     where merchant_id = $merchantId and id = $sessionId and exists (select 1 from stored)
   ), ${completeEnrollment('stored')}, event as (${INSERT_EVENT})
   select replaces from stored`,
  { replaces: nullable(text) },
)
