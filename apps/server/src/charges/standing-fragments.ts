import { GIVE_BACK_TO_LIMITS } from '../agents/fragments.ts'
import { GIVE_BACK_TO_MANDATE } from '../mandates/fragments.ts'

// Parts of the statements that end a charge against a standing mandate without a payment.

/** What the CTE `changed` must return for `GIVE_BACK`. */
export const GIVEN_BACK = 'id, reference, amount_minor, window_started_at, agent_id, created_at'

/**
 * CTEs `given_back`, `freed` and `spending_given_back`, if `changed` has a row: amount and count go back, which is a change of the mandate as the charge was,
 * and the reference may be used again.
 */
export const GIVE_BACK = `${GIVE_BACK_TO_MANDATE}, freed as (
     delete from charge_references where merchant_id = $merchantId and mandate_id = $mandateId
       and reference = (select reference from changed) and charge_id = $id
   ), ${GIVE_BACK_TO_LIMITS}` as const
