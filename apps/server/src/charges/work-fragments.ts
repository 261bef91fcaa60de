import { CHARGE_STATUSES, MANDATE_STATUSES, REPORTED_OUTCOMES } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { FREE } from '../jobs/due.ts'
import { LEASED } from '../jobs/fragments.ts'
import { INSTRUCTION, INSTRUCTION_COLUMNS } from '../mandates/fragments.ts'
import { originList } from '../platform/states.ts'
import { CHARGE_TRANSITIONS } from './states.ts'

// Parts of statements about the open work of a charge: what its holder needs to know, and how an approval opens it. It is in the row of the
// charge: `work_due_at` and `attempts` are null while there is nothing to do, and `lease_until` while it is not in hand.

/** What an UPDATE sets: nothing is left to do, and its holder writes nothing any more. */
export const NO_WORK = 'work_due_at = null, attempts = null, lease_until = null' as const
/** What an UPDATE sets: what comes next is due at `due`, SQL, and its tries count from the beginning. */
export const dueNext = <const Due extends string>(due: Due) =>
  `work_due_at = ${due}, attempts = 0, lease_until = null` as const

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

/** What of a report the network is told, what its word is recorded with, and what must not have been edited of the charge. */
const REPORTED_FACTS = {
  ...EVENT_FACTS,
  payeeUrl: text,
  seal: nullable(bytes),
  reportedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  paidMinor: nullable(bigint),
  authorizationCode: nullable(text),
  responseCode: nullable(text),
}
/** What the network calls of a charge need, and what is known of its report. */
const WORK_FACTS = {
  ...REPORTED_FACTS,
  status: oneOf(['minting', 'awaiting_result']),
  /** The caller's own, of a charge against a standing mandate. */
  reference: nullable(text),
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
}
/** What is claimed with a charge, besides the claim itself. */
export const CLAIMED_WORK = {
  ...WORK_FACTS,
  ...INSTRUCTION,
  mandateStatus: oneOf(MANDATE_STATUSES),
  merchantActive: bool,
}
const HELD = { merchantId: text, id: text, leaseFence: bigint, attempts: int }
const HELD_COLUMNS = columns(HELD, 'charges')
export const WORK = { ...HELD, ...CLAIMED_WORK }
/** A report of a checkout's charge, in the hands of who confirms it. */
export const REPORTED_WORK = { ...HELD, ...REPORTED_FACTS, mandateId: text, mandateStatus: oneOf(MANDATE_STATUSES) }
export type ReportedWork = RowOf<typeof REPORTED_WORK>
/** The select list of `REPORTED_WORK`, from `charges`. */
const REPORTED_WORK_COLUMNS = `${HELD_COLUMNS}, ${columns(REPORTED_FACTS, 'charges')}, charges.mandate_id,
     (select status from mandates where merchant_id = $merchantId and id = charges.mandate_id) as mandate_status` as const
/**
 * Open work on a charge, with the fence that its result must carry. `isCardDeleted`: what was minted with its card has ended at the network;
 * only who claims what is due asks for that.
 */
export type ChargeWork = RowOf<typeof WORK> & { isCardDeleted?: boolean }
/** What the network calls need of a charge, however far it has come. */
export type ChargeFacts = Omit<ChargeWork, 'status'>
/** What is claimed with a purchase of its charge: also of one that has ended, while the shop is still to be told. */
export const PURCHASED_CHARGE = { ...CLAIMED_WORK, status: oneOf(CHARGE_STATUSES), credentialSealed: nullable(bytes) }
const MERCHANT_ACTIVE = `(select status = 'active' from merchants where id = $merchantId) as merchant_active`
export const CLAIMED_WORK_COLUMNS =
  `${columns(WORK_FACTS, 'charges')}, ${INSTRUCTION_COLUMNS}, mandates.status as mandate_status, ${MERCHANT_ACTIVE}` as const
/** The select list of `PURCHASED_CHARGE`, from `charges`, `mandates` and `cards`. */
export const PURCHASED_CHARGE_COLUMNS = `${CLAIMED_WORK_COLUMNS}, charges.credential_sealed` as const
/** The select list of `WORK`, from `charges`, `mandates` and `cards`. */
export const WORK_COLUMNS = `${HELD_COLUMNS}, ${CLAIMED_WORK_COLUMNS}` as const

/** What an approval reads back of the charge that it begins; `openedBy` so that the seal notices an edited one. */
export const BEGUN_WORK = {
  ...{ version: int, orderId: text, externalOrderRef: nullable(text), openedBy: nullable(text) },
  leaseFence: bigint,
}
export type BegunWork = RowOf<typeof BEGUN_WORK>

const beginMinting = <const Work extends string, const Returning extends string>(work: Work, returning: Returning) =>
  `minting as (
     update charges set status = 'minting', mandate_id = $mandateId, card_id = $cardId, seal = $chargeSeal, ${work}updated_at = $at
     where merchant_id = $merchantId and id = $chargeId and status in (${originList(CHARGE_TRANSITIONS, 'minting')})
       and amount_minor = $amountMinor and currency = $currency and payee_url = $payeeUrl and exists (select 1 from closed)
     returning ${returning}
   )` as const
/**
 * CTE `minting`: the charge of an approval, if `closed` has a row, leased to the caller. Written before the network is asked: if this process
 * dies then, a worker takes over when the lease ends. No row: it has moved on, or is not what was signed.
 */
export const BEGIN_MINTING = beginMinting(`work_due_at = $at, attempts = 1, ${LEASED}, `, columns(BEGUN_WORK))
/** The same where the service itself buys: what there is to do is its purchase's. */
export const BEGIN_BUYING = beginMinting('', 'id')

/** The end of a statement that has `minting`. Returns `BEGUN_WORK`. */
export const SELECT_MINTING = `select ${columns(BEGUN_WORK)} from minting` as const

/**
 * A statement: takes the first report of the charge of a checkout that the session `$sessionId` has opened, for the caller to confirm it.
 * `charge` is SQL of its id. It is of the whole payment, so that no amount and no product has to be looked at. None: it is not for this
 * statement to say why not. The credential is erased: it has been used.
 */
export const firstReportOf = <const Charge extends string>(charge: Charge) =>
  `with charges as (
     update charges set reported_outcome = $outcome, reported_type = $type, authorization_code = $authorizationCode,
       response_code = $responseCode, paid_minor = $paidMinor, reported_at = $at, credential_sealed = null, credential_key_id = null,
       work_due_at = $at, attempts = attempts + 1, ${LEASED}, updated_at = $at
     where merchant_id = $merchantId and id = ${charge} and opened_by = $sessionId and line_item_id = $lineItemId
       and status = 'awaiting_result' and reported_outcome is null and lapses_at > $at and work_due_at is not null and ${FREE}
       and ($paidMinor::bigint is null or amount_minor = $paidMinor)
     returning *
   )
   select ${REPORTED_WORK_COLUMNS} from charges` as const
