import { CARD, giveCard, isFor, othersHavePasskey, SAVED_CARD } from '../../cards/fragments.ts'
import { bool, columns, int, nullable, object, objects, type RowOf, text, time } from '../../db/row.ts'
import { one } from '../../db/statement.ts'
import { UNAWAITED } from '../../db/unawaited.ts'
import { completeEnrollment, IS_OPEN } from '../../enrollment/fragments.ts'
import { INSERT_EVENT } from '../../events/fragments.ts'
import { SHOWN_MERCHANT } from '../../merchants/fragments.ts'
import { OWN_PASSKEY, STORE_PASSKEY, storeFirst } from '../../passkeys/fragments.ts'
import { RECORD } from '../../vault/fragments.ts'
import { IN_ENROLLMENT, inBoth, inEach, type SessionRow } from '../fragments.ts'
import type { Session } from '../store.ts'
import { ask } from './challenge-fragments.ts'

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
/** When the code that is awaited was sent, and how many new ones were asked for, of this entry and in this session. */
const CODES = {
  /** Null: by an earlier release, or there was none. */
  codeSentAt: nullable(time),
  entryNewCodes: int,
  newCodes: int,
}
/** The codes of a session that waits for none. */
export const NO_CODES = { codeSentAt: null, entryNewCodes: 0, newCodes: 0 }
export const CODES_COLUMNS = columns(CODES, 's')
/** What is approved with, and by whom. */
export const SIGNED = { ...SHOWN_MERCHANT, card: REGISTERED.card, passkey: OWN_PASSKEY }
/** What the cardholder's page looks at or shows beside the session. */
export const SHOWN = {
  ...REGISTERED,
  ...SIGNED,
  ...CODES,
  /** The cards that may be used; none once the session is closed. */
  saved: objects(SAVED_CARD),
  /** What is known of the preselected vault record. */
  record: nullable(object(RECORD)),
}
export type OnSurface<S extends Session> = S & RowOf<typeof SHOWN>
export type ToSign<S extends Session = Session> = S & RowOf<typeof SIGNED>
export type ToRegister<S extends Session = Session> = S & RowOf<typeof REGISTERED>
/** A session with all that a step of the cardholder's page looks at or shows. */
export type SurfaceSession = OnSurface<Session>

/** The session's own conditions for a passkey: it is open, and its card was proven in it. */
export const PROVEN =
  `customer_id = $customerId and card_id = proven_card_id and closed_at is null and expires_at > $at` as const

/** What a passkey is asked for with. */
export const ASKED = { passkeyReleased: nullable(bool), email: nullable(text) }
export const EMAIL = '(select email from customers where merchant_id = $merchantId and id = s.customer_id) as email'

/** CTEs `admitted` and those of `STORE_PASSKEY`: needs `proven` before them, with the proof of the session. */
const MAKE_PASSKEY = `card as (
     select passkey_id from cards
     where merchant_id = $merchantId and id = $cardId and customer_id = $customerId and status = 'active' and ${isFor('$sessionId')}
   ), admitted as (
     select $mayReplace::boolean and proven.proof = $proof and (card.passkey_id is not null) = $hadPasskey::boolean
       and ${othersHavePasskey('$customerId', '$cardId')} = $othersHave::boolean as may_replace
     from proven, card
   ), ${STORE_PASSKEY}, ${giveCard('exists (select 1 from stored)')}` as const
const provenIn = ({ table, place }: SessionRow) =>
  `select proof from ${table} where ${place} and ${PROVEN} and card_id = $cardId
       and exists (select 1 from merchants where id = $merchantId and status = 'active')` as const

/**
 * Asks an open session for the signature over its terms. None: it has ended meanwhile.
 */
export const updateAsked = inEach((row) =>
  one(
    `${row.feature}.ask`,
    `${ask(row, `customer_id = $customerId and closed_at is null and expires_at > $at and ${UNAWAITED}`)}
   returning id`,
    { id: text },
  ),
)

/**
 * Makes the first passkey of a customer in a session that has proven this card, gives it the card, and asks for the
 * signature over the terms. None: the session is over or has proven another card, or there is a passkey. Locks:
 * session, passkey, card.
 */
export const insertFirstPasskey = inBoth((row) =>
  one(
    `${row.feature}.insert_first_passkey`,
    `with opened as (
     select id from ${row.table} where ${row.place} and ${PROVEN} and card_id = $cardId and proof = $proof
       and exists (select 1 from merchants where id = $merchantId and status = 'active')
     for no key update
   ), ${storeFirst(`exists (
       select 1 from opened join cards on cards.merchant_id = $merchantId and cards.id = $cardId
       where status = 'active' and ${isFor('$sessionId')})`)}, ${giveCard('exists (select 1 from stored)')}
   ${ask(row, 'exists (select 1 from stored)')}
   returning id`,
    { id: text },
  ),
)

/**
 * Makes the passkey of a session that has proven this card, and gives it the card. A passkey that is there is replaced
 * only while what decided about it (`mayReplace`) is as it was read. None: the session is over or has proven another
 * card, or there is a passkey that stays.
 */
export const insertPasskey = inBoth((row) =>
  one(
    `${row.feature}.insert_passkey`,
    `with proven as (${provenIn(row)}), ${MAKE_PASSKEY}
   select replaces from stored`,
    { replaces: nullable(text) },
  ),
)

/**
 * The same in an enrollment, which it completes: enrollment, passkey and card change together, with the event. Locks:
 * enrollment, passkey, card.
 */
export const insertEnrolledPasskey = one(
  'sessions.insert_enrolled_passkey',
  `with proven as materialized (${provenIn(IN_ENROLLMENT)} and ${IS_OPEN} for no key update), ${MAKE_PASSKEY}, changed as (
     ${completeEnrollment('exists (select 1 from stored)')}
     returning id
   ), event as (${INSERT_EVENT})
   select replaces from stored`,
  { replaces: nullable(text) },
)
