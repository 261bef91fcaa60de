import {
  CHARGE_STATUSES,
  CONFIRMATIONS,
  PAYMENT_FAILURE_CODES,
  REPORTED_OUTCOMES,
  type StoredProduct,
} from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { FREE } from '../jobs/due.ts'
import { IS_HELD, LEASED, LISTED } from '../jobs/fragments.ts'
import { dueInRows } from '../jobs/work.ts'
import { IS_CARD_DELETED, JOIN_INSTRUCTION } from '../mandates/fragments.ts'
import { HOLDER } from './reference-fragments.ts'
import { CLAIMED_WORK, CLAIMED_WORK_COLUMNS, WORK, WORK_COLUMNS } from './work-fragments.ts'

export type { ChangedCharge, ChargeWork } from './work-fragments.ts'

export const RECONCILE_JOB = 'charges.reconcile'

/** Charges with an open network call, or with a credential that was not reported in time. */
export const chargeWork = dueInRows('charges', {
  job: RECONCILE_JOB,
  shape: { ...CLAIMED_WORK, isCardDeleted: bool },
  list: `${CLAIMED_WORK_COLUMNS}, ${IS_CARD_DELETED} as is_card_deleted`,
  joins: JOIN_INSTRUCTION,
})

/** A credential that did not open, sealed again. None: it was reported, ended or sealed again meanwhile. */
export const updateCredential = execute(
  'charges.update_credential',
  `update charges set credential_sealed = $sealed, credential_key_id = $keyId
   where merchant_id = $merchantId and id = $chargeId and status = 'awaiting_result' and reported_outcome is null
     and credential_sealed = $broken`,
)

/** What of a credential's charge has open work: the charge itself, or the purchase that it is paid for. */
export type CredentialHolder = 'charge' | 'purchase'

// Times are texts: a row that is due at a fraction of a millisecond would come behind itself, again and again.
const SEALED = { merchantId: text, id: text, dueAt: text, sealed: bytes, keyId: text }
/** Operator's statements: credentials that one key wraps, in a fixed order. A charge that has one has open work: its time ends. */
export const listCredentialsUnderKey = {
  // By when they are due, as the index has it: the key would lead through all that was ever charged. One that becomes due earlier meanwhile
  // may be passed by; it is counted, keeps its key from being retired, and is found by the next round.
  charge: many(
    'charges.list_credentials_under_key',
    `select merchant_id, id, work_due_at::text as due_at, credential_sealed as sealed, credential_key_id as key_id from charges
     where ${LISTED} and credential_key_id = $keyId and (merchant_id, work_due_at, id) > ($afterMerchantId, $afterDueAt::timestamptz, $afterId)
     order by merchant_id, work_due_at, id limit $limit`,
    SEALED,
  ),
  purchase: many(
    'purchases.list_credentials_under_key',
    `select w.merchant_id, w.id, w.due_at::text, c.sealed, c.key_id
     from open_work w cross join lateral (
       select credential_sealed as sealed, credential_key_id as key_id from charges
       where merchant_id = w.merchant_id and id = w.id and credential_key_id = $keyId offset 0) c
     where w.kind = 'purchase' and w.${LISTED} and (w.merchant_id, w.due_at, w.id) > ($afterMerchantId, $afterDueAt::timestamptz, $afterId)
     order by w.merchant_id, w.due_at, w.id limit $limit`,
    SEALED,
  ),
}

/** Operator's statements: how many credentials one key wraps, at most `limit`. */
export const countCredentialsUnderKey = {
  charge: one(
    'charges.count_credentials_under_key',
    `select count(*)::int as count from (
       select 1 from charges where ${LISTED} and credential_key_id = $keyId limit $limit) counted`,
    { count: int },
  ),
  purchase: one(
    'purchases.count_credentials_under_key',
    `select count(*)::int as count from (
       select 1 from open_work w cross join lateral (
         select 1 from charges where merchant_id = w.merchant_id and id = w.id and credential_key_id = $keyId offset 0) c
       where w.kind = 'purchase' and w.${LISTED} limit $limit) counted`,
    { count: int },
  ),
}

const REPORTED = {
  chargeStatus: oneOf(CHARGE_STATUSES),
  mandateId: nullable(text),
  failure: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  lapsesAt: nullable(time),
  reportedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  networkConfirmation: nullable(oneOf(CONFIRMATIONS)),
  standingMandateId: nullable(text),
  /** Null while there is no credential: not yet, or not any more. */
  credentialKeyId: nullable(text),
}
/** How far the report of a charge has come. */
export type ReportedCharge = RowOf<typeof REPORTED>
/** The same as another feature knows it; one that has charges of checkouts only need not say so. */
export type KnownCharge = Omit<ReportedCharge, 'standingMandateId'> & Partial<Pick<ReportedCharge, 'standingMandateId'>>

export const findReported = one(
  'charges.find_reported',
  `select status as charge_status, mandate_id, failure_code as failure, lapses_at, reported_outcome,
     network_confirmation, standing_mandate_id, credential_key_id
   from charges where merchant_id = $merchantId and id = $chargeId`,
  REPORTED,
)

/** Reported before, and not due to be asked again yet: SQL of the charge as it was. Being taken does not change when it is due. */
const IS_EARLY = '(reported_outcome is not null and work_due_at > $at)'

/** Takes the report, for the caller to confirm it. None: another report has the charge or has decided it, or it awaits none. */
export const claimReport = one(
  'charges.claim_report',
  // The first report wins and keeps the row until the network has confirmed; the same outcome again may take over once
  // the lease has ended; the other outcome never matches. The credential is erased with the claim: it has been used. One that is there and
  // lapsed takes no report before the network has said whether it was used. A report that
  // comes again before the network is to be asked again is early: it asks, and when and how often that is due stays as it was.
  `with charges as (
     update charges set reported_outcome = $outcome, reported_type = coalesce(reported_type, $type),
       authorization_code = coalesce(authorization_code, $authorizationCode),
       response_code = coalesce(response_code, $responseCode), paid_minor = coalesce(paid_minor, $paidMinor),
       products = case when reported_outcome is null then $products::jsonb else products end,
       reported_at = coalesce(reported_at, $at), credential_sealed = null, credential_key_id = null,
       work_due_at = case when ${IS_EARLY} then work_due_at else $at end,
       attempts = attempts + case when ${IS_EARLY} then 0 else 1 end, ${LEASED}, updated_at = $at
     where merchant_id = $merchantId and id = $chargeId and status = 'awaiting_result' and work_due_at is not null and ${FREE}
       and (reported_outcome is null or reported_outcome = $outcome)
       and (reported_outcome is not null
         or lapses_at > case when standing_mandate_id is null or credential_sealed is not null then $at else $overdueBound end)
     returning *
   )
   select ${WORK_COLUMNS}, charges.work_due_at > $at as is_early from charges ${JOIN_INSTRUCTION}`,
  { ...WORK, isEarly: bool },
)

/** Gives back what an early report took, and nothing else of it. */
export const releaseEarly = execute(
  'charges.release_early',
  `update charges set lease_until = null where merchant_id = $merchantId and id = $id and ${IS_HELD}`,
)

// A charge against a standing mandate, as it is shown. `open-store.ts` has how charges begin, `ends-store.ts` how they end.

const STANDING = {
  merchantId: text,
  id: text,
  mandateId: text,
  orderId: text,
  lineItemId: text,
  reference: nullable(text),
  chargeStatus: oneOf(CHARGE_STATUSES),
  failure: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  amountMinor: bigint,
  currency: text,
  payeeUrl: text,
  products: json<StoredProduct[]>(),
  seal: nullable(bytes),
  deliveryShopId: nullable(text),
  deliverySessionId: nullable(text),
  credentialSealed: nullable(bytes),
  credentialKeyId: nullable(text),
  standingMandateId: nullable(text),
  lapsesAt: nullable(time),
  reportedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  networkConfirmation: nullable(oneOf(CONFIRMATIONS)),
}
const { chargeStatus: _, failure: __, ...PLAIN } = STANDING
const SHOWN = {
  ...STANDING,
  instructionRef: nullable(text),
  mandateCurrency: text,
  mandatePayeeUrl: text,
  merchantActive: bool,
}
/** A charge against a standing mandate, as it is. */
export type StandingCharge = RowOf<typeof SHOWN>
const SHOWN_COLUMNS = `charges.status as charge_status, charges.failure_code as failure, ${columns(PLAIN, 'charges')},
     mandates.instruction_ref, mandates.currency as mandate_currency, mandates.payee_url as mandate_payee_url,
     (select status = 'active' from merchants where id = $merchantId) as merchant_active` as const
const JOIN_MANDATE = `join lateral (
     select * from mandates where merchant_id = $merchantId and id = charges.mandate_id offset 0) mandates on true`

export const findStanding = one(
  'charges.find_standing',
  `select ${SHOWN_COLUMNS} from charges ${JOIN_MANDATE}
   where charges.merchant_id = $merchantId and charges.id = $chargeId and charges.standing_mandate_id = $mandateId`,
  SHOWN,
)

/** The charge that holds a reference now. */
export const findHolder = one(
  'charges.find_holder',
  `select ${SHOWN_COLUMNS} from charges ${JOIN_MANDATE} where ${HOLDER}`,
  SHOWN,
)

/** Takes over a charge that the network has not answered, when it is due and no other process holds it. */
export const claimMinting = one(
  'charges.claim_minting',
  `with charges as (
     update charges set attempts = attempts + 1, ${LEASED}
     where merchant_id = $merchantId and id = $chargeId and status = 'minting' and work_due_at <= $at and ${FREE}
     returning *
   )
   select ${WORK_COLUMNS} from charges ${JOIN_INSTRUCTION}`,
  WORK,
)
