import { CONTACT_ROLES } from '@mintmark/contract'
import { bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { closeWork, IS_HELD, openWork, workOf } from '../jobs/fragments.ts'
import { dueWork } from '../jobs/work.ts'
import { originList } from '../platform/states.ts'
import type { AskedFacts } from './owner-words.ts'
import { MAIL_KINDS, MAIL_REASONS, MAIL_TRANSITIONS } from './states.ts'
import type { IncidentFacts } from './words.ts'

// The outbox. Work on a mail is open from its cause to its end, and what is written about a try carries the fence of the claim.
// Locks: open work, mail.

export const SEND_JOB = 'mail.send'

/** What the text of a mail is made of. */
export type Facts = { linkId: string } | { codeId: string } | IncidentFacts | AskedFacts

const MAIL = {
  kind: oneOf(MAIL_KINDS),
  contactId: nullable(text),
  customerId: nullable(text),
  facts: json<Facts>(),
  unsure: int,
  reason: nullable(oneOf(MAIL_REASONS)),
  replyCode: nullable(int),
  createdAt: time,
  endsAt: time,
}
const RECIPIENT = {
  email: nullable(text),
  role: nullable(oneOf(CONTACT_ROLES)),
  verifiedAt: nullable(time),
  linkId: nullable(text),
  linkEndsAt: nullable(time),
  contactSeal: nullable(bytes),
  ownerEmail: nullable(text),
  ownerVerifiedAt: nullable(time),
  ownerCodeId: nullable(text),
  ownerSeal: nullable(bytes),
  isAsked: bool,
  merchantName: text,
}

/** A mail with whom it goes to; no address: the contact is gone. */
export const mailWork = dueWork('mail', 'mail', {
  job: SEND_JOB,
  shape: { ...MAIL, ...RECIPIENT },
  list: `${columns(MAIL, 'mail')}, contact.email, contact.role, contact.verified_at, contact.link_id, contact.link_ends_at, contact.seal as contact_seal,
     owner.email as owner_email, owner.verified_at as owner_verified_at, owner.code_id as owner_code_id, owner.seal as owner_seal,
     exists (select 1 from escalations where merchant_id = $merchantId and id = mail.escalation_id and status = 'pending') as is_asked,
     (select name from merchants where id = $merchantId) as merchant_name`,
  joins: `join lateral (select * from mails where merchant_id = $merchantId and id = work.id offset 0) mail on true
     left join lateral (
       select * from contacts where merchant_id = $merchantId and id = mail.contact_id offset 0) contact on true
     left join lateral (
       select * from owner_addresses where merchant_id = $merchantId and customer_id = mail.customer_id offset 0) owner on true`,
})

const INSERTED = { id: text }

/**
 * None: this contact has the notice already, or had as many of this kind since `$since` as may be, among the newest `$looked`. Ids begin
 * with the time. Incidents at the same moment may each see the last place free: an account has five open at most.
 */
export const insertMail = one(
  'mail.insert_mail',
  `insert into mails (merchant_id, id, contact_id, kind, incident_id, facts, state, unsure, created_at, ends_at)
   select $merchantId, $id, $contactId, $kind::text, $incidentId::text, $facts::jsonb, 'queued', 0, $at::timestamptz,
     $endsAt::timestamptz
   where $incidentId::text is null or (
     select count(*) from (
       select contact_id, kind from mails where merchant_id = $merchantId and id > $since order by id desc limit $looked) recent
     where contact_id = $contactId and kind = $kind) < $most
   on conflict (merchant_id, incident_id, kind, contact_id) where incident_id is not null do nothing
   returning id`,
  INSERTED,
)

/** Opens the work of a new mail. */
export const insertWork = one(
  'mail.insert_work',
  `with mail as (select id from mails where merchant_id = $merchantId and id = $id)
   ${openWork('mail', 'mail', '$at')} returning id`,
  INSERTED,
)

/** CTE `held`: the work on the mail, while the caller holds it. */
const HELD = `held as materialized (
     select id from open_work where ${workOf('mail', '$id')} and ${IS_HELD}
     for update
   )` as const
const OF_HELD = 'merchant_id = $merchantId and id = (select id from held)' as const

/** The text is about to be handed over. None: the lease was lost, or it was handed over often enough. */
export const updateHandedOver = one(
  'mail.update_handed_over',
  `with ${HELD}
   update mails set unsure = unsure + 1 where ${OF_HELD} and state = 'queued' and unsure < $most returning id`,
  INSERTED,
)

/** The mail server said that it did not take it after all. */
export const updateTakenBack = execute(
  'mail.update_taken_back',
  `with ${HELD} update mails set unsure = unsure - 1 where ${OF_HELD} and state = 'queued' and unsure > 0`,
)

/** Why it was not sent so far. */
export const updateReason = execute(
  'mail.update_reason',
  `with ${HELD} update mails set reason = $reason, reply_code = $replyCode where ${OF_HELD} and state = 'queued'`,
)

const ENDED = originList(MAIL_TRANSITIONS, 'sent')

/** The end of a mail, and of the work on it. None: the lease was lost. */
export const updateEnded = one(
  'mail.update_ended',
  `with ${HELD}, closed as (
     ${closeWork('mail', 'held')}
   )
   update mails set state = $state, reason = $reason, reply_code = $replyCode, finished_at = $at
   where ${OF_HELD} and state in (${ENDED}) returning id`,
  INSERTED,
)

/** The next merchant that has mails of before `$before`. Operator's statement. */
export const findMerchantWithOld = one(
  'mail.find_merchant_with_old',
  // By a list of all merchants behind it: one look at the key for each, up to the first that has any.
  `select merchant_id from mails
   where merchant_id = any (array(select id from merchants where id > $after)) and id < $before and state <> 'queued'
   order by merchant_id limit 1`,
  { merchantId: text },
)

/** Deletes a page of a merchant's old mails that have ended. Their ids begin with the time: the page is read from the key. */
export const deleteOld = execute(
  'mail.delete_old',
  `delete from mails where merchant_id = $merchantId and id = any (array(
     select id from mails where merchant_id = $merchantId and id < $before and state <> 'queued' order by id limit $limit))`,
)

export type ClaimedMail = RowOf<typeof MAIL> & RowOf<typeof RECIPIENT>
