import { insertSessionEvidence } from '../approvals/fragments.ts'
import { GIVE_CARD, isFor } from '../cards/fragments.ts'
import { BEGIN_BUYING, BEGIN_MINTING, BEGUN_WORK, SELECT_MINTING } from '../charges/work-fragments.ts'
import { INSERT_PURCHASE } from '../checkout/purchases/fragments.ts'
import { isNullRefused, violates } from '../db/errors.ts'
import { text } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { completeEnrollment } from '../enrollment/fragments.ts'
import { insertEventOf } from '../events/fragments.ts'
import { MAKE_MANDATE } from '../mandates/fragments.ts'
import { ALLOW_MANDATE, SETUP_WORK } from '../mandates/setup-fragments.ts'
import { COUNT_SIGNATURE } from '../passkeys/fragments.ts'

// An approval has one winner of any number: the first to close the session, in time, for the card that was shown. After a
// revoke, a cancel, a second approval or another card chosen in another tab there is no row to match; neither for a
// suspended merchant, nor for a card that belongs to another passkey and was not proven in this session. The card is the one
// whose seal was checked, to the letter, and belongs to the approving passkey from now on.
//
// It is two statements that are sent together: one writes what was approved, the other moves the passkey's counter and keeps the
// evidence. Each inserts a row with the id of the row that it has changed or locked. Where there is none the id is null, PostgreSQL
// refuses it, and nothing of either is written (`isRefused`). Locks are taken in the order session, subject, passkey, card.

/** CTE `closed`: the session that is approved. */
const CLOSE = `closed as (
     update sessions set closed_at = $at
     where merchant_id = $merchantId and id = $sessionId and card_id = $cardId and closed_at is null and expires_at > $at
       and exists (select 1 from merchants where id = $merchantId and status = 'active')
     returning proven_card_id
   )` as const

/** For a payment, its mandate is made, and its charge is to be minted. */
export const approvePayment = one(
  'sessions.approve_payment',
  `with ${CLOSE}, ${BEGIN_MINTING}, ${MAKE_MANDATE} ${SELECT_MINTING}`,
  BEGUN_WORK,
)

/** The same where the service itself buys: the work that is opened is that of the purchase. */
export const approveQuotedPayment = one(
  'sessions.approve_quoted_payment',
  `with ${CLOSE}, ${BEGIN_BUYING}, ${MAKE_MANDATE}, ${INSERT_PURCHASE}`,
  { id: text },
)

/** For a setup, its mandate becomes what was allowed, and is to be registered. */
export const approveSetup = one('sessions.approve_setup', `with ${CLOSE}, ${ALLOW_MANDATE}`, SETUP_WORK)

/** An enrollment is completed, with its event. Its card is one that was proven in this session, whatever passkey it has. */
export const approveEnrollment = one(
  'sessions.approve_enrollment',
  `with ${CLOSE}, proven as (
     select 1 from closed where proven_card_id = $cardId
   ), ${completeEnrollment('proven')}
   ${insertEventOf('(select session_id from changed)')}`,
  { resourceId: text },
)

/**
 * For every kind, the passkey's counter is moved and the evidence is kept, if the statement before it has closed the session and the card is
 * the one that was shown.
 */
export const insertEvidence = one(
  'sessions.insert_evidence',
  // Arrays compare nulls as equal: a card may have no brand.
  `with ${COUNT_SIGNATURE}, shown as materialized (
     select id from cards
     where merchant_id = $merchantId and id = $cardId and customer_id = $customerId and status = 'active'
       and cards.seal = $cardSeal and array[network_token_ref, last4, brand] = $shownCard::text[] and ${isFor('$sessionId')}
       and exists (select 1 from sessions where merchant_id = $merchantId and id = $sessionId and closed_at = $at
         and (proven_card_id = cards.id or cards.passkey_id = $passkeyId))
       and exists (select 1 from counted)
     for no key update
   )
   ${insertSessionEvidence('(select $passkeyId from shown)')}
   returning passkey_id`,
  { passkeyId: text },
)

/** The card was proven in this session: it belongs to the passkey from now on. Sent behind the evidence, which has locked it. */
export const updateCardGiven = execute('sessions.update_card_given', GIVE_CARD)

const REFUSING = {
  ...{ mandates: 'id', open_work: 'id', purchases: 'charge_id' },
  ...{ captured_events: 'resource_id', approvals: 'passkey_id' },
}

/** True when an approval was refused because a row was not as it was read, or the session has been approved. */
export function isRefused(error: unknown): boolean {
  const isNull = Object.entries(REFUSING).some(([table, column]) => isNullRefused(error, table, column))
  return isNull || violates(error, 'approvals_pkey')
}
