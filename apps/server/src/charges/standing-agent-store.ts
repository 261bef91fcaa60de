import {
  LIMIT_REACHED,
  LIMITED,
  LIMITED_COLUMNS,
  LOCK_LIMITS,
  LOCK_SPENDING,
  LOOK_AT_LIMITS,
  TAKE_OF_LIMITS,
} from '../agents/fragments.ts'
import { bigint, int, nullable, type RowOf, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import {
  ASK_OWNER,
  ASKED,
  ASKED_FOR,
  LOCK_ALLOWED,
  NOT_ALLOWED,
  OWNER_ASKED,
  USE_ALLOWED,
} from '../escalations/fragments.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { asking, JUDGED, NEW_CHARGE, NEW_CHARGE_VALUES, opening } from './standing-open-fragments.ts'

/** A charge that is like this one and was made since a time, unless it came to nothing; none since null. */
const alikeSince = <const Since extends string>(since: Since) =>
  `(
     select id from charges
     where merchant_id = $merchantId and agent_id = $agentId and likeness = $likeness::bytea
       and created_at > ${since}::timestamptz and status <> 'failed'
     order by created_at desc limit 1)` as const

/** CTE `alike`: a charge that is like this one and was made a moment ago; none where nobody wants to know. */
const ALIKE = `alike as materialized ${alikeSince('$alikeSince')}` as const

/** What a charge without a reference repeats, as it is told. */
const REPEATED = 'case when $reference::text is null then (select id from alike) end' as const

/**
 * A mandate of this agent and owner, by their seal: of any other one the program looks who has it, and who has edited it. So its own needs no look
 * before it is charged.
 */
const OWN = ' and agent_id = $agentId and customer_id = $ownerId and owner_seal = $ownerSeal::bytea'

const OF_AGENT = {
  own: OWN,
  lock: `${ALIKE}, ${LOCK_LIMITS}, ${ASKED}, `,
  asked: OWNER_ASKED,
  refusal: LIMIT_REACHED,
  take: `${TAKE_OF_LIMITS}, `,
  names: ', likeness, duplicate_of, delivery_shop_id, delivery_session_id',
  values: `, $likeness::bytea, ${REPEATED}, $deliveryShopId::text, $deliverySessionId::text`,
  answer: `, ${LIMITED_COLUMNS}, ${REPEATED} as duplicate_of`,
} as const

/** What is told of a charge beside what every one is told, where an agent makes it. */
const TOLD = { ...LIMITED, duplicateOf: nullable(text) }
export type AgentJudged = RowOf<typeof TOLD>
const JUDGED_OF_AGENT = { ...JUDGED, ...TOLD }

/** As `openStanding`, within what its owner allows the agent, of which it is taken. */
export const openOfAgent = one('charges.open_of_agent', opening(OF_AGENT), {
  ...JUDGED_OF_AGENT,
  leaseFence: nullable(bigint),
})

/**
 * Before a charge that may repeat another one is opened, in its transaction: what `openOfAgent` locks, in the same order. A statement that waits for
 * a lock looks with the eyes of its start, so of equal charges at the same moment none would see the others.
 */
export const lockForAlike = one(
  'charges.lock_for_alike',
  `with locked as materialized (
     select id from mandates where merchant_id = $merchantId and id = $mandateId for no key update
   )
   select agent_id from agent_spending
   where merchant_id = $merchantId and agent_id = $agentId and exists (select 1 from locked)
   for no key update`,
  { agentId: text },
)

/** The same of a charge that its owner has allowed, which is used by it. */
export const openAllowed = one(
  'charges.open_allowed',
  opening({
    ...OF_AGENT,
    lock: `${ALIKE}, ${LOCK_LIMITS}, ${LOCK_ALLOWED}, `,
    asked: NOT_ALLOWED,
    take: `${TAKE_OF_LIMITS}, ${USE_ALLOWED}, `,
  } as const),
  { ...JUDGED_OF_AGENT, leaseFence: nullable(bigint) },
)

/** As `judgeStanding`. */
export const judgeOfAgent = one(
  'charges.judge_of_agent',
  asking({ ...OF_AGENT, lock: `${ALIKE}, ${LOOK_AT_LIMITS}, ${ASKED}, ` } as const),
  JUDGED_OF_AGENT,
)

/** Goes before `insertRefusedAsking`, in its transaction. */
export const lockAsking = one('charges.lock_asking', LOCK_SPENDING, { openCount: int })

/** As `insertOverLimit`, and the owner is asked, if that is to be. The count of those that wait is right behind `lockAsking` alone. */
export const insertRefusedAsking = one(
  'charges.insert_refused_asking',
  `with changed as (
     insert into charges (${NEW_CHARGE}, status, failure_code, duplicate_of)
     select ${NEW_CHARGE_VALUES}, 'failed', $failure, ${alikeSince('$askedAlikeSince')} from mandates
     where merchant_id = $merchantId and id = $mandateId and not exists (select 1 from charge_references
       where merchant_id = $merchantId and mandate_id = $mandateId and reference = $reference)
     returning ${ASKED_FOR}
   ), ${ASK_OWNER}
   ${INSERT_EVENT}`,
  { resourceId: text },
)
