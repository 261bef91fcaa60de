import { CURRENCIES, RECURRING_FREQUENCIES, REPORTED_OUTCOMES, type ReportedOutcome } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, nullable, oneOf, type RowOf, text, time } from '../../db/row.ts'
import { execute, one, type Queryable } from '../../db/statement.ts'
import { UNAWAITED } from '../../db/unawaited.ts'
import { originList } from '../../platform/states.ts'
import { DECLINE_REASONS, type DeclineReason } from '../port.ts'
import { CREDENTIAL_TRANSITIONS, INSTRUCTION_STATES, MINT_STATES, MINT_TRANSITIONS } from './states.ts'
import { BEHAVIOURS } from './test-cards.ts'

// The second part of the simulated network's tables: mints and windows; `acquirer-store.ts` has the last. `store.ts`
// has the lock order.

/**
 * At most one mint for a charge id: the key lets one caller in, and makes the others wait until that one has committed
 * an outcome (zero rows: read it) or rolled back (one row: their turn). The instruction is locked before.
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
const JUDGED_INSTRUCTION = { ...TERMS, tokenActive: bool, behaviour: oneOf(BEHAVIOURS) }
/** What a mint is judged by. */
export type JudgedInstruction = RowOf<typeof JUDGED_INSTRUCTION>

/** The same before anything is locked, and whether the charge id has been asked for before. */
export const findInstructionAsked = one(
  'simnet.find_instruction_asked',
  `select ${columns(TERMS, 'i')}, t.state = 'active' as token_active, t.behaviour,
     exists (select 1 from simnet.mints where charge_id = $chargeId) as was_asked
   from simnet.instructions i join simnet.tokens t on t.token_ref = i.token_ref
   where i.mandate_id = $mandateId`,
  { ...JUDGED_INSTRUCTION, wasAsked: bool },
)

/**
 * A whole mint, of a charge id that is new and nothing stands against. The limits stand in the statement that takes
 * them: cap and count cannot be passed. The instruction is locked first, so mints of one mandate happen one after the
 * other; what else it is judged by never changes once it is registered. None: something stands against it after all.
 * Violates `mints_pkey` when the charge id was decided meanwhile and `mints_number_lookup_key` when the number is in
 * use: the statement then took nothing.
 */
export const insertMinted = one(
  'simnet.insert_minted',
  `with locked as (
     select mandate_id, cap_minor from simnet.instructions
     where mandate_id = $mandateId and state = 'active' and valid_until > $at
       and (max_charges is null or charge_count < max_charges)
     for update
   ), spent as (
     insert into simnet.windows as w (mandate_id, started_at, spent_minor)
     select mandate_id, $startedAt, $amountMinor from locked where $amountMinor <= cap_minor
     on conflict (mandate_id, started_at) do update set spent_minor = w.spent_minor + excluded.spent_minor
       where w.spent_minor + excluded.spent_minor <= (select cap_minor from locked)
     returning mandate_id
   ), counted as (
     update simnet.instructions i set charge_count = i.charge_count + 1 from spent where i.mandate_id = spent.mandate_id
   )
   insert into simnet.mints (charge_id, mandate_id, state, credential_state, currency, amount_minor, merchant_host,
     asked_at, window_started_at, number_sealed, number_lookup, cvv_sealed, expiry_month, expiry_year, valid_until,
     wrong_cvv_count)
   select $chargeId, mandate_id, 'minted', 'open', $currency, $amountMinor, $merchantHost, $at, $startedAt, $numberSealed,
     $numberLookup, $cvvSealed, $expiryMonth, $expiryYear, $validUntil, 0
   from spent where ${UNAWAITED}
   returning charge_id`,
  { chargeId: text },
)

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
  JUDGED_INSTRUCTION,
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
 * Takes one charge and its amount. The limits stand in the statement that takes: cap and count cannot be passed, even
 * if the code before it decided wrongly. Zero rows: roll back, the count may have been taken alone.
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

/** The schema's checks hold the shapes apart. */
type Mint =
  /** The mandate is null where it was released before it was asked for. */
  | { chargeId: string; mandateId: string | null; state: 'released' }
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
 * What the acquirer knows of a charge: whether it was tried, and the amount it approved. Null: never, or all of it was
 * given up, and nothing was taken.
 */
export const findAuthorized = one(
  'simnet.find_authorized',
  `select count(*) > 0 as was_tried, max(a.amount_minor) filter (where a.response_code = '00' and not given_up.all_of_it)
     as approved_minor
   from simnet.authorizations a cross join (
     select coalesce(sum(amount_minor) filter (where kind = any ('{reversed,expired}')) >= (
         select max(amount_minor) from simnet.authorizations where charge_id = $chargeId and response_code = '00')
       and count(*) filter (where kind = 'captured') = 0, false) as all_of_it
     from simnet.settlements where charge_id = $chargeId) given_up
   where a.charge_id = $chargeId`,
  { wasTried: bool, approvedMinor: nullable(bigint) },
)

/**
 * What a mint counted for before the statement, whose UPDATE makes it nothing: a subquery sees rows as they were. The
 * instruction must be locked before the statement begins.
 */
export const COUNTED_BEFORE = `(
       select coalesce(was.counted_minor, was.amount_minor) from simnet.mints was where was.charge_id = $chargeId)` as const

/**
 * The first outcome wins, and a declined charge gives its amount and its count back, in one statement: exactly once.
 * The credential is closed with it, or an amount given back could still be spent. One that the acquirer approves at
 * this very moment was not tried when the statement began and is used when its row is locked: then the report has to be
 * looked at again.
 */
const CONFIRMED = `confirmed as (
     update simnet.mints m set confirmed_outcome = $outcome, confirmed_at = $at, confirmed_paid_minor = $paidMinor,
       confirmed_authorization_code = $authorizationCode, confirmed_response_code = $responseCode,
       credential_state = case when credential_state in (${originList(CREDENTIAL_TRANSITIONS, 'closed')})
         then 'closed' else credential_state end,
       counted_minor = case when $outcome = 'DECLINED' then 0 else m.counted_minor end
     from locked
     where m.charge_id = $chargeId and m.mandate_id = locked.mandate_id and m.state = 'minted'
       and m.confirmed_outcome is null and (locked.was_tried or m.credential_state <> 'used')
     returning m.charge_id, m.mandate_id, m.window_started_at, m.confirmed_outcome,
       case when m.confirmed_outcome = 'DECLINED' then ${COUNTED_BEFORE} end as amount_minor
   ), uncounted as (
     update simnet.instructions i set charge_count = i.charge_count - 1 from confirmed c
     where i.mandate_id = c.mandate_id and c.confirmed_outcome = 'DECLINED'
   ), given_back as (
     update simnet.windows w set spent_minor = w.spent_minor - c.amount_minor from confirmed c
     where w.mandate_id = c.mandate_id and w.started_at = c.window_started_at and c.confirmed_outcome = 'DECLINED'
   )`

/** Zero rows: already confirmed, or nothing was minted. The instruction must be locked (lock order). */
export const claimConfirmation = one(
  'simnet.claim_confirmation',
  `with locked as (
     select mandate_id, exists (select 1 from simnet.authorizations where charge_id = $chargeId) as was_tried
     from simnet.mints where charge_id = $chargeId
   ), ${CONFIRMED}
   select charge_id from confirmed`,
  { chargeId: text },
)

/**
 * The same of a charge that the network's acquirer never saw, so that nothing contradicts the report, and whose card
 * has no script for it. Locks the instruction itself. Zero rows also when the credential was spent this moment.
 */
export const claimUntriedConfirmation = one(
  'simnet.claim_untried_confirmation',
  `with locked as (
     select i.mandate_id, false as was_tried from simnet.instructions i
       join simnet.mints m on m.mandate_id = i.mandate_id
       join simnet.tokens t on t.token_ref = i.token_ref
     where m.charge_id = $chargeId and t.behaviour <> all ($scripted)
       and not exists (select 1 from simnet.authorizations a where a.charge_id = $chargeId)
     for update of i
   ), ${CONFIRMED}
   select charge_id from confirmed where ${UNAWAITED}`,
  { chargeId: text },
)
