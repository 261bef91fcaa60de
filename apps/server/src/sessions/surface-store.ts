import { CARD, DEFAULT_FIRST, giveCard, isFor, othersHavePasskey, SAVED_CARD, usableBy } from '../cards/fragments.ts'
import { bool, columns, nullable, type RowOf, text } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'
import { completeEnrollment, lockOpen } from '../enrollment/fragments.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import {
  insertChallenge,
  insertFirstPasskey,
  PASSKEY,
  PASSKEY_COLUMNS,
  passkeyReleased,
  STORE_PASSKEY,
} from '../passkeys/fragments.ts'

// What the cardholder's page looks at beside the session. Each is a statement of its own, which is sent together with those that the same
// step needs: a new customer has none of it, and most steps look at one or two.

const OF_CUSTOMER = 'merchant_id = $merchantId and customer_id = $customerId'
const ofSession = <const Column extends string>(column: Column) =>
  `(select ${column as Column} from sessions where merchant_id = $merchantId and id = $sessionId)` as const

/** The card that the session is to be approved with. */
export const findChosen = one(
  'sessions.find_chosen_card',
  `select ${columns(CARD)} from cards where ${OF_CUSTOMER} and id = ${ofSession('card_id')}`,
  CARD,
)

/** The live passkey of the session's customer: also of a session of which nothing is known yet. */
export const findPasskey = one(
  'sessions.find_passkey',
  `select ${PASSKEY_COLUMNS} from passkeys
   where merchant_id = $merchantId and customer_id = ${ofSession('customer_id')} and retired_at is null`,
  PASSKEY,
)

/** The cards that an open session may use: the default first, then the newest. */
export const listUsable = many(
  'sessions.list_usable_cards',
  `select ${columns(SAVED_CARD)} from cards
   where ${OF_CUSTOMER} and ${usableBy('$sessionId', '$customerId', ofSession('proven_card_id'))} ${DEFAULT_FIRST} limit 50`,
  SAVED_CARD,
)
export type SavedCard = RowOf<typeof SAVED_CARD>

/** Whether other cards than the chosen one belong to a passkey of the customer. */
export const findOthers = one(
  'sessions.find_others',
  `select ${othersHavePasskey('$customerId', '$cardId::text')} as others_have_passkey`,
  { othersHavePasskey: bool },
)

/**
 * Where a passkey may be made: the session is open, its card was proven in it, and its merchant is active. An open session has a subject
 * that is open, as both end together.
 */
const PROVEN = `merchant_id = $merchantId and id = $sessionId and customer_id = $customerId and card_id = proven_card_id
     and closed_at is null and expires_at > $at
     and exists (select 1 from merchants where id = $merchantId and status = 'active')` as const

/**
 * A new challenge for a passkey, and what the passkey is asked for with: the customer's email, and whether the one that is there may be
 * replaced (null: there is none). None: it may not be made.
 */
export const issueChallenge = one(
  'sessions.issue_challenge',
  `with issued as (
     ${insertChallenge(`from sessions where ${PROVEN} and ${UNAWAITED}`)}
   )
   select challenge, (${passkeyReleased('$customerId')}) as passkey_released,
     (select email from customers where merchant_id = $merchantId and id = $customerId) as email
   from issued`,
  { challenge: text, passkeyReleased: nullable(bool), email: nullable(text) },
)

const FROM_CARD =
  `from cards where merchant_id = $merchantId and id = $cardId and customer_id = $customerId and status = 'active'
       and ${isFor('$sessionId')}` as const

/** CTEs `admitted` and those of `STORE_PASSKEY`: needs `proven` before them, with the proof of the session. */
const MAKE_PASSKEY = `card as (
     select passkey_id ${FROM_CARD}
   ), admitted as (
     select proven.proof = $proof and (card.passkey_id is not null) = $hadPasskey::boolean and $mayAlone::boolean
       and ($mayBesideOthers or not ${othersHavePasskey('$customerId', '$cardId')}) as may_replace
     from proven, card
   ), ${STORE_PASSKEY}, ${giveCard('exists (select 1 from stored)')}` as const
const PROVEN_CARD = `select proof from sessions where ${PROVEN} and card_id = $cardId` as const

/**
 * Makes the first passkey of a customer, in a session that has proven this card, and gives it the card. None: the session is over or has
 * proven another card, or there is a passkey.
 */
export const insertPasskey = one(
  'sessions.insert_passkey',
  `with stored as (
     ${insertFirstPasskey(`from sessions where ${PROVEN} and card_id = $cardId and exists (select 1 ${FROM_CARD})`)}
   ), ${giveCard('exists (select 1 from stored)')}
   select replaces from stored`,
  { replaces: nullable(text) },
)

/**
 * The same where there is a passkey: it is replaced only while what decided about that (`mayReplace`) is as it was read; whether other
 * cards have one is looked at here. None: as above, or the passkey stays.
 */
export const replacePasskey = one(
  'sessions.replace_passkey',
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
