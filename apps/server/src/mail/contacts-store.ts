import { CONTACT_ROLES } from '@mintmark/contract'
import { bytes, columns, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'

const CONTACT = {
  id: text,
  email: text,
  role: oneOf(CONTACT_ROLES),
  verifiedAt: nullable(time),
  /** Until when the last link opens. */
  linkEndsAt: time,
  createdAt: time,
}
/** A contact as an operator reads it. */
export type Contact = RowOf<typeof CONTACT>
const SEALED = { ...CONTACT, merchantId: text, seal: nullable(bytes) }

// The comparison with the id changes no result: with it the rows are read by a part of the key that has a bound.
const ANY_ID = "id >= 'ctc_'"

/**
 * None: the address is a contact already, or there are as many as may be. Where two operators add the last one at the same
 * moment, both may succeed, which costs a mail.
 */
export const insertContact = one(
  'contacts.insert',
  `insert into contacts (merchant_id, id, email, role, link_id, link_hash, link_made_at, link_ends_at, created_at, seal)
   select $merchantId, $id, $email, $role, $linkId, $linkHash, $at::timestamptz, $linkEndsAt, $at, $seal
   where (select count(*) from contacts where merchant_id = $merchantId and ${ANY_ID}) < $most
   on conflict (merchant_id, id) do nothing
   returning ${columns(CONTACT)}`,
  CONTACT,
)

export const listContacts = many(
  'contacts.list',
  `select ${columns(SEALED)} from contacts where merchant_id = $merchantId and ${ANY_ID} order by id`,
  SEALED,
)

export const findContact = one(
  'contacts.find',
  `select ${columns(SEALED)} from contacts where merchant_id = $merchantId and id = $id`,
  SEALED,
)

/** Those who are told of incidents. */
export const listVerified = many(
  'contacts.list_verified',
  `select id from contacts where merchant_id = $merchantId and ${ANY_ID} and verified_at is not null order by id`,
  { id: text },
)

/** Zero rows: no such contact. */
export const deleteContact = execute(
  'contacts.delete',
  'delete from contacts where merchant_id = $merchantId and id = $id',
)

/** Another link in place of the last one, which opens nothing from now on. None: it was verified, or the last link is too young. */
export const updateLink = one(
  'contacts.update_link',
  `update contacts set link_id = $linkId, link_hash = $linkHash, link_made_at = $at, link_ends_at = $linkEndsAt
   where merchant_id = $merchantId and id = $id and verified_at is null and link_made_at <= $madeBefore
   returning ${columns(CONTACT)}`,
  CONTACT,
)

const LINKED = { ...SEALED, linkId: text }
/** The contact whose link a token opens or opened. */
export const findByLink = one(
  'contacts.find_by_link',
  `select ${columns(LINKED)} from contacts where merchant_id = $merchantId and id = $id and link_hash = $linkHash`,
  LINKED,
)

/** The address is its owner's. However often the link is opened, one opening has a row. */
export const updateVerified = one(
  'contacts.update_verified',
  `update contacts set verified_at = $at, seal = $seal
   where merchant_id = $merchantId and id = $id and link_hash = $linkHash and verified_at is null and link_ends_at > $at
   returning link_hash`,
  { linkHash: bytes },
)
