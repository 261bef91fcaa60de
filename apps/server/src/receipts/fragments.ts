// Parts of statements that are one with an act: the act and the note of it are there, or neither is.

/** What an act is, for its receipt: one of its owner, or one that has an event. */
export const ACT_KINDS = [
  'agent_linked',
  'agent_denied',
  'agent_revoked',
  'limits_changed',
  'escalation_allowed',
  'escalation_denied',
  'event',
] as const

/**
 * CTE `noted`: the act will have a receipt, if the CTE has a row. `id` and `customer` are SQL: what the act is known
 * by, and its owner.
 */
export const noteAct = <
  const Kind extends (typeof ACT_KINDS)[number],
  const Id extends string,
  const Customer extends string,
  const Cte extends string,
>(
  kind: Kind,
  id: Id,
  customer: Customer,
  cte: Cte,
) =>
  `noted as (
     insert into receipt_acts (merchant_id, id, kind, subject_id, customer_id, occurred_at, next_at)
     select $merchantId, '${kind}:' || ${id}, '${kind}', ${id}, ${customer}, $at, $at from ${cte}
   )` as const
