import { CONSOLE_ROLES } from '@mintmark/contract/console'
import { bytes, nullable, oneOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { actOf } from './acts-store.ts'

// People who look after accounts. Locks: owners of the account in the order of their ids, member.

/** The accounts of a person, in the order in which they came to them. */
export const listAccounts = many(
  'console.list_accounts',
  `select account_id, role from account_members
   where merchant_id = $merchantId and person_id = $personId order by created_at, account_id limit $limit`,
  { accountId: text, role: oneOf(CONSOLE_ROLES) },
)

/** The people who look after an account, in the order in which they came. */
export const listPeople = many(
  'console.list_people',
  `select p.id, p.name, p.email, m.role, m.created_at from account_members m
   join people p on p.merchant_id = $merchantId and p.id = m.person_id
   where m.merchant_id = $merchantId and m.account_id = $accountId order by m.created_at, m.person_id limit $limit`,
  { id: text, name: text, email: nullable(text), role: oneOf(CONSOLE_ROLES), createdAt: time },
)

/** The person who has proven an address. */
export const findByEmail = one(
  'console.find_by_email',
  'select id, name, email, seal from people where merchant_id = $merchantId and lower(email) = lower($email) and email is not null',
  { id: text, name: text, email: nullable(text), seal: bytes },
)

/** What the name and the role of a person at the account are. */
export const findMember = one(
  'console.find_member',
  `select p.name, m.role from account_members m
   join people p on p.merchant_id = $merchantId and p.id = m.person_id
   where m.merchant_id = $merchantId and m.account_id = $accountId and m.person_id = $personId`,
  { name: text, role: oneOf(CONSOLE_ROLES) },
)

/**
 * CTE `owners`: all owners of the account, locked before they are counted. If two are taken away at the same moment,
 * the second one sees what the first has left, so that one is always left; and who is no owner any more acts no more.
 */
const OWNERS = `owners as materialized (
     select person_id from account_members
     where merchant_id = $merchantId and account_id = $accountId and role = 'owner'
     order by person_id for no key update
   )` as const

/** An owner does it, and an owner is left. */
const BY_OWNER = `exists (select 1 from owners where person_id = $actorId)` as const
const STAYS_OWNED = `(account_members.role <> 'owner' or (select count(*) from owners) > 1)` as const

/** CTE `withdrawn`: what a person has invited to waits no more, if `cte` has a row. */
const withdrawn = <const Cte extends string>(cte: Cte) =>
  `withdrawn as (
     update account_invitations set withdrawn_at = $at
     where merchant_id = $merchantId and account_id = $accountId and invited_by = $personId and accepted_at is null
       and withdrawn_at is null and exists (select 1 from ${cte})
   )` as const

/** Another role, in place of `$before`. None: the person has another role by now, or no owner would be left. */
export const updateRole = one(
  'console.update_role',
  `with ${OWNERS}, changed as (
     update account_members set role = $role, seal = $memberSeal
     where merchant_id = $merchantId and account_id = $accountId and person_id = $personId and role = $before
       and ${BY_OWNER} and ($role = 'owner' or ${STAYS_OWNED})
     returning person_id
   ), narrowed as (
     select person_id from changed where $narrows::boolean
   ), ${withdrawn('narrowed')}, ${actOf('changed', 'role_changed', '$name::text', '$role::text')}
   select person_id from changed`,
  { personId: text },
)

/** Takes a person away, with their sessions at this account and what they have invited to. None: as above. */
export const deleteMember = one(
  'console.delete_member',
  `with ${OWNERS}, gone as (
     delete from account_members
     where merchant_id = $merchantId and account_id = $accountId and person_id = $personId
       and ${BY_OWNER} and ${STAYS_OWNED}
     returning person_id
   ), ended as (
     delete from people_sessions
     where merchant_id = $merchantId and person_id = $personId and account_id = $accountId and exists (select 1 from gone)
   ), ${withdrawn('gone')}, ${actOf('gone', 'removed', '$name::text', 'null')}
   select person_id from gone`,
  { personId: text },
)

/** Operator: takes a person out of all accounts, with all that is theirs. What they did stays in the list of acts. */
export const deletePerson = execute(
  'console.delete_person',
  `with joined as (
     delete from account_members where merchant_id = $merchantId and person_id = $personId
   ), signing as (
     delete from people_passkeys where merchant_id = $merchantId and person_id = $personId
   ), ended as (
     delete from people_sessions where merchant_id = $merchantId and person_id = $personId
   ), withdrawn as (
     update account_invitations set withdrawn_at = $at
     where merchant_id = $merchantId and invited_by = $personId and accepted_at is null and withdrawn_at is null
   )
   delete from people where merchant_id = $merchantId and id = $personId`,
)
