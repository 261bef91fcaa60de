import {
  AWAITED_CARD,
  CARD_AFTER,
  CHANGED_CARDS,
  type Chosen,
  firstAccepted,
  LOCKED_CARD,
  onceAfter,
  provenCard,
  RENEWED_CARD_AFTER,
  renewedCard,
} from '../../cards/accept-fragments.ts'
import {
  acceptedCard,
  CARD,
  closeDeletion,
  ENTERED,
  NEW_CARD,
  OPEN_DELETION,
  REVIVED_CARD,
} from '../../cards/fragments.ts'
import { bool, columns } from '../../db/row.ts'
import { one, type Queryable } from '../../db/statement.ts'
import { END_TRY, startTry } from '../../enrollment/fragments.ts'
import { INSERT_RECORD_OF_CARD, RENEW_RECORD_OF_CARD } from '../../vault/fragments.ts'
import { IN_CHARGE, IN_ENROLLMENT, IN_MANDATE, inBoth, inEach, type SessionRow } from '../fragments.ts'
import { rowOf, type TokenKind } from '../ref.ts'

// What the entry of a card writes. Card and session change in one statement: two would be one more wait each, and
// between them lay a card that no session had chosen. Locks: session, card.

/** CTE `open`: the session, while a card may be entered in it, and which cards its merchant accepts. */
const openIn = ({ table, place }: SessionRow) =>
  `open as (
     select own.id, expires_at, card_countries, card_issuers
     from (select id, expires_at from ${table} where ${place} and customer_id = $customerId and closed_at is null) own
     join merchants m on m.id = $merchantId
     where expires_at > $at and m.status = 'active'
   )` as const
const ENTERED_THERE = `select card.*, card_countries, card_issuers from card, open` as const

/**
 * The customer's card of a number, and the vault record of a new one: one that is not inserted leaves no record.
 * None: the session is not open.
 */
const insertKept = inBoth((row) =>
  one(
    `${row.feature}.insert_entered_card`,
    `with ${openIn(row)}, ${NEW_CARD}, ${INSERT_RECORD_OF_CARD} ${ENTERED_THERE}`,
    ENTERED,
  ),
)
/** The same of a card that is for this purchase alone: its deletion is due when that ends. */
const insertOnce = one(
  'payments.insert_card_once',
  `with ${openIn(IN_CHARGE)}, ${NEW_CARD}, ${INSERT_RECORD_OF_CARD}, ${OPEN_DELETION} ${ENTERED_THERE}`,
  ENTERED,
)
/** The same in an enrollment: a try of it is in hand. */
const insertEnrolled = one(
  'enrollments.insert_entered_card',
  `with ${openIn(IN_ENROLLMENT)}, ${startTry('open')}, ${NEW_CARD}, ${INSERT_RECORD_OF_CARD} ${ENTERED_THERE}`,
  ENTERED,
)
/** A card that was deleted begins anew. None: another entry was first. */
const reviveCard = inEach((row) =>
  one(
    `${row.feature}.revive_card`,
    `with ${openIn(row)}, ${REVIVED_CARD}, ${INSERT_RECORD_OF_CARD}, ${OPEN_DELETION} ${ENTERED_THERE}`,
    ENTERED,
  ),
)

type NewEntry = Parameters<typeof insertOnce>[1] & Parameters<typeof insertEnrolled>[1] & TokenKind

/** The customer's card of a number. None: the session is not open. */
export async function insertCard(on: Queryable, entry: NewEntry) {
  const row = rowOf(entry)
  const keep = row === 'enrollment' ? insertEnrolled : insertKept[row]
  const card = await (entry.onceSessions === null ? keep : insertOnce)(on, entry)
  if (card?.status !== 'deleted') return card
  return (await reviveCard[row](on, entry)) ?? card
}

/** CTE `session`: the session, locked, while it is open. */
const lockedIn = <const Columns extends string>({ table, place }: SessionRow, columns: Columns) =>
  `session as (
     select ${columns} from ${table}
     where ${place} and closed_at is null and expires_at > $at
     for update
   )` as const
const OF_SESSION = `from card
     where s.merchant_id = $merchantId and s.id = (select id from session)`

/** A part of SET: the try of an enrollment has come to what it should. */
const tryEnded = ({ name }: SessionRow) => (name === 'enrollment' ? (`, ${END_TRY}` as const) : '')

/** CTE `chosen`: `set` says what the open session has from now on, if `condition` holds. */
const choose = <const Set extends string, const Condition extends string>(
  row: SessionRow,
  set: Set,
  condition: Condition,
) =>
  `chosen as (
     update ${row.table} s set ${set}${tryEnded(row)}
     ${OF_SESSION}${condition} returning s.id
   )` as const

/**
 * CTE `late`: the enrollment has ended while the network was asked, and the card is saved all the same: so its status
 * says. No caller that waits for the card locks an ended session. Other sessions have none.
 */
const lateIn = <const Proof extends string>({ name, table }: SessionRow, proof: Proof) =>
  name === 'enrollment'
    ? (`, late as (
     update ${table} s set proven_card_id = card.id, proof = '${proof}', proof_seal = $proofSeal
     from card
     where s.merchant_id = $merchantId and s.id = $sessionId and proven_card_id is null
       and not exists (select 1 from session)
   )` as const)
    : ''
const KEPT_COLUMNS = `${columns(CARD)}, exists (select 1 from chosen) as is_chosen` as const
const KEPT = { ...CARD, isChosen: bool }

/** A condition: the card was proven by a code before. */
const BY_CODE = "proven_card_id = card.id and proof = 'code'"

/**
 * The network accepted the entry that made the card, which is kept: it is active, and chosen and proven in the session.
 * None: something else is to be looked at, and `updateAccepted` does.
 */
const acceptNew = inBoth((row) =>
  one(
    `${row.feature}.accept_card`,
    `with session as (
     select id from ${row.table}
     where ${row.place} and closed_at is null and expires_at > $at and proven_card_id is distinct from $cardId
     for no key update
   ), ${firstAccepted('exists (select 1 from session)')}
   update ${row.table} s set card_id = card.id, entry_id = null, proven_card_id = card.id, proof = 'entered', proof_seal = $proofSeal
   ${OF_SESSION}
   returning ${columns(CARD, 'card')}, true as is_chosen`,
    KEPT,
  ),
)

/** What was entered in a purchase may be for it alone; what a setup or an enrollment is about is kept. */
const ENTERED_FOR = {
  once: '$onceSessions::text[]',
  onceAfter: onceAfter('$onceSessions::text[]'),
  keeping: '$keeping::text',
} as const
const ENTERED_TO_KEEP = { ...ENTERED_FOR, once: 'null', onceAfter: 'null' } as const

const acceptIn = <const Once extends string, const After extends string>(
  row: SessionRow,
  chosen: Chosen<Once, After, '$keeping::text'>,
) =>
  one(
    `${row.feature}.update_accepted`,
    `with ${lockedIn(row, 'id')}, ${LOCKED_CARD}, ${acceptedCard(chosen.once, chosen.keeping)}, ${renewedCard(chosen)},
   ${RENEW_RECORD_OF_CARD}, ${closeDeletion(CHANGED_CARDS)}, ${choose(
     row,
     `card_id = card.id, entry_id = null, proven_card_id = card.id,
       proof = case when ${BY_CODE} then proof else 'entered' end,
       proof_seal = case when ${BY_CODE} then proof_seal else $proofSeal::bytea end`,
     '',
   )}${lateIn(row, 'entered')}
   select ${KEPT_COLUMNS} from ${RENEWED_CARD_AFTER}`,
    KEPT,
  )
const updateAnyAccepted = {
  charge: acceptIn(IN_CHARGE, ENTERED_FOR),
  mandate: acceptIn(IN_MANDATE, ENTERED_TO_KEEP),
  enrollment: acceptIn(IN_ENROLLMENT, ENTERED_TO_KEEP),
}

type Accepted = Parameters<typeof updateAnyAccepted.charge>[1] & TokenKind & { isNew: boolean }

/**
 * The network accepted the entry: the card is active with the expiry that was entered, in the vault as well, and chosen
 * and proven in the session. A card that was proven there by a code stays so. None: the card has ended. Not chosen: the
 * session has.
 */
export async function updateAccepted(on: Queryable, accepted: Accepted) {
  const { isNew, onceSessions } = accepted
  const row = rowOf(accepted)
  const isCommon = isNew && onceSessions === null && row !== 'enrollment'
  const kept = isCommon ? await acceptNew[row](on, accepted) : undefined
  return kept ?? updateAnyAccepted[row](on, accepted)
}

/** The network sent a code for this entry: the card is chosen and waits for it, also one that is active already. */
export const updateAwaited = inEach((row) =>
  one(
    `${row.feature}.update_awaited`,
    `with ${lockedIn(row, 'id')}, ${LOCKED_CARD}, ${AWAITED_CARD}, ${choose(
      row,
      `card_id = card.id, entry_id = $entryId, entry_once = $onceSessions::text[] is not null,
       entry_keeping = $keeping, code_sent_at = $at, entry_new_codes = 0`,
      '',
    )}
   select ${KEPT_COLUMNS} from ${CARD_AFTER}`,
    KEPT,
  ),
)

/** What was said and answered with this very entry; the card has that of its last one. */
const KEEPING_CHOSEN = '(select entry_keeping from session where entry_id = $entryId)'

/**
 * What was chosen with the entry that waits for its code; of a session that is over nothing is known, and the card
 * stays as it is.
 */
const ONCE_CHOSEN = `(case when exists (select 1 from session)
       then (select case when entry_once then array[$sessionId::text] end from session) else cards.once_sessions end)` as const
const CHOSEN_FOR = { once: ONCE_CHOSEN, onceAfter: onceAfter(ONCE_CHOSEN), keeping: KEEPING_CHOSEN } as const

/** The same where it was to be kept: CTE `before` has what stays, and no row where nothing does. */
const BEFORE = `, before as (
     select once_sessions as once from card where not exists (select 1 from session)
   )` as const
const ONCE_BEFORE = '(select once from before)'
const CHOSEN_TO_KEEP = { once: ONCE_BEFORE, onceAfter: ONCE_BEFORE, keeping: KEEPING_CHOSEN } as const

const verifyIn = <const Before extends string, const Once extends string, const After extends string>(
  row: SessionRow,
  before: Before,
  chosen: Chosen<Once, After, typeof KEEPING_CHOSEN>,
) =>
  one(
    `${row.feature}.update_verified`,
    `with ${lockedIn(row, 'id, entry_once, entry_id, entry_keeping')}, ${LOCKED_CARD}${before},
   ${acceptedCard(chosen.once, `coalesce(${chosen.keeping}, cards.keeping)`)}, ${provenCard(chosen)},
   ${closeDeletion(CHANGED_CARDS)}, ${choose(
     row,
     "proven_card_id = card.id, proof = 'code', proof_seal = $proofSeal, entry_id = null",
     ' and s.card_id = card.id and s.entry_id = $entryId',
   )}${lateIn(row, 'code')}
   select ${KEPT_COLUMNS} from ${RENEWED_CARD_AFTER}`,
    KEPT,
  )
/**
 * The code of this very entry was right: the card is active, and proven in the session. Not chosen: another card or
 * entry was begun there meanwhile, or the session is over.
 */
export const updateVerified = {
  charge: verifyIn(IN_CHARGE, '', CHOSEN_FOR),
  mandate: verifyIn(IN_MANDATE, BEFORE, CHOSEN_TO_KEEP),
  enrollment: verifyIn(IN_ENROLLMENT, BEFORE, CHOSEN_TO_KEEP),
}
