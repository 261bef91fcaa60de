import { CONSOLE_ACTS, CONSOLE_ROLES, type ConsoleAct } from '@mintmark/contract/console'
import { nullable, oneOf, text, time } from '../db/row.ts'
import { execute, many } from '../db/statement.ts'

// What people do, in the statement that does it wherever that is one of the console's own.

/** CTE `acted`: what `$actorId` did, for each row of `cte`. `subject` and `role` are expressions. */
export const actOf = <
  const Cte extends string,
  const Kind extends ConsoleAct,
  const Subject extends string,
  const Role extends string,
>(
  cte: Cte,
  kind: Kind,
  subject: Subject,
  role: Role,
) =>
  `acted as (
     insert into account_acts (merchant_id, account_id, id, person_id, person, kind, subject, role, at)
     select $merchantId, $accountId, $actId::text, $actorId::text, $actor::text, '${kind}', ${subject}, ${role}, $at
     from ${cte}
   )` as const

/** An act that another part of the program has done. */
export const insertAct = execute(
  'console.insert_act',
  `insert into account_acts (merchant_id, account_id, id, person_id, person, kind, subject, at)
   values ($merchantId, $accountId, $actId, $actorId, $actor, $kind, $subject, $at)`,
)

/** The newest first. */
export const listActs = many(
  'console.list_acts',
  `select id, person, kind, subject, role, at from account_acts
   where merchant_id = $merchantId and account_id = $accountId and id < $before
   order by id desc limit $limit`,
  {
    id: text,
    person: nullable(text),
    kind: oneOf(CONSOLE_ACTS),
    subject: nullable(text),
    role: nullable(oneOf(CONSOLE_ROLES)),
    at: time,
  },
)

export const deleteOldActs = execute(
  'console.delete_acts',
  `delete from account_acts where merchant_id = $merchantId and id = any (array(
     select id from account_acts where merchant_id = $merchantId and id < $before order by id limit $limit))`,
)
