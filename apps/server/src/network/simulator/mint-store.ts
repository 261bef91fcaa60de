import { CURRENCIES, RECURRING_FREQUENCIES, REPORTED_OUTCOMES, type ReportedOutcome } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, nullable, oneOf, type RowOf, text, time } from '../../db/row.ts'
import { execute, one, type Queryable } from '../../db/statement.ts'
import { originList } from '../../platform/states.ts'
import { DECLINE_REASONS, type DeclineReason } from '../port.ts'
import { CREDENTIAL_TRANSITIONS, INSTRUCTION_STATES, MINT_STATES, MINT_TRANSITIONS } from './states.ts'
import { BEHAVIOURS } from './test-cards.ts'

// The second part of the simulated network's tables: mints and windows; `acquirer-store.ts` has the last. `store.ts` has
// the lock order.

/**
 * At most one mint for a charge id: the key lets one caller in, and makes the others wait until that one has committed
 * an outcome (zero rows: read it) or rolled back (one row: their turn).
 */
export const claimMint = execute(
  'simnet.claim_mint',
  `insert into simnet.mints (charge_id, mandate_id, state, currency, amount_minor, merchant_host, asked_at,
     wrong_cvv_count)
   values ($chargeId, $mandateId, 'deciding', $currency, $amountMinor, $merchantHost, $at, 0)
   on conflict (charge_id) do nothing`,
)

/** The terms of a registered instruction. The join leaves tombstones out, so the schema's checks fill every term. */
const TERMS = {
  state: oneOf(INSTRUCTION_STATES),
  instructionRef: text,
  currency: oneOf(CURRENCIES),
  capMinor: bigint,
  frequency: oneOf(RECURRING_FREQUENCIES),
  maxCharges: nullable(int),
  chargeCount: int,
  merchantHost: nullable(text),
  validUntil: time,
  registeredAt: time,
}
const LOCKED_INSTRUCTION = { ...TERMS, tokenActive: bool, behaviour: oneOf(BEHAVIOURS) }
export type LockedInstruction = RowOf<typeof LOCKED_INSTRUCTION>

/**
 * Mints of one mandate, and its cancellation, happen one after the other from here on. The token is not locked: its
 * deletion cancels this row in the same transaction, and so waits here too.
 */
export const lockInstruction = one(
  'simnet.lock_instruction',
  `select ${columns(TERMS, 'i')}, t.state = 'active' as token_active, t.behaviour
   from simnet.instructions i join simnet.tokens t on t.token_ref = i.token_ref
   where i.mandate_id = $mandateId
   for update of i`,
  LOCKED_INSTRUCTION,
)

/** What is spent in a window. The row is made and locked first, because a missing one cannot be locked. */
export const lockWindow = one(
  'simnet.lock_window',
  `insert into simnet.windows (mandate_id, started_at, spent_minor) values ($mandateId, $startedAt, 0)
   on conflict (mandate_id, started_at) do update set spent_minor = windows.spent_minor
   returning spent_minor`,
  { spentMinor: bigint },
)

/**
 * Takes one charge and its amount. The limits stand in the statement that takes: cap and count cannot be passed, even if
 * the code before it decided wrongly. Zero rows: roll back, the count may have been taken alone.
 */
export const claimAllowance = execute(
  'simnet.claim_allowance',
  `with counted as (
     update simnet.instructions set charge_count = charge_count + 1
     where mandate_id = $mandateId and state = 'active'
       and valid_until > $at and (max_charges is null or charge_count < max_charges)
     returning mandate_id, cap_minor
   )
   update simnet.windows w set spent_minor = w.spent_minor + $amountMinor from counted
   where w.mandate_id = counted.mandate_id and w.started_at = $startedAt
     and w.spent_minor + $amountMinor <= counted.cap_minor`,
)

/** Violates `mints_number_lookup_key` when the number is in use. */
export const updateMinted = execute(
  'simnet.update_minted',
  `update simnet.mints set state = 'minted', credential_state = 'open', window_started_at = $startedAt,
     number_sealed = $numberSealed, number_lookup = $numberLookup, cvv_sealed = $cvvSealed,
     expiry_month = $expiryMonth, expiry_year = $expiryYear, valid_until = $validUntil
   where charge_id = $chargeId and state in (${originList(MINT_TRANSITIONS, 'minted')})`,
)

export const updateDeclined = execute(
  'simnet.update_declined',
  `update simnet.mints set state = 'declined', decline_reason = $reason
   where charge_id = $chargeId and state in (${originList(MINT_TRANSITIONS, 'declined')})`,
)

/** A minted credential, sealed. */
export const CREDENTIAL = {
  chargeId: text,
  mandateId: text,
  numberSealed: bytes,
  cvvSealed: bytes,
  expiryMonth: text,
  expiryYear: text,
  validUntil: time,
}
type Credential = RowOf<typeof CREDENTIAL>

const MINT = {
  ...CREDENTIAL,
  state: oneOf(MINT_STATES),
  declineReason: nullable(oneOf(DECLINE_REASONS)),
  confirmedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
}

/** The schema's checks hold the two shapes apart. */
type Mint =
  | { chargeId: string; mandateId: string; state: 'declined'; declineReason: DeclineReason }
  | ({ state: 'minted'; confirmedOutcome: ReportedOutcome | null } & Credential)

const findMintRow = one(
  'simnet.find_mint',
  `select ${columns(MINT)} from simnet.mints where charge_id = $chargeId`,
  MINT,
)

/** Never sees `deciding`: such a row is not committed. */
export async function findMint(on: Queryable, chargeId: string): Promise<Mint | undefined> {
  return (await findMintRow(on, { chargeId })) as Mint | undefined
}

/**
 * What the acquirer knows of a charge: whether it was tried, and the amount it approved. Null: never.
 */
export const findAuthorized = one(
  'simnet.find_authorized',
  `select count(*) > 0 as was_tried, max(amount_minor) filter (where response_code = '00') as approved_minor
   from simnet.authorizations where charge_id = $chargeId`,
  { wasTried: bool, approvedMinor: nullable(bigint) },
)

/**
 * The first outcome wins, and a declined charge gives its amount and its count back, in one statement: exactly once. The
 * credential is closed with it, or an amount given back could still be spent. Zero rows: already confirmed, or nothing
 * was minted. The instruction must be locked (lock order).
 */
export const claimConfirmation = one(
  'simnet.claim_confirmation',
  `with confirmed as (
     update simnet.mints set confirmed_outcome = $outcome, confirmed_at = $at, confirmed_paid_minor = $paidMinor,
       confirmed_authorization_code = $authorizationCode, confirmed_response_code = $responseCode,
       credential_state = case when credential_state in (${originList(CREDENTIAL_TRANSITIONS, 'closed')})
         then 'closed' else credential_state end
     where charge_id = $chargeId and state = 'minted' and confirmed_outcome is null
     returning charge_id, mandate_id, window_started_at, amount_minor, confirmed_outcome
   ), uncounted as (
     update simnet.instructions i set charge_count = i.charge_count - 1 from confirmed c
     where i.mandate_id = c.mandate_id and c.confirmed_outcome = 'DECLINED'
   ), given_back as (
     update simnet.windows w set spent_minor = w.spent_minor - c.amount_minor from confirmed c
     where w.mandate_id = c.mandate_id and w.started_at = c.window_started_at and c.confirmed_outcome = 'DECLINED'
   )
   select charge_id from confirmed`,
  { chargeId: text },
)
