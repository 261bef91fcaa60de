import { CARD, giveCard } from '../cards/fragments.ts'
import { bool, bytes, columns, int, nullable, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { tellOfRecovery, USE_VISIT } from '../mail/fragments.ts'
import { livePasskeys, storeInPlaceOf } from '../passkeys/fragments.ts'
import { openSession } from './store.ts'

// The recovery of an owner: the address is proven, then a card, then it waits a day, then a passkey is made. Each step
// has one winner: it is an UPDATE of the row as the step before has left it. Locks: recovery, passkeys, card.

const RECOVERY = {
  id: text,
  customerId: text,
  wordHash: bytes,
  browser: nullable(text),
  system: nullable(text),
  place: text,
  askedAt: time,
  endsAt: time,
  cardId: nullable(text),
  cardEnrolment: nullable(int),
  entryId: nullable(text),
  provenAt: nullable(time),
  waitsUntil: nullable(time),
  seal: nullable(bytes),
  stoppedAt: nullable(time),
  usedAt: nullable(time),
}

/** A recovery of the visit that has proven the address, which is used up. None: it was, or is over. */
export const insertRecovery = one(
  'owners.start_recovery',
  `with ${USE_VISIT}
   insert into owner_recoveries (merchant_id, id, customer_id, word_hash, browser, system, place, asked_at, ends_at)
   select $merchantId, $recoveryId, $customerId, $wordHash, $browser, $system, $place, $at, $endsAt from visited
   returning id`,
  { id: text },
)

export const findByWord = one(
  'owners.find_recovery_by_word',
  `select ${columns(RECOVERY)} from owner_recoveries where merchant_id = $merchantId and word_hash = $wordHash`,
  RECOVERY,
)

export const findById = one(
  'owners.find_recovery',
  `select ${columns(RECOVERY)} from owner_recoveries where merchant_id = $merchantId and id = $recoveryId`,
  RECOVERY,
)

/**
 * The cards by which an owner is known: kept and active ones whose number was typed, and with which a passkey of theirs
 * has approved. A card that whoever had the link of an agent has entered is none.
 */
export const listProvable = many(
  'owners.list_provable_cards',
  `select ${columns(CARD)} from cards
   where merchant_id = $merchantId and customer_id = $customerId and status = 'active' and once_sessions is null
     and ending_reason is null and vault_record_id is not null and passkey_id in (${livePasskeys('$customerId')})
   order by is_default desc, created_at desc, id limit 50`,
  CARD,
)

/** What has stopped a recovery: a device, the link of a mail, its own browser, or a later one of the same owner. */
export const STOPPED_BY = ['device', 'mail', 'itself', 'later'] as const

/** A condition: no card is proven yet, and there is time for it. */
const UNPROVEN = 'proven_at is null and stopped_at is null and ends_at > $at'

/**
 * Takes one of the tries that an owner has in a day, whoever makes them: counted in the row that all write, before the
 * network is asked. None: the recovery is over. Not taken: there is no try left.
 */
export const takeTry = one(
  'owners.take_recovery_try',
  `with going as (
     select id, customer_id from owner_recoveries where merchant_id = $merchantId and id = $recoveryId and ${UNPROVEN}
   ), tried as (
     insert into owner_recovery_tries (merchant_id, customer_id, since, tried)
     select $merchantId, customer_id, $at::timestamptz, 1 from going
     on conflict (merchant_id, customer_id) do update set
       since = case when owner_recovery_tries.since <= $since then excluded.since else owner_recovery_tries.since end,
       tried = case when owner_recovery_tries.since <= $since then 1 else owner_recovery_tries.tried + 1 end
       where owner_recovery_tries.since <= $since or owner_recovery_tries.tried < $most
     returning customer_id
   )
   select exists (select 1 from tried) as is_taken from going`,
  { isTaken: bool },
)

/** CTE `card`: the card that is entered, while it is active. */
const ACTIVE_CARD = `card as (
     select * from cards
     where merchant_id = $merchantId and id = $cardId and customer_id = $customerId and enrolment = $enrolment and status = 'active'
       and ending_reason is null
   )` as const
const KEPT_COLUMNS = `${columns(CARD, 'card')}, exists (select 1 from chosen) as is_chosen` as const
const KEPT = { ...CARD, isChosen: bool }

/** The network has sent a code for this entry. None: the card has ended. Not chosen: the recovery has. */
export const updateAwaited = one(
  'owners.await_recovery_code',
  `with ${ACTIVE_CARD}, chosen as (
     update owner_recoveries set card_id = $cardId, card_enrolment = $enrolment, entry_id = $entryId
     where merchant_id = $merchantId and id = $recoveryId and ${UNPROVEN} and exists (select 1 from card)
     returning id
   )
   select ${KEPT_COLUMNS} from card`,
  KEPT,
)

/**
 * The code of this very entry was right: from now on the recovery waits, in place of an earlier one of the same owner,
 * and its owner is told. The earlier one ends before this one is written: the unique index looks at each row then.
 */
export const updateProven = one(
  'owners.prove_recovery',
  `with ${ACTIVE_CARD}, proving as materialized (
     select id from owner_recoveries
     where merchant_id = $merchantId and id = $recoveryId and card_id = $cardId and entry_id = $entryId and ${UNPROVEN}
       and exists (select 1 from card)
     for no key update
   ), earlier as (
     update owner_recoveries set stopped_at = $at, stopped_by = 'later', ends_at = $endsAt::timestamptz
     where merchant_id = $merchantId and customer_id = $customerId and proven_at is not null and stopped_at is null
       and used_at is null and exists (select 1 from proving)
     returning id
   ), chosen as (
     update owner_recoveries set proven_at = $at, waits_until = $waitsUntil, ends_at = $endsAt, entry_id = null, seal = $recoverySeal::bytea
     where merchant_id = $merchantId and id = (select id from proving) and (select count(*) from earlier) >= 0
     returning id
   ), ${tellOfRecovery('chosen', 'recovery_begun')}
   select ${KEPT_COLUMNS} from card`,
  KEPT,
)

/** The index that lets one recovery of an owner wait. */
export const ONE_WAITING_CONSTRAINT = 'owner_recoveries_waiting_key'

/** The one that waits, which every device of the owner sees. */
export const findWaiting = one(
  'owners.find_waiting_recovery',
  `select ${columns(RECOVERY)} from owner_recoveries
   where merchant_id = $merchantId and customer_id = $customerId and proven_at is not null and stopped_at is null
     and used_at is null and ends_at > $at`,
  RECOVERY,
)

/** When the owner was recovered last, if that is kept. */
export const findRecovered = one(
  'owners.find_recovered',
  `select max(used_at) as used_at from owner_recoveries
   where merchant_id = $merchantId and customer_id = $customerId and used_at is not null`,
  { usedAt: nullable(time) },
)

/** It is stopped, and its owner is told. None: it was stopped before, has come to its end, or is over. */
export const updateStopped = one(
  'owners.stop_recovery',
  `with stopped as (
     update owner_recoveries set stopped_at = $at, stopped_by = $by, ends_at = $keptUntil::timestamptz
     where merchant_id = $merchantId and id = $recoveryId and customer_id = $customerId and proven_at is not null
       and stopped_at is null and used_at is null and ends_at > $at
     returning id
   ), ${tellOfRecovery('stopped', 'recovery_stopped')}
   select id from stopped`,
  { id: text },
)

/**
 * The passkey of a recovery that is due, in place of all that there were, and a session. The card that was proven is
 * still active, and belongs to it. None: it was stopped, is not due, or is over. One of a stop and this happens: both
 * lock the recovery, and look again at what has become of it.
 */
export const insertPasskey = one(
  'owners.recover',
  `with due as materialized (
     select id, card_id from owner_recoveries
     where merchant_id = $merchantId and id = $recoveryId and customer_id = $customerId and waits_until <= $at and stopped_at is null
       and used_at is null and ends_at > $at
       and exists (
         select 1 from cards
         where merchant_id = $merchantId and id = owner_recoveries.card_id and customer_id = $customerId
           and enrolment = owner_recoveries.card_enrolment and status = 'active' and ending_reason is null)
     for no key update
   ), recovered as (
     update owner_recoveries set used_at = $at, ends_at = $keptUntil::timestamptz
     where merchant_id = $merchantId and id = (select id from due)
     returning id
   ), ${storeInPlaceOf('recovered')}, ${giveCard('exists (select 1 from stored)', '(select card_id from due)')}, shown as (
     insert into owner_passkeys (merchant_id, passkey_id, customer_id, browser, system)
     select $merchantId, id, $customerId, $browser, $system from stored
   ), ${openSession('stored')}, ${tellOfRecovery('stored', 'recovery_done')}
   select replaces from stored`,
  { replaces: nullable(text) },
)

/** Those that are over or long past, and counts that say nothing any more. */
export const deleteOverRecoveries = execute(
  'owners.delete_recoveries',
  `with counted as (
     delete from owner_recovery_tries where merchant_id = $merchantId and customer_id = any (array(
       select customer_id from owner_recovery_tries where merchant_id = $merchantId and since <= $since order by since limit $limit))
   )
   delete from owner_recoveries where merchant_id = $merchantId and id = any (array(
     select id from owner_recoveries where merchant_id = $merchantId and ends_at <= $at order by ends_at limit $limit))`,
)
