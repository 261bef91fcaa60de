// Parts of statements about charges that an agent makes.

/** A SELECT in brackets: a charge that is like this one and was made since a time, unless it came to nothing. */
export const alikeSince = <const Since extends string>(since: Since) =>
  `(
     select id from charges
     where merchant_id = $merchantId and agent_id = $agentId and likeness = $likeness::bytea
       and created_at > ${since}::timestamptz and status <> 'failed'
     order by created_at desc limit 1)` as const

/** CTE `alike`: a charge that is like this one and was made a moment ago; none where it is not to be known. */
export const ALIKE = `alike as materialized ${alikeSince('$alikeSince')}` as const

/** What a charge without a reference repeats, as it is told. */
export const REPEATED = 'case when $reference::text is null then (select id from alike) end' as const

/**
 * A mandate of this agent and owner, by their seal: of any other one the program looks who has it, and who has edited
 * it. So its own needs no look before it is charged.
 */
export const OWN = ' and agent_id = $agentId and customer_id = $ownerId and owner_seal = $ownerSeal::bytea'
