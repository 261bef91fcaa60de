import {
  ACCEPTED_CARD,
  AWAITED_CARD,
  CARD,
  CARD_AFTER,
  ENTERED,
  ENTERED_CARD,
  ENTERED_COLUMNS,
  LOCKED_CARD,
  OF_NUMBER,
  openDeletion as openedDeletion,
  PROVEN_CARD,
  RENEWED_CARD,
  REVIVED_CARD,
  VERIFIED_CARD,
} from '../cards/fragments.ts'
import { bool, text } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { BEGIN_TRY, endTry as endedTry } from '../enrollment/fragments.ts'
import { INSERT_RECORD_OF_CARD } from '../vault/fragments.ts'

// What the entry of a card writes. Card and session change in one statement: two would be one more wait each, and between
// them lay a card that no session had chosen. What few entries write besides is a statement of its own, sent together with it. Locks:
// session, enrollment, card, its work or record; last a session that has ended (`updateLate`).

/** The session, while a card may be entered in it, and which cards its merchant accepts. */
const OPEN = `open as (
     select card_countries, card_issuers from sessions join merchants on merchants.id = sessions.merchant_id
     where sessions.merchant_id = $merchantId and sessions.id = $sessionId and customer_id = $customerId and closed_at is null
       and expires_at > $at and merchants.status = 'active'
   )` as const

/**
 * The customer's card of a number, and the vault record of a new one: one that is not inserted leaves no record.
 * None: the session is not open.
 */
export const insertCard = one(
  'sessions.insert_entered_card',
  `with ${OPEN}, ${ENTERED_CARD}, ${INSERT_RECORD_OF_CARD} select ${ENTERED_COLUMNS}`,
  ENTERED,
)

/** A card that was deleted begins anew, with a vault record. None: it has, or the session is not open. */
export const reviveCard = one(
  'sessions.revive_entered_card',
  `with ${OPEN}, ${REVIVED_CARD}, ${INSERT_RECORD_OF_CARD} select ${ENTERED_COLUMNS}`,
  ENTERED,
)

const OF_SESSION = 'cards.id = $cardId and $sessionId = any (cards.once_sessions)'
/** With the entry of a card that is for its session alone. */
export const openDeletion = one('sessions.open_deletion', openedDeletion(OF_NUMBER), { id: text })
/** With what the network said of it, which may have made the card one of those. */
export const openDeletionAfter = one('sessions.open_deletion_after', openedDeletion(OF_SESSION), { id: text })

/** Before an entry in an enrollment. */
export const beginTry = execute('sessions.begin_try', `with ${OPEN} ${BEGIN_TRY} and exists (select 1 from open)`)

const LOCKED_SESSION = `session as (
     select id, entry_once from sessions
     where merchant_id = $merchantId and id = $sessionId and closed_at is null and expires_at > $at
     for update
   )` as const

/** Before what the network said of such an entry is written. */
export const endTry = execute(
  'sessions.end_try',
  `with ${LOCKED_SESSION} ${endedTry('null')} and exists (select 1 from session)`,
)

/** CTE `chosen`: the session, if it is open, gets the row of `cte`. */
const chosen = <const Cte extends string, const Set extends string, const Condition extends string>(
  cte: Cte,
  set: Set,
  condition: Condition,
) =>
  `chosen as (
     update sessions set ${set}
     from ${cte} card
     where sessions.merchant_id = $merchantId and sessions.id = (select id from session)${condition}
     returning sessions.id
   )` as const
const KEPT = { ...CARD, isChosen: bool }
/** The end of a statement that returns `KEPT`: the card is of `card`, SQL. */
const keptOf = <const From extends string>(card: From) =>
  `select card.*, exists (select 1 from chosen) as is_chosen from ${card} card` as const

/** An entry was accepted: its card is chosen, and proven. */
const ENTERED_NOW = 'card_id = card.id, entry_id = null, proven_card_id = card.id' as const
/** The same by the code of one entry, unless another card or entry was begun there meanwhile. */
const chosenByCode = chosen(
  'changed',
  `proven_card_id = card.id, proof = 'code', proof_seal = $proofSeal, entry_id = null`,
  ' and sessions.card_id = card.id and sessions.entry_id = $entryId',
)

// What an entry came to at the network. None: the card has ended, or is not in that state. Not chosen: the session is over, or its
// cardholder has gone on there to something else.

/** It accepted the entry of a card that waited for that. */
export const updateAccepted = one(
  'sessions.update_accepted',
  `with ${LOCKED_SESSION}, ${ACCEPTED_CARD},
   ${chosen('changed', `${ENTERED_NOW}, proof = 'entered', proof_seal = $proofSeal`, '')}
   ${keptOf('changed')}`,
  KEPT,
)

/** A condition: the card was proven by a code before, and stays so. */
const BY_CODE = `proven_card_id = card.id and proof = 'code'`

/** It accepted the entry of a card that is active already: card and vault have the expiry that was entered from now on. */
export const updateRenewed = one(
  'sessions.update_renewed',
  `with ${LOCKED_SESSION}, ${RENEWED_CARD},
   ${chosen(
     'changed',
     `${ENTERED_NOW}, proof = case when ${BY_CODE} then proof else 'entered' end,
       proof_seal = case when ${BY_CODE} then proof_seal else $proofSeal::bytea end`,
     '',
   )}
   ${keptOf('changed')}`,
  KEPT,
)

/** It sent a code for this entry: the card is chosen and waits for it, also one that is active already. */
export const updateAwaited = one(
  'sessions.update_awaited',
  `with ${LOCKED_SESSION}, ${LOCKED_CARD}, ${AWAITED_CARD},
   ${chosen('card', 'card_id = card.id, entry_id = $entryId, entry_once = $onceSessions::text[] is not null', '')}
   ${keptOf(CARD_AFTER)}`,
  KEPT,
)

/** The code of this very entry was right, of a card that waited for it. */
export const updateVerified = one(
  'sessions.update_verified',
  `with ${LOCKED_SESSION}, ${VERIFIED_CARD}, ${chosenByCode} ${keptOf('changed')}`,
  KEPT,
)

/** The same of a card that is active already. */
export const updateProven = one(
  'sessions.update_proven',
  `with ${LOCKED_SESSION}, ${PROVEN_CARD}, ${chosenByCode} ${keptOf('changed')}`,
  KEPT,
)

/**
 * The enrollment has ended while the network was asked, and the card is saved all the same: so its status says. With what the network said
 * of an entry in an enrollment. An ended session is locked by no caller that waits for the card.
 */
export const updateLate = execute(
  'sessions.update_late',
  `update sessions set proven_card_id = card.id, proof = $proof, proof_seal = $proofSeal
   from cards card
   where sessions.merchant_id = $merchantId and sessions.id = $sessionId and sessions.kind = 'enrollment'
     and (closed_at is not null or expires_at <= $at) and proven_card_id is null
     and card.merchant_id = $merchantId and card.id = $cardId and card.enrolment = $enrolment and card.status = 'active'
     and card.ending_reason is null`,
)
