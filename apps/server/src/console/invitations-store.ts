import { CONSOLE_ROLES } from '@mintmark/contract/console'
import { bytes, columns, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { openWork } from '../jobs/fragments.ts'
import { tellOfInvitation, USE_VISIT } from '../mail/fragments.ts'
import { actOf } from './acts-store.ts'

// Invitations. Locks: member who invites, invitation, visit.

const INVITATION = {
  ...{ id: text, accountId: text, email: text, role: oneOf(CONSOLE_ROLES), inviter: nullable(text) },
  ...{ createdAt: time, expiresAt: time, seal: bytes },
}
export type Invitation = RowOf<typeof INVITATION>
const WAITS = 'accepted_at is null and withdrawn_at is null' as const

/**
 * An invitation, and the mail with its link. None: who invites has another role by now, the address is invited or looks
 * after the account already, or as many wait as may. The row of who invites is locked: if they are taken away at the
 * same moment, either nothing is made or it is withdrawn with them.
 */
export const insertInvitation = one(
  'console.invite',
  `with inviting as materialized (
     select person_id from account_members
     where merchant_id = $merchantId and account_id = $accountId and person_id = $actorId::text and role = $actorRole::text
     for share
   ), known as (
     select 1 as it from people p
     join account_members m on m.merchant_id = $merchantId and m.account_id = $accountId and m.person_id = p.id
     where p.merchant_id = $merchantId and lower(p.email) = lower($email) and p.email is not null
   ), made as (
     insert into account_invitations (merchant_id, id, account_id, email, address_hash, role, invited_by, inviter, created_at,
       expires_at, seal)
     select $merchantId, $invitationId::text, $accountId, $email::text, $addressHash::bytea, $role::text, $actorId::text,
       $actor::text, $at, $expiresAt::timestamptz, $invitationSeal::bytea
     where ($actorId::text is null or exists (select 1 from inviting)) and not exists (select 1 from known)
       and (select count(*) from account_invitations i
         where i.merchant_id = $merchantId and i.account_id = $accountId and i.accepted_at is null and i.withdrawn_at is null) < $most
     on conflict (merchant_id, account_id, address_hash) where ${WAITS} do update set
       id = excluded.id, role = excluded.role, invited_by = excluded.invited_by, inviter = excluded.inviter,
       created_at = excluded.created_at, expires_at = excluded.expires_at, email = excluded.email, seal = excluded.seal
       where account_invitations.expires_at <= $at
     returning id
   ), ${actOf('made', 'invited', '$email::text', '$role::text')}, ${tellOfInvitation('made')}
   ${openWork('mail', 'mail', '$at')} returning id`,
  { id: text },
)

/** Those that wait, also those whose time is over, the newest first. */
export const listInvitations = many(
  'console.list_invitations',
  `select ${columns(INVITATION)} from account_invitations
   where merchant_id = $merchantId and account_id = $accountId and ${WAITS}
   order by created_at desc, id limit $limit`,
  INVITATION,
)

/** The person who invited may still do so: one who was taken away, or has a smaller role, has invited to nothing. */
const MAY_INVITE = `(m.role = 'owner' or (m.role = 'admin' and i.role <> 'owner'))` as const

/** One that waits, of a person who may still invite. */
export const findInvitation = one(
  'console.find_invitation',
  `select ${columns(INVITATION, 'i')} from account_invitations i
   where i.merchant_id = $merchantId and i.id = $invitationId and i.accepted_at is null and i.withdrawn_at is null
     and (i.invited_by is null or exists (
       select 1 from account_members m
       where m.merchant_id = $merchantId and m.account_id = i.account_id and m.person_id = i.invited_by and ${MAY_INVITE}))`,
  INVITATION,
)

/** None: it waits no more. */
export const updateWithdrawn = one(
  'console.withdraw_invitation',
  `with ended as (
     update account_invitations set withdrawn_at = $at
     where merchant_id = $merchantId and account_id = $accountId and id = $invitationId and ${WAITS}
     returning id, email, role
   ), ${actOf('ended', 'invitation_withdrawn', 'email', 'null')}
   select id from ended`,
  { id: text },
)

/**
 * CTEs `inviting` and `accepted`: of any number of acceptances of an invitation one gets the row. The row of the person
 * who invited is locked: if they are taken away at the same moment, either it is accepted before or not at all.
 */
const accepted = <const Condition extends string>(condition: Condition) =>
  `inviting as materialized (
     select m.person_id from account_members m
     join account_invitations i on i.merchant_id = $merchantId and i.id = $invitationId and i.invited_by = m.person_id
     where m.merchant_id = $merchantId and m.account_id = $accountId and ${MAY_INVITE}
     for share of m
   ), accepted as (
     update account_invitations set accepted_at = $at
     where merchant_id = $merchantId and account_id = $accountId and id = $invitationId and role = $role
       and lower(email) = lower($email) and ${WAITS} and expires_at > $at and ${condition}
       and (invited_by is null or exists (select 1 from inviting))
     returning id
   )` as const

/** CTE `joined`: the place of the person at the account. */
const JOINED = `joined as (
     insert into account_members (merchant_id, account_id, person_id, role, created_at, seal)
     select $merchantId, $accountId, $actorId::text, $role, $at, $memberSeal::bytea from accepted
     on conflict (merchant_id, account_id, person_id) do nothing
     returning person_id
   )` as const

/**
 * A person who comes for the first time and has proven the address in this visit: they, their passkey and their place,
 * all or nothing. None: the invitation waits no more, or the visit was used up.
 */
export const insertPerson = one(
  'console.accept_invitation',
  `with ${USE_VISIT}, ${accepted('exists (select 1 from visited)')}, made as (
     insert into people (merchant_id, id, email, name, created_at, seal)
     select $merchantId, $actorId, $email, $actor, $at, $personSeal::bytea from accepted
     returning id
   ), stored as (
     insert into people_passkeys (merchant_id, id, person_id, public_key, sign_count, transports, backup_eligible, backed_up, browser,
       system, created_at, seal)
     select $merchantId, $passkeyId, $actorId, $publicKey::bytea, $signCount::bigint, $transports::text[],
       $backupEligible::boolean, $backedUp::boolean, $browser::text, $system::text, $at, $seal::bytea
     from made
     returning id
   ), ${JOINED}, ${actOf('joined', 'joined', 'null', '$role::text')}
   select null::text as replaces from stored`,
  { replaces: nullable(text) },
)

/** A person who looks after another account already. None: the invitation waits no more. */
export const insertMember = one(
  'console.join',
  `with ${accepted('true')}, ${JOINED}, ${actOf('joined', 'joined', 'null', '$role::text')}
   select id from accepted`,
  { id: text },
)

/** Those that ended, or could be accepted no more, long ago. */
export const deleteOldInvitations = execute(
  'console.delete_invitations',
  `delete from account_invitations where merchant_id = $merchantId and id = any (array(
     select id from account_invitations where merchant_id = $merchantId and expires_at <= $before
     order by expires_at limit $limit))`,
)
