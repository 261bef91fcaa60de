import { LOCK_SPENDING } from '../agents/fragments.ts'
import { bigint, int, nullable, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { repeatAfter } from '../db/transaction.ts'
import { ASK_OWNER, ASKED_FOR } from '../escalations/fragments.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { HOLDER } from './reference-fragments.ts'

// How charges against standing mandates are written: opened, or refused.

/** Columns of a new charge, from a mandate: what the charge does not name is as its setup named it. */
const NEW_CHARGE = `merchant_id, id, line_item_id, order_id, external_order_ref, mandate_id, standing_mandate_id, reference,
       card_id, amount_minor, currency, payee_name, payee_network_name, payee_url, payee_country, payee_category_code,
       payee_category, products, life_minutes, version, created_at, updated_at, agent_id`
const NEW_CHARGE_VALUES = `$merchantId, $chargeId, $lineItemId, order_id, external_order_ref, id, id, $reference,
       card_id, $amountMinor, currency, coalesce($payeeName, payee_name), coalesce($payeeNetworkName, payee_network_name),
       coalesce($payeeUrl, payee_url), coalesce($payeeCountry, payee_country),
       coalesce($payeeCategoryCode, case when $payeeUrl is null then payee_category_code end),
       coalesce($payeeCategory, case when $payeeUrl is null then payee_category end),
       coalesce(nullif($products::jsonb, '[]'), products, '[]'), $lifeMinutes, 1, $at, $at, agent_id` as const
const MANDATE = 'mandates where merchant_id = $merchantId and id = $mandateId' as const

/** The newest charge of the agent that is like this one, has not failed, and was made after a time; none for null. */
const alikeSince = <const Since extends string>(since: Since) =>
  `select id from charges
     where merchant_id = $merchantId and agent_id = $agentId and likeness = $likeness::bytea
       and created_at > ${since}::timestamptz and status <> 'failed'
     order by created_at desc limit 1` as const
const ALIKE = alikeSince('$alikeSince')

/**
 * The mandate, if this transaction has written it: taken of it, or begun its window alone, and then the program rolls back. Its time would not
 * say so, as another node's clock may have read the same for another charge. Behind a savepoint it never holds.
 */
const TAKEN = `${MANDATE} and xmin = pg_current_xact_id_if_assigned()::xid` as const

repeatAfter('charges_reference_key')
/** No charge holds `$reference`. */
const NOT_HELD = `not exists (select 1 from charges where ${HOLDER})` as const

/**
 * Writes the charge, which holds its reference, leased to the caller. It is sent behind the locks of mandate and agent, so it sees an equal
 * charge that was made a moment ago. References are taken and freed behind that of the mandate, so the holder of this one is seen, too, and
 * the unique index is for what comes without that lock. `on conflict` would wait for a transaction that changes the holder, and that one may
 * want what this one has locked. Without the lock of the mandate it writes nothing, and waits for none: a transaction that holds a mandate may
 * want what a refused charge of an agent has locked. None: the mandate gave nothing; another charge holds the reference; or this one repeats
 * another, and its owner wants to be asked.
 */
export const insertOpened = one(
  'charges.insert_opened',
  `with alike as materialized (${ALIKE})
   insert into charges (${NEW_CHARGE}, status, window_started_at, seal, likeness, duplicate_of, delivery_shop_id, delivery_session_id,
     work_due_at, attempts, lease_until, lease_fence)
   select ${NEW_CHARGE_VALUES}, 'minting', window_started_at, $chargeSeal, $likeness::bytea,
     case when $reference::text is null then (select id from alike) end, $deliveryShopId, $deliverySessionId, $at, 1, $leaseUntil, 1
   from ${TAKEN} and ${NOT_HELD} and not ($asksRepeats::boolean and exists (select 1 from alike))
   returning lease_fence, duplicate_of`,
  { leaseFence: bigint, duplicateOf: nullable(text) },
)

/** A charge that one would repeat. */
export const findAlike = one('charges.find_alike', ALIKE, { id: text })

/** A charge that its mandate does not allow, written as failed with its event. None: another one holds its reference by now. */
export const insertOverLimit = one(
  'charges.insert_over_limit',
  `with changed as (
     insert into charges (${NEW_CHARGE}, status, failure_code, reference_freed)
     select ${NEW_CHARGE_VALUES}, 'failed', $failure, $reference::text is not null from ${MANDATE} and ${NOT_HELD}
     returning id
   )
   ${INSERT_EVENT}`,
  { resourceId: text },
)

/** Goes before `insertRefusedAsking`, in its transaction. */
export const lockAsking = one('charges.lock_asking', LOCK_SPENDING, { openCount: int })

/** As `insertOverLimit`, and the owner is asked, if that is to be. The count of those that wait is right behind `lockAsking` alone. */
export const insertRefusedAsking = one(
  'charges.insert_refused_asking',
  `with changed as (
     insert into charges (${NEW_CHARGE}, status, failure_code, reference_freed, duplicate_of)
     select ${NEW_CHARGE_VALUES}, 'failed', $failure, $reference::text is not null, (${alikeSince('$askedAlikeSince')}) from ${MANDATE} and ${NOT_HELD}
     returning ${ASKED_FOR}
   ), ${ASK_OWNER}
   ${INSERT_EVENT}`,
  { resourceId: text },
)
