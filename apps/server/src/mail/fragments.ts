import { openWork } from '../jobs/fragments.ts'
import type { MailKind } from './states.ts'

// Parts of statements that must be one with something else: an owner is made of a visit that has proven an address, and
// is told of a recovery.

/** CTE `visited`: uses up a visit that has proven `$email`. If two statements do so at once, one gets the row. */
export const USE_VISIT = `visited as (
     update address_visits set used_at = $at
     where merchant_id = $merchantId and id = $visit and email = $email and proven_at is not null and used_at is null
       and ends_at > $at
     returning id
   )` as const

/** CTE `addressed`: the proven address of an owner, if `cte` has a row. The unique index gives it to no other owner. */
export const provenAddressOf = <const Cte extends string>(cte: Cte) =>
  `addressed as (
     insert into owner_addresses (merchant_id, customer_id, email, verified_at, code_id, code_made_at, code_ends_at, code_tries,
       seal)
     select $merchantId, $customerId, $email, $at, '', $at, $at, 0, $addressSeal::bytea from ${cte}
   )` as const

/**
 * CTEs `mail` and `telling`: tells the owner of a recovery what has become of it, if `cte` has a row; also at the
 * addresses that were theirs until of late.
 */
export const tellOfRecovery = <const Cte extends string, const Kind extends Extract<MailKind, `recovery_${string}`>>(
  cte: Cte,
  kind: Kind,
) =>
  `mail as (
     insert into mails (merchant_id, id, customer_id, address_hash, kind, facts, state, unsure, created_at, ends_at)
     select $merchantId, $mailId::text || nth, $customerId, told.address_hash, '${kind}', $mailFacts::jsonb, 'queued', 0, $at,
       $mailEndsAt::timestamptz
     from (
       select '' as nth, null::bytea as address_hash from owner_addresses
       where merchant_id = $merchantId and customer_id = $customerId and verified_at is not null
       union all
       select (row_number() over ())::text, address_hash from former_addresses
       where merchant_id = $merchantId and customer_id = $customerId and ends_at > $at
     ) told
     where exists (select 1 from ${cte})
     returning id
   ), telling as (
     ${openWork('mail', 'mail', '$at')}
   )` as const

/** CTE `mail`: the link of an invitation, for the address that it is made for, if `cte` has a row. */
export const tellOfInvitation = <const Cte extends string>(cte: Cte) =>
  `mail as (
     insert into mails (merchant_id, id, address_hash, kind, facts, state, unsure, created_at, ends_at)
     select $merchantId, $mailId::text, $addressHash, 'console_invitation', $mailFacts::jsonb, 'queued', 0, $at, $expiresAt
     from ${cte}
     returning id
   )` as const
