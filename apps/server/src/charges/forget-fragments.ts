/** What a mandate says as well stays where the purchase was approved, and that it is no open session. */
const ofMandate = <const Column extends string>(column: Column) =>
  `case when mandate_id is not null then ${column} end` as const

/**
 * CTE `gone`: the charges whose `charge_id` a CTE has know nothing of their session any more. What was paid stays, and
 * by which session, as it is sealed; with the launch secret goes that there is one.
 */
export const forgetSessions = <const Cte extends string>(cte: Cte) =>
  `gone as (
     update charges set launch_hash = null, customer_id = ${ofMandate('customer_id')}, integration_type = null, callback_url = null, description = null,
       summary = null, effective_minutes = null, preselected_vault_record_id = null, proven_card_id = null, proof = null,
       proof_seal = null, entry_id = null, entry_once = null, entry_keeping = null, code_sent_at = null, expires_at = null,
       extended_at = null, closed_at = ${ofMandate('closed_at')}, session_version = null, locale = null,
       asking_agent_id = ${ofMandate('asking_agent_id')},
       asking_agent_name = null, asking_agent_seal = null, ceremony = null, challenge = null, nonce = null, bound_text = null,
       challenge_sign_count = null, challenge_embedded = null, challenge_expires_at = null,
       card_id = ${ofMandate('card_id')}
     where merchant_id = $merchantId and id = any (array(select charge_id from ${cte})) returning id
   )` as const
