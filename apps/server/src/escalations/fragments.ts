// Parts of the statements that refuse a charge of an agent, or end one.

/**
 * CTE `asking`: asks the owner for the charge of `changed`, which was refused. One of a mandate and reference, for good, and so many of an
 * agent at once: more would wear its owner out.
 */
export const ASK_OWNER = `asking as (
     insert into escalations (merchant_id, id, agent_id, customer_id, mandate_id, reference, charge_id, limit_kind, beyond, amount_minor,
       currency, payee_name, payee_url, payee_country, products, created_at, expires_at, seal)
     select $merchantId, $escalationId, $agentId, $ownerId, $mandateId, $reference, changed.id, $limitKind, $beyond::boolean, $amountMinor,
       changed.currency, changed.payee_name, changed.payee_url, changed.payee_country, changed.products, $at, $askedUntil, $askedSeal::bytea
     from changed
     where $mayAsk::boolean and (select count(*) from escalations waiting
       where waiting.merchant_id = $merchantId and waiting.agent_id = $agentId and waiting.status = 'pending'
         and waiting.expires_at > $at) < $maxAsked::integer
     on conflict (merchant_id, mandate_id, reference) do nothing
   )` as const
/** What the CTE `changed` must return for `ASK_OWNER`. */
export const ASKED_FOR = 'id, currency, payee_name, payee_url, payee_country, products'

/** CTE `unasked`: what the agents of `revoked` ask their owner is asked no more. */
export const END_QUESTIONS = `unasked as (
     update escalations set expires_at = $at
     where merchant_id = $merchantId and agent_id = any (array(select id from revoked)) and status = 'pending' and expires_at > $at
   )` as const
