import { GIVE_BACK_TO_LIMITS } from '../agents/fragments.ts'

// Parts of the statements that end a charge against a standing mandate without a payment.

/** What the CTE `changed` must return for `GIVE_BACK`. */
export const GIVEN_BACK = 'id, reference, amount_minor, window_started_at, agent_id, created_at'

/**
 * CTEs `given_back`, `freed` and `spending_given_back`, if `changed` has a row: amount and count go back, which is a change of the mandate as the charge was,
 * and the reference may be used again. An amount goes back to the window that it was taken from only: one that is over has nothing to
 * give.
 */
export const GIVE_BACK = `given_back as (
     update mandates set updated_at = $at, charge_count = mandates.charge_count - 1,
       window_spent_minor = mandates.window_spent_minor
         - case when mandates.window_started_at = changed.window_started_at then changed.amount_minor else 0 end
     from changed where mandates.merchant_id = $merchantId and mandates.id = $mandateId
   ), freed as (
     delete from charge_references where merchant_id = $merchantId and mandate_id = $mandateId
       and reference = (select reference from changed) and charge_id = $id
   ), ${GIVE_BACK_TO_LIMITS}` as const
