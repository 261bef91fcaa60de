import { CHARGE_STATUSES, MANDATE_STATUSES, REPORTED_OUTCOMES } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { INSTRUCTION, INSTRUCTION_COLUMNS } from '../mandates/fragments.ts'
import { originList } from '../platform/states.ts'
import { CHARGE_TRANSITIONS } from './states.ts'

// Parts of statements about the open work of a charge: what its holder needs to know, and how an approval opens it.

/** What an event about a charge says of it. */
const EVENT_FACTS = {
  version: int,
  orderId: text,
  externalOrderRef: nullable(text),
  amountMinor: bigint,
  currency: text,
  openedBy: nullable(text),
  /** Null for the charge of a checkout. */
  standingMandateId: nullable(text),
}
export const CHANGED = { merchantId: text, id: text, ...EVENT_FACTS }
export type ChangedCharge = RowOf<typeof CHANGED>

/** What the network calls of a charge need, and what is known of its report. */
const WORK_FACTS = {
  ...EVENT_FACTS,
  status: oneOf(['minting', 'awaiting_result']),
  payeeUrl: text,
  /** The caller's own, of a charge against a standing mandate. */
  reference: nullable(text),
  seal: nullable(bytes),
  /** The shop that its card goes to, and the checkout there. Null: to who charges. */
  deliveryShopId: nullable(text),
  deliverySessionId: nullable(text),
  /** Null while there is no credential: not yet, or not any more. */
  credentialKeyId: nullable(text),
  /** How long the credential lives from its mint; null: as long as its mandate. */
  lifeMinutes: nullable(int),
  lapsesAt: nullable(time),
  /** When it was told that no report came. */
  overdueAt: nullable(time),
  reportedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  paidMinor: nullable(bigint),
  authorizationCode: nullable(text),
  responseCode: nullable(text),
}
/** What the network is told of a report, and what records its word. */
const REPORT_FACTS = {
  ...EVENT_FACTS,
  mandateId: text,
  status: WORK_FACTS.status,
  reportedOutcome: WORK_FACTS.reportedOutcome,
  paidMinor: WORK_FACTS.paidMinor,
  authorizationCode: WORK_FACTS.authorizationCode,
  responseCode: WORK_FACTS.responseCode,
}
/** What is claimed with a charge, besides the claim itself. */
export const CLAIMED_WORK = {
  ...WORK_FACTS,
  ...INSTRUCTION,
  mandateStatus: oneOf(MANDATE_STATUSES),
  merchantActive: bool,
}
const HELD = { merchantId: text, id: text, leaseFence: bigint, attempts: int }
export const WORK = { ...HELD, ...CLAIMED_WORK }
/** A charge whose report the caller holds: no more of it than that takes. */
export const REPORTED_WORK = {
  ...HELD,
  ...REPORT_FACTS,
  /** Null of a purchase, whose mandate is for one payment. */
  frequency: nullable(INSTRUCTION.frequency),
}
export type ReportedWork = RowOf<typeof REPORTED_WORK>
/** The select list of `REPORTED_WORK`, from `charges`. */
export const REPORTED_WORK_COLUMNS = `merchant_id, charges.id, lease_fence, attempts, ${columns(REPORT_FACTS)}, (
     select frequency from mandates where merchant_id = $merchantId and id = standing_mandate_id) as frequency` as const
/** Open work on a charge, with the fence that its result must carry. */
export type ChargeWork = RowOf<typeof WORK>
/** What the network calls need of a charge, however far it has come. */
export type ChargeFacts = Omit<ChargeWork, 'status'>
/** What is claimed with a purchase of its charge: also of one that has ended, while the shop is still to be told. */
export const PURCHASED_CHARGE = { ...CLAIMED_WORK, status: oneOf(CHARGE_STATUSES), credentialSealed: nullable(bytes) }
const MERCHANT_ACTIVE = `(select status = 'active' from merchants where id = $merchantId) as merchant_active`
export const CLAIMED_WORK_COLUMNS =
  `${columns(WORK_FACTS, 'charges')}, ${INSTRUCTION_COLUMNS}, mandates.status as mandate_status, ${MERCHANT_ACTIVE}` as const
/** The select list of `PURCHASED_CHARGE`, from `charges`, `mandates` and `cards`. */
export const PURCHASED_CHARGE_COLUMNS = `${CLAIMED_WORK_COLUMNS}, charges.credential_sealed` as const
/** The select list of `WORK`, from `charges` as the caller has claimed it, `mandates` and `cards`. */
export const WORK_COLUMNS =
  `charges.merchant_id, charges.id, charges.lease_fence, charges.attempts, ${CLAIMED_WORK_COLUMNS}` as const

/** There is something to do on the charge, now or later. */
export const HAS_WORK = 'work_due_at is not null'
/**
 * The same, as lists of due work say it. The indexes over due times are narrowed by what is always true: otherwise a
 * plan that was made while there was little work would find one charge by reading all work of its merchant.
 */
export const LISTED_WORK = `${HAS_WORK} and amount_minor > 0` as const
/**
 * There is something to do now on a charge that is due. One that only waits for its report is due early, as nothing
 * moves that time when the network has minted.
 */
export const READY = `(status <> 'awaiting_result' or reported_outcome is not null or lapses_at <= $at)` as const

/** The purchase whose session is approved, for the card that was shown there, while nothing has ended it. */
const OPEN_PURCHASE = `merchant_id = $merchantId and id = $chargeId and opened_by = $sessionId and card_id = $cardId
       and closed_at is null` as const
const STILL_SIGNED = `status in (${originList(CHARGE_TRANSITIONS, 'minting')})
       and amount_minor = $amountMinor and currency = $currency and payee_url = $payeeUrl` as const

/** What an approval has written of its charge that was not known before. */
export const BEGUN = { version: int, leaseFence: bigint }

const mintingWith = <const Work extends string>(work: Work) =>
  `minting as (
     update charges set status = 'minting', closed_at = $at, ceremony = null, mandate_id = $mandateId, seal = $chargeSeal,
       mandate_status = 'pending', mandate_seal = $mandateSeal::bytea, approval_hash = $approvalHash, approved_at = $at,
       valid_until = $validUntil, payee_network_name = $payeeNetworkName, updated_at = $at${work}
     where ${OPEN_PURCHASE} and expires_at > $at and ${STILL_SIGNED}
       and exists (select 1 from merchants where id = $merchantId and status = 'active')
     returning id, version, lease_fence, proven_card_id
   )` as const

/**
 * CTE `minting`: the session of a purchase is closed, its mandate made and its charge to be minted. The
 * purchase has the work. No row: it waits no more, or is not what was signed. No signature is awaited any more, also
 * one that another page has asked for meanwhile.
 */
export const MINTING = mintingWith('')

/**
 * CTE `minting`: the same, leased to the caller. Written before the network is asked: if
 * this process dies then, a worker takes over when the lease ends.
 */
export const START_MINTING = mintingWith(
  ', work_due_at = $leaseUntil, lease_until = $leaseUntil, lease_fence = lease_fence + 1, attempts = 1',
)
