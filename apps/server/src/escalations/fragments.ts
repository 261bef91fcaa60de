import { originList } from '../platform/states.ts'
import { ESCALATION_TRANSITIONS } from './states.ts'

// Parts of the statements that open a charge of an agent, or refuse it.

/** A condition: the owner was asked of no charge of this mandate and reference, unless it was allowed and made. */
export const UNASKED = `not exists (select 1 from escalations
         where merchant_id = $merchantId and mandate_id = $mandateId and reference = $reference and status <> 'used')` as const

/** CTE `asked`: what the owner was asked of this mandate and reference, unless it was allowed and made. */
export const ASKED = `asked as materialized (
     select id, status, good_until from escalations
     where merchant_id = $merchantId and mandate_id = $mandateId and reference = $reference and status <> 'used'
   )` as const

/** A case of the refusal of a charge, from `asked`: the owner's word decides, whatever the limits say by now. */
export const OWNER_ASKED = `when case when $allowedId::text is null then exists (select 1 from asked)
           else not exists (select 1 from asked where id = $allowedId and status = 'allowed' and good_until > $at) end then 'ASKED'` as const

/**
 * CTE `allowed`: that the owner has allowed this charge, behind the lock of the agent's limits and as it is then: who
 * has waited for that lock sees it as it was before the wait, and the charge may have been made, and have come to
 * nothing, meanwhile.
 */
export const LOCK_ALLOWED = `allowed as materialized (
     select id from escalations
     where merchant_id = $merchantId and id = $allowedId and mandate_id = $mandateId and reference = $reference
       and status = 'allowed' and good_until > $at and exists (select 1 from spending)
     for no key update
   )` as const

/** CTE `answered`: the charge that was allowed is made, if `spent` has a row. */
export const USE_ALLOWED = `answered as (
     update escalations set status = 'used'
     where merchant_id = $merchantId and id = $allowedId and status in (${originList(ESCALATION_TRANSITIONS, 'used')})
       and exists (select 1 from spent)
   )` as const

/**
 * CTE `asking`: asks the owner for the charge of `changed`, which was refused. One of a mandate and reference, for
 * good, and so many of an agent at once: more would wear its owner out.
 */
export const ASK_OWNER = `asking as (
     insert into escalations (merchant_id, id, agent_id, customer_id, mandate_id, reference, charge_id, limit_kind, beyond, amount_minor,
       currency, payee_name, payee_url, payee_country, products, created_at, expires_at, seal)
     select $merchantId, $escalationId, $agentId, $ownerId, $mandateId, $reference, changed.id, $limitKind, $beyond::boolean, $amountMinor,
       changed.currency, changed.payee_name, changed.payee_url, changed.payee_country, changed.products, $at, $askedUntil, $askedSeal::bytea
     from changed
     where $mayAsk::boolean and (select count(*) from escalations waiting
       where waiting.merchant_id = $merchantId and waiting.agent_id = $agentId and waiting.status = 'pending'
         and waiting.expires_at > $at) < $mostAsked::integer
     on conflict (merchant_id, mandate_id, reference) do nothing
   )` as const
/** What the CTE `changed` must return for `ASK_OWNER`. */
export const ASKED_FOR = 'id, currency, payee_name, payee_url, payee_country, products'

/** CTE `unasked`: what the agents of `revoked` ask their owner is asked no more. */
export const END_QUESTIONS = `unasked as (
     update escalations set expires_at = $at
     where merchant_id = $merchantId and agent_id = any (array(select id from revoked)) and status = 'pending' and expires_at > $at
   )` as const
