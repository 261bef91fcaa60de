import {
  AWAITED_CARD,
  acceptedCard,
  CARD,
  CARD_AFTER,
  CHANGED_CARDS,
  closeDeletion,
  ENTERED,
  ENTERED_CARD,
  ENTERED_COLUMNS,
  LOCKED_CARD,
  OPEN_DELETION,
  provenCard,
  RENEWED_CARD_AFTER,
  renewedCard,
} from '../cards/fragments.ts'
import { bool, columns } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { beginTry, endTry } from '../enrollment/fragments.ts'
import { INSERT_RECORD_OF_CARD, RENEW_RECORD_OF_CARD } from '../vault/fragments.ts'

// What the entry of a card writes. Card and session change in one statement: two would be one more wait each, and between
// them lay a card that no session had chosen. Locks: session, card.

/** The session, while a card may be entered in it. */
const OPEN = `open as (
     select id, expires_at from sessions
     where merchant_id = $merchantId and id = $sessionId and customer_id = $customerId and closed_at is null
       and expires_at > $at and exists (select 1 from merchants where id = $merchantId and status = 'active')
   )` as const

/**
 * The customer's card of a number, and the vault record of a new one: one that is not inserted leaves no record.
 * None: the session is not open.
 */
export const insertCard = one(
  'sessions.insert_entered_card',
  `with ${OPEN}, ${beginTry('open')}, ${ENTERED_CARD}, ${INSERT_RECORD_OF_CARD}, ${OPEN_DELETION}
   select ${ENTERED_COLUMNS} from card`,
  ENTERED,
)

const LOCKED_SESSION = `session as (
     select id, entry_once from sessions
     where merchant_id = $merchantId and id = $sessionId and closed_at is null and expires_at > $at
     for update
   )` as const
const OF_SESSION = `from card
     where sessions.merchant_id = $merchantId and sessions.id = (select id from session)` as const
/**
 * CTE `late`: the enrollment has ended while the network was asked, and the card is saved all the same: so its status says. An
 * ended session is locked by nobody who waits for the card.
 */
const late = <const Proof extends string>(proof: Proof) =>
  `late as (
     update sessions set proven_card_id = card.id, proof = '${proof}', proof_seal = $proofSeal
     from card
     where sessions.merchant_id = $merchantId and sessions.id = $sessionId and kind = 'enrollment' and proven_card_id is null
       and not exists (select 1 from session)
   )` as const
const KEPT_COLUMNS = `${columns(CARD)}, exists (select 1 from chosen) as is_chosen` as const
const KEPT = { ...CARD, isChosen: bool }

/** A condition: the card was proven by a code before. */
const BY_CODE = "proven_card_id = card.id and proof = 'code'"

/**
 * The network accepted the entry: the card is active with the expiry that was entered, in the vault as well, and chosen and
 * proven in the session. A card that was proven there by a code stays so. None: the card has ended. Not chosen: the session
 * has.
 */
export const updateAccepted = one(
  'sessions.update_accepted',
  `with ${LOCKED_SESSION}, ${endTry('session')}, ${LOCKED_CARD}, ${acceptedCard('$onceSessions::text[]')}, ${renewedCard('$onceSessions::text[]')},
   ${RENEW_RECORD_OF_CARD}, ${closeDeletion(CHANGED_CARDS)}, chosen as (
     update sessions set card_id = card.id, entry_id = null, proven_card_id = card.id,
       proof = case when ${BY_CODE} then proof else 'entered' end,
       proof_seal = case when ${BY_CODE} then proof_seal else $proofSeal::bytea end
     ${OF_SESSION} returning sessions.id
   ), ${late('entered')}
   select ${KEPT_COLUMNS} from ${RENEWED_CARD_AFTER}`,
  KEPT,
)

/** The network sent a code for this entry: the card is chosen and waits for it, also one that is active already. */
export const updateAwaited = one(
  'sessions.update_awaited',
  `with ${LOCKED_SESSION}, ${endTry('session')}, ${LOCKED_CARD}, ${AWAITED_CARD}, chosen as (
     update sessions set card_id = card.id, entry_id = $entryId, entry_once = $onceSessions::text[] is not null
     ${OF_SESSION} returning sessions.id
   )
   select ${KEPT_COLUMNS} from ${CARD_AFTER}`,
  KEPT,
)

/** What was chosen with the entry that waits for its code; of a session that is over nothing is known, and the card stays as it is. */
const ONCE_CHOSEN = `(case when exists (select 1 from session)
       then (select case when entry_once then array[$sessionId::text] end from session) else cards.once_sessions end)` as const

/**
 * The code of this very entry was right: the card is active, and proven in the session. Not chosen: another card or entry
 * was begun there meanwhile, or the session is over.
 */
export const updateVerified = one(
  'sessions.update_verified',
  `with ${LOCKED_SESSION}, ${endTry('session')}, ${LOCKED_CARD}, ${acceptedCard(ONCE_CHOSEN)}, ${provenCard(ONCE_CHOSEN)},
   ${closeDeletion(CHANGED_CARDS)}, chosen as (
     update sessions set proven_card_id = card.id, proof = 'code', proof_seal = $proofSeal, entry_id = null
     ${OF_SESSION} and sessions.card_id = card.id and sessions.entry_id = $entryId returning sessions.id
   ), ${late('code')}
   select ${KEPT_COLUMNS} from ${RENEWED_CARD_AFTER}`,
  KEPT,
)
