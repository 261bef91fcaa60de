import { execute } from '../db/statement.ts'
import { dueWorksAt } from '../jobs/fragments.ts'

/** The charges that a card's mandates have minted for, all of which are cancelled by now: by their keys, as `charge-fragments.ts` finds them. */
const OF_CARD = `select charges.id from mandates cross join lateral (
       select id, status from charges where charges.merchant_id = $merchantId and charges.id = mandates.charge_id and quote_id is null
       union all
       select id, status from charges where charges.merchant_id = $merchantId and charges.standing_mandate_id = mandates.id) charges
     where mandates.merchant_id = $merchantId and mandates.customer_id = $customerId and mandates.card_id = $cardId
       and mandates.status = 'cancelled' and mandates.valid_until > $at and charges.status = 'awaiting_result'` as const

/** Their credentials are erased, and what became of them is due. Locks their work first, here as everywhere. */
export const updateEndedWithCard = execute(
  'charges.update_ended_with_card',
  `with work as materialized (
     select id from open_work where merchant_id = $merchantId and kind = 'charge' and id = any (array(${OF_CARD}))
     order by id for update
   ), changed as (
     update charges set credential_sealed = null, credential_key_id = null, updated_at = $at
     where merchant_id = $merchantId and id = any (array(select id from work)) and status = 'awaiting_result'
       and reported_outcome is null and credential_sealed is not null
     returning id
   )
   ${dueWorksAt('charge', 'array(select id from changed)', '$at')}`,
)
