import type { StoredProduct } from '@mintmark/contract'
import { CHARGE_LIMITS } from '@mintmark/contract/agents'
import { KEEP_EVIDENCE, NOT_APPROVED } from '../approvals/fragments.ts'
import { bigint, bool, bytes, columns, json, nullable, object, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  lockSigning,
  ownPasskey,
  PASSKEY,
  USE_PASSKEY,
} from '../passkeys/fragments.ts'
import { originList } from '../platform/states.ts'
import { ESCALATION_TRANSITIONS, STORED_ESCALATION_STATUSES } from './states.ts'

const ESCALATION = {
  merchantId: text,
  id: text,
  agentId: text,
  customerId: text,
  mandateId: text,
  reference: text,
  chargeId: text,
  limitKind: oneOf(CHARGE_LIMITS),
  beyond: bool,
  amountMinor: bigint,
  currency: text,
  payeeName: text,
  payeeUrl: text,
  payeeCountry: text,
  products: json<StoredProduct[]>(),
  status: oneOf(STORED_ESCALATION_STATUSES),
  expiresAt: time,
  createdAt: time,
  goodUntil: nullable(time),
  sessionId: nullable(text),
  carrierId: nullable(text),
  seal: bytes,
  allowedSeal: nullable(bytes),
}
export type Escalation = RowOf<typeof ESCALATION>
const COLUMNS = columns(ESCALATION)

export const findEscalation = one(
  'escalations.find',
  `select ${COLUMNS} from escalations where merchant_id = $merchantId and id = $id`,
  ESCALATION,
)

export const findReferenced = one(
  'escalations.find_referenced',
  `select ${COLUMNS} from escalations where merchant_id = $merchantId and mandate_id = $mandateId and reference = $reference`,
  ESCALATION,
)

/** Uses a permission, once. None: it is of another charge, its time is over, or it was used or denied. */
export const use = one(
  'escalations.use',
  `update escalations set status = 'used'
   where merchant_id = $merchantId and id = $allowedId and mandate_id = $mandateId and reference = $reference and good_until > $at
     and status in (${originList(ESCALATION_TRANSITIONS, 'used')})
   returning id`,
  { id: text },
)

/** The question about a mandate and reference; none when its charge was made. */
export const findAsked = one(
  'escalations.find_asked',
  `select id, status, good_until from escalations
   where merchant_id = $merchantId and mandate_id = $mandateId and reference = $reference and status <> 'used'`,
  { id: text, status: oneOf(STORED_ESCALATION_STATUSES), goodUntil: nullable(time) },
)

/** Those of an agent that wait for its owner, the one whose time ends first at the top. */
export const listWaiting = many(
  'escalations.list_waiting',
  `select ${COLUMNS} from escalations
   where merchant_id = $merchantId and agent_id = $agentId and status = 'pending' and expires_at > $at
   order by expires_at limit $limit`,
  ESCALATION,
)

/** The same of an owner. */
export const listOfOwner = many(
  'escalations.list_of_owner',
  `select ${COLUMNS} from escalations
   where merchant_id = $merchantId and customer_id = $customerId and status = 'pending' and expires_at > $at
   order by expires_at limit $limit`,
  ESCALATION,
)

/** What the owner reads of the agent, as it is named now. None: it was revoked, or there is none. */
export const findAgentName = one(
  'escalations.find_agent_name',
  `select name from agents where merchant_id = $merchantId and id = $agentId and status = 'active'`,
  { name: text },
)

export const findPasskey = one('escalations.find_passkey', `select (${ownPasskey('$customerId')}) as passkey`, {
  passkey: nullable(object(PASSKEY)),
})

/** The challenge that an answer uses up, and whose passkey may answer. One row. */
export const claimChallenge = one(
  'escalations.claim_challenge',
  `with ${CLAIM_CHALLENGE} select (${CLAIMED}) as claimed, (${ownPasskey('$customerId')}) as passkey`,
  { claimed: CLAIMED_CHALLENGE, passkey: nullable(object(PASSKEY)) },
)

/**
 * An owner's word has one winner of any number: the first, in time, of what was signed. Locks: escalation, passkey. None: it was answered
 * meanwhile, or its time is over.
 */
export const allow = one(
  'escalations.allow',
  `with awaiting as materialized (
     select id from escalations
     where merchant_id = $merchantId and id = $id and status = 'pending' and expires_at > $at and seal = $seal and not beyond
       and exists (select 1 from agents where merchant_id = $merchantId and id = escalations.agent_id and status = 'active')
     for no key update
   ), ${lockSigning('exists (select 1 from awaiting)')}, agreed as materialized (
     select awaiting.id from awaiting, signing where ${NOT_APPROVED}
   ), ${USE_PASSKEY}, ${KEEP_EVIDENCE}
   update escalations set status = 'allowed', decided_at = $at, good_until = $goodUntil, allowed_seal = $allowedSeal
   where merchant_id = $merchantId and id = (select id from agreed) and status in (${originList(ESCALATION_TRANSITIONS, 'allowed')})
   returning id`,
  { id: text },
)

/** None: it was answered or opened meanwhile, or its time is over. */
export const updateDenied = one(
  'escalations.deny',
  `update escalations set status = 'denied', decided_at = $at
   where merchant_id = $merchantId and id = $id and expires_at > $at and session_id is not distinct from $sessionId::text
     and status in (${originList(ESCALATION_TRANSITIONS, 'denied')})
   returning id`,
  { id: text },
)

/** The session in which the owner makes the mandate that carries the charge. No row: another one was begun meanwhile. */
export const updateCarrier = execute(
  'escalations.update_carrier',
  `update escalations set session_id = $sessionId, carrier_id = $carrierId
   where merchant_id = $merchantId and id = $id and status = 'pending' and expires_at > $at and beyond
     and session_id is not distinct from $formerSessionId::text`,
)
