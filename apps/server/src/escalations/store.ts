import type { StoredProduct } from '@mintmark/contract'
import { CHARGE_LIMITS } from '@mintmark/contract/agents'
import { KEEP_EVIDENCE, NOT_APPROVED } from '../approvals/fragments.ts'
import { bigint, bool, bytes, columns, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  lockSigning,
  OWN_PASSKEY,
  ownPasskey,
  USE_PASSKEY,
} from '../passkeys/fragments.ts'
import { sealOver } from '../platform/row-seals.ts'
import { originList } from '../platform/states.ts'
import { noteAct } from '../receipts/fragments.ts'
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
  goodUntil: nullable(time),
  sessionId: nullable(text),
  carrierId: nullable(text),
  seal: bytes,
  allowedSeal: nullable(bytes),
}
export type Escalation = RowOf<typeof ESCALATION>
const COLUMNS = columns(ESCALATION)

/** What must not be edited of an escalation: who asks whom for what. */
export const sealedEscalation = sealOver<
  Pick<Escalation, 'agentId' | 'customerId' | 'mandateId' | 'reference' | 'chargeId' | 'beyond' | 'amountMinor'> &
    Pick<Escalation, 'limitKind' | 'currency' | 'payeeName' | 'payeeUrl'>
>('escalations', ({ agentId, customerId, mandateId, beyond, ...asked }) => {
  const { reference, chargeId, limitKind, amountMinor, currency, payeeName, payeeUrl } = asked
  const charge = [reference, chargeId, limitKind, String(beyond), amountMinor, currency, payeeName, payeeUrl]
  return ['asked', agentId, customerId, mandateId, ...charge]
})

/** That the owner has allowed it, and by which statement. */
export const sealedAllowance = sealOver<{ goodUntil: Date }>('escalations', ({ goodUntil }) => [
  'allowed',
  goodUntil.toISOString(),
])

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

/** What an owner has allowed beyond limits, of these mandates, and what was not made yet. */
export const listAllowances = many(
  'escalations.list_allowances',
  `select mandate_id, amount_minor, good_until from escalations
   where merchant_id = $merchantId and mandate_id = any ($mandateIds::text[]) and status = 'allowed' and good_until > $at`,
  { mandateId: text, amountMinor: bigint, goodUntil: time },
)

/** Mandates that an owner makes for one charge each. */
export const listCarriers = many(
  'escalations.list_carriers',
  `select carrier_id from escalations
   where merchant_id = $merchantId and customer_id = $customerId and status = 'pending' and carrier_id is not null`,
  { carrierId: text },
)

/** What the owner reads of the agent, as it is named now. None: it was revoked, or there is none. */
export const findAgentName = one(
  'escalations.find_agent_name',
  `select name from agents where merchant_id = $merchantId and id = $agentId and status = 'active'`,
  { name: text },
)

export const findPasskey = one('escalations.find_passkey', `select (${ownPasskey('$customerId')}) as passkey`, {
  passkey: OWN_PASSKEY,
})

/** The challenge that an answer uses up, and whose passkey may answer. One row. */
export const claimChallenge = one(
  'escalations.claim_challenge',
  `with ${CLAIM_CHALLENGE} select (${CLAIMED}) as claimed, (${ownPasskey('$customerId')}) as passkey`,
  { claimed: CLAIMED_CHALLENGE, passkey: OWN_PASSKEY },
)

/**
 * An owner's word has one winner of any number: the first, in time, of what was signed. Locks: escalation, passkey.
 * None: it was answered meanwhile, or its time is over.
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
   ), ${USE_PASSKEY}, ${KEEP_EVIDENCE}, ${noteAct('escalation_allowed', 'id', '$customerId', 'agreed')}
   update escalations set status = 'allowed', decided_at = $at, good_until = $goodUntil, allowed_seal = $allowedSeal
   where merchant_id = $merchantId and id = (select id from agreed) and status in (${originList(ESCALATION_TRANSITIONS, 'allowed')})
   returning id`,
  { id: text },
)

/** None: it was answered or opened meanwhile, or its time is over. */
export const updateDenied = one(
  'escalations.deny',
  `with denied as (
     update escalations set status = 'denied', decided_at = $at
     where merchant_id = $merchantId and id = $id and expires_at > $at and session_id is not distinct from $sessionId::text
       and status in (${originList(ESCALATION_TRANSITIONS, 'denied')})
     returning id, customer_id
   ), ${noteAct('escalation_denied', 'id', 'customer_id', 'denied')}
   select id from denied`,
  { id: text },
)

/**
 * The session in which the owner makes the mandate that carries the charge. No row: another one was begun meanwhile.
 */
export const updateCarrier = execute(
  'escalations.update_carrier',
  `update escalations set session_id = $sessionId, carrier_id = $carrierId
   where merchant_id = $merchantId and id = $id and status = 'pending' and expires_at > $at and beyond
     and session_id is not distinct from $formerSessionId::text`,
)
