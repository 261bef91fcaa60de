import { execute } from '../db/statement.ts'

/** The charges that a card's mandates have minted for, all of which are cancelled by now: by their keys, as `charge-fragments.ts` finds them. */
const OF_CARD = `select charges.id from mandates cross join lateral (
       select id, status from charges where charges.merchant_id = $merchantId and charges.id = mandates.charge_id and quote_id is null
       union all
       select id, status from charges where charges.merchant_id = $merchantId and charges.standing_mandate_id = mandates.id) charges
     where mandates.merchant_id = $merchantId and mandates.customer_id = $customerId and mandates.card_id = $cardId
       and mandates.status = 'cancelled' and mandates.valid_until > $at and charges.status = 'awaiting_result'` as const

/**
 * Their credentials are erased, and what became of them is due. They are locked in the order of their ids,
 * so that two of these do not wait for each other.
 */
export const updateEndedWithCard = execute(
  'charges.update_ended_with_card',
  `with locked as materialized (
     select id from charges where merchant_id = $merchantId and id = any (array(${OF_CARD})) order by id for update
   )
   update charges set credential_sealed = null, credential_key_id = null, work_due_at = $at, updated_at = $at
   where merchant_id = $merchantId and id = any (array(select id from locked)) and status = 'awaiting_result'
     and reported_outcome is null and credential_sealed is not null`,
)

/** What the network may have minted since: due now, and not later. */
export const updateDue = execute(
  'charges.update_due',
  'update charges set work_due_at = $at where merchant_id = $merchantId and id = any ($ids::text[]) and work_due_at > $at',
)
