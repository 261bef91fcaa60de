import type { StoredProduct } from '@mintmark/contract'
import { bigint, bool, bytes, json, nullable, text, time } from '../db/row.ts'
import { many, one } from '../db/statement.ts'

// What receipts say of rows of other rooms. Each question is a short one of its own: none is on the way of a payment.

export const listCharges = many(
  'receipts.list_charges',
  `select id, opened_by, mandate_id, agent_id, amount_minor, currency, payee_name, payee_url, payee_country, products,
     lapses_at is not null as had_number
   from charges where merchant_id = $merchantId and id = any ($ids::text[])`,
  {
    id: text,
    openedBy: nullable(text),
    mandateId: nullable(text),
    agentId: nullable(text),
    amountMinor: bigint,
    currency: text,
    payeeName: text,
    payeeUrl: text,
    payeeCountry: text,
    products: json<StoredProduct[]>(),
    hadNumber: bool,
  },
)

/** A standing mandate, or that of a purchase, which is in the row of its charge. */
export const findMandate = one(
  'receipts.find_mandate',
  `select id, customer_id, agent_id, session_id, approved_minor, currency, payee_name, payee_url, payee_country, merchant_scope
   from mandates where merchant_id = $merchantId and id = $id
   union all
   select c.mandate_id, c.customer_id, c.asking_agent_id, null, c.amount_minor, c.currency, c.payee_name, c.payee_url,
     c.payee_country, 'listed'
   from approvals join lateral (
     select * from charges where merchant_id = $merchantId and id = approvals.charge_id offset 0) c on true
   where approvals.merchant_id = $merchantId and approvals.mandate_id = $id`,
  {
    id: text,
    customerId: text,
    agentId: nullable(text),
    sessionId: nullable(text),
    approvedMinor: bigint,
    currency: text,
    payeeName: text,
    payeeUrl: text,
    payeeCountry: text,
    merchantScope: text,
  },
)

export const findSessionOwner = one(
  'receipts.find_session_owner',
  `select customer_id from mandates where merchant_id = $merchantId and launch_hash is not null and session_id = $id
   union all
   select customer_id from enrollments where merchant_id = $merchantId and id = $id
   union all
   select customer_id from charges where merchant_id = $merchantId and launch_hash is not null and opened_by = $id`,
  { customerId: text },
)

export const findAgent = one(
  'receipts.find_agent',
  'select id, customer_id, name from agents where merchant_id = $merchantId and id = $id',
  { id: text, customerId: text, name: text },
)

/** The keys of an agent, the newest first. */
export const listThumbprints = many(
  'receipts.list_thumbprints',
  `select thumbprint, created_at from agent_keys
   where merchant_id = $merchantId and agent_id = $agentId order by created_at desc limit 1000`,
  { thumbprint: text, createdAt: time },
)

export const findLink = one(
  'receipts.find_link',
  'select name, thumbprint from agent_links where merchant_id = $merchantId and id = $id',
  { name: text, thumbprint: nullable(text) },
)

export const findLimitsChange = one(
  'receipts.find_limits_change',
  'select agent_id from agent_limit_changes where merchant_id = $merchantId and id = $id',
  { agentId: text },
)

export const findEscalation = one(
  'receipts.find_escalation',
  `select agent_id, mandate_id, amount_minor, currency, payee_name, payee_url, payee_country, products
   from escalations where merchant_id = $merchantId and id = $id`,
  {
    agentId: text,
    mandateId: text,
    amountMinor: bigint,
    currency: text,
    payeeName: text,
    payeeUrl: text,
    payeeCountry: text,
    products: json<StoredProduct[]>(),
  },
)

/** What was signed. */
export interface Subject {
  subjectType: string
  subjectId: string
}

/** The evidence of a purchase is emptied with its session. */
export const findEvidence = one(
  'receipts.find_evidence',
  `select passkey_id, terms, nonce, client_data_json, authenticator_data, signature, approved_at from approvals
   where merchant_id = $merchantId and subject_type = $subjectType and subject_id = $subjectId and terms <> ''`,
  {
    passkeyId: text,
    terms: text,
    nonce: bytes,
    clientDataJson: bytes,
    authenticatorData: bytes,
    signature: bytes,
    approvedAt: time,
  },
)

export const findPasskey = one(
  'receipts.find_passkey',
  `select id, customer_id, public_key, backup_eligible, seal from passkeys
   where merchant_id = $merchantId and id = $passkeyId`,
  { id: text, customerId: text, publicKey: bytes, backupEligible: bool, seal: bytes },
)
