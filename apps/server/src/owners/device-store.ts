import { KEEP_EVIDENCE, NOT_APPROVED } from '../approvals/fragments.ts'
import { bytes, columns, nullable, text, time } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { lockSigning, storeBeside, USE_PASSKEY } from '../passkeys/fragments.ts'
import { openSession } from './store.ts'

// Another device of an owner: one shows a code, the other one types it, the first one signs, the other one makes a
// passkey. Each step has one winner: it is an UPDATE of the row as the step before has left it.

const DEVICE = {
  id: text,
  customerId: text,
  endsAt: time,
  visit: nullable(text),
  browser: nullable(text),
  system: nullable(text),
  place: nullable(text),
  typedAt: nullable(time),
  allowedAt: nullable(time),
  refusedAt: nullable(time),
  usedAt: nullable(time),
  seal: nullable(bytes),
}

/** One that is to be let in, in place of the one that was: an owner lets in one at a time (unique index). */
export const upsertDevice = execute(
  'owners.ask_device',
  `insert into owner_devices (merchant_id, id, customer_id, code_hash, made_at, ends_at)
   values ($merchantId, $deviceId, $customerId, $codeHash, $at, $endsAt)
   on conflict (merchant_id, customer_id) do update set id = excluded.id, code_hash = excluded.code_hash,
     made_at = excluded.made_at, ends_at = excluded.ends_at, visit = null, browser = null, system = null, place = null,
     typed_at = null, allowed_at = null, seal = null, refused_at = null, used_at = null`,
)

/** The code is typed, once. None: no device shows it, it is over, or another device was faster. */
export const updateTyped = one(
  'owners.join_device',
  `update owner_devices set visit = $visit, browser = $browser, system = $system, place = $place, typed_at = $at, ends_at = $endsAt
   where merchant_id = $merchantId and code_hash = $codeHash and typed_at is null and refused_at is null and ends_at > $at
   returning id`,
  { id: text },
)

/** One of an owner. */
export const findDevice = one(
  'owners.find_device',
  `select ${columns(DEVICE)} from owner_devices
   where merchant_id = $merchantId and id = $deviceId and customer_id = $customerId`,
  DEVICE,
)

/** By its own word for itself. */
export const findVisiting = one(
  'owners.find_visiting_device',
  `select ${columns(DEVICE)} from owner_devices where merchant_id = $merchantId and visit = $visit`,
  DEVICE,
)

/** Its owner has signed that the device that they were shown is let in. None: it is over, or the passkey was used. */
export const updateAllowed = one(
  'owners.allow_device',
  `with awaiting as materialized (
     select id from owner_devices
     where merchant_id = $merchantId and id = $deviceId and customer_id = $customerId and visit = $visit and allowed_at is null
       and refused_at is null and ends_at > $at
     for no key update
   ), ${lockSigning('exists (select 1 from awaiting)')}, agreed as materialized (
     select awaiting.id from awaiting, signing where ${NOT_APPROVED}
   ), ${USE_PASSKEY}, ${KEEP_EVIDENCE}
   update owner_devices set allowed_at = $at, seal = $deviceSeal::bytea
   where merchant_id = $merchantId and id = (select id from agreed)
   returning id`,
  { id: text },
)

/** Not this one, until it has a passkey. None: it has one, or is over. */
export const updateRefused = one(
  'owners.refuse_device',
  `update owner_devices set refused_at = $at
   where merchant_id = $merchantId and id = $deviceId and customer_id = $customerId and used_at is null and refused_at is null
   returning id`,
  { id: text },
)

/**
 * The passkey of a device that was allowed, beside those that there are, and a session. If two are made for one place,
 * the unique index lets one in. None: it was refused meanwhile, is over, there are ten, or the passkey that allowed it
 * has ended. That one is locked: a device is let in before it ends, or not at all. Locks: device, passkey.
 */
export const insertPasskey = one(
  'owners.register_device',
  `with waiting as materialized (
     select id from owner_devices
     where merchant_id = $merchantId and id = $deviceId and customer_id = $customerId and allowed_at is not null
       and refused_at is null and used_at is null and ends_at > $at
     for no key update
   ), allowing as materialized (
     select id from passkeys
     where merchant_id = $merchantId and customer_id = $customerId and retired_at is null and flagged_at is null
       and id = (select passkey_id from approvals
         where merchant_id = $merchantId and subject_type = 'owner_device' and subject_id = (select id from waiting))
     for no key update
   ), device as (
     update owner_devices set used_at = $at
     where merchant_id = $merchantId and id = (select id from waiting) and exists (select 1 from allowing)
     returning id
   ), ${storeBeside('device')}, shown as (
     insert into owner_passkeys (merchant_id, passkey_id, customer_id, browser, system)
     select $merchantId, id, $customerId, $browser, $system from stored
   ), ${openSession('stored')}
   select replaces from stored`,
  { replaces: nullable(text) },
)

/** Those that are over. */
export const deleteOverDevices = execute(
  'owners.delete_devices',
  `delete from owner_devices where merchant_id = $merchantId and id = any (array(
     select id from owner_devices where merchant_id = $merchantId and ends_at <= $at order by ends_at limit $limit))`,
)
