import type { Currency } from '@mintmark/contract'
import { count, type Queryable, row, statement } from '../../db/statement.ts'
import type { Tx } from '../../db/transaction.ts'
import type { ConfirmRequest, DeclineReason, MintRequest } from '../port.ts'
import type { ResponseCode } from './response-codes.ts'
import type { Behaviour } from './test-cards.ts'
import type { Frequency } from './windows.ts'

// The second half of the simulated network's tables: mints, windows and authorizations. `store.ts` has the lock order.

const claimMintStatement = statement(
  'simnet.claimMint',
  `insert into simnet.mints (charge_id, mandate_id, state, currency, amount_minor, merchant_host, asked_at,
     wrong_cvv_count)
   values ($1, $2, 'deciding', $3, $4, $5, $6, 0)
   on conflict (charge_id) do nothing`,
)

/**
 * At most one mint for a charge id: the key lets one caller in, and makes the others wait until that one has committed
 * an outcome (zero rows: read it) or rolled back (one row: their turn).
 */
export function claimMint(tx: Tx, request: MintRequest, merchantHost: string | null, at: Date): Promise<number> {
  const { chargeId, mandateId, amount } = request
  return count(tx, claimMintStatement, [chargeId, mandateId, amount.currency, amount.minor, merchantHost, at])
}

export interface LockedInstructionRow {
  state: 'active' | 'cancelled'
  instruction_ref: string
  currency: Currency
  cap_minor: bigint
  frequency: Frequency
  max_charges: number | null
  charge_count: number
  merchant_host: string | null
  valid_until: Date
  registered_at: Date
  token_active: boolean
  behaviour: Behaviour
}

const lockInstructionStatement = statement<LockedInstructionRow>(
  'simnet.lockInstruction',
  `select i.state, i.instruction_ref, i.currency, i.cap_minor, i.frequency, i.max_charges, i.charge_count,
     i.merchant_host, i.valid_until, i.registered_at, t.state = 'active' as token_active, t.behaviour
   from simnet.instructions i join simnet.tokens t on t.token_ref = i.token_ref
   where i.mandate_id = $1
   for update of i`,
)

/**
 * Mints of one mandate, and its cancellation, happen one after the other from here on. The token is not locked: its
 * deletion cancels this row in the same transaction, and so waits here too.
 */
export function lockInstruction(tx: Tx, mandateId: string): Promise<LockedInstructionRow | undefined> {
  return row(tx, lockInstructionStatement, [mandateId])
}

const openWindowStatement = statement<{ spent_minor: bigint }>(
  'simnet.openWindow',
  `insert into simnet.windows (mandate_id, started_at, spent_minor) values ($1, $2, 0)
   on conflict (mandate_id, started_at) do update set spent_minor = windows.spent_minor
   returning spent_minor`,
)

/** What is spent in a window. The row is made and locked first, because a missing one cannot be locked. */
export function openWindow(tx: Tx, mandateId: string, startedAt: Date): Promise<{ spent_minor: bigint } | undefined> {
  return row(tx, openWindowStatement, [mandateId, startedAt])
}

const takeAllowanceStatement = statement(
  'simnet.takeAllowance',
  `with counted as (
     update simnet.instructions set charge_count = charge_count + 1
     where mandate_id = $1 and state = 'active' and valid_until > $4
       and (max_charges is null or charge_count < max_charges)
     returning mandate_id, cap_minor
   )
   update simnet.windows w set spent_minor = w.spent_minor + $3 from counted
   where w.mandate_id = counted.mandate_id and w.started_at = $2 and w.spent_minor + $3 <= counted.cap_minor`,
)

/**
 * Takes one charge and its amount. The limits stand in the statement that takes: whatever the code before it decided,
 * cap and count cannot be passed. Zero rows: roll back, the count may have been taken alone.
 */
export function takeAllowance(tx: Tx, mandateId: string, window: Date, minor: bigint, at: Date): Promise<number> {
  return count(tx, takeAllowanceStatement, [mandateId, window, minor, at])
}

export interface SealedCredential {
  numberSealed: Buffer
  numberLookup: Buffer
  cvvSealed: Buffer
  expiryMonth: string
  expiryYear: string
  validUntil: Date
}

const updateMintedStatement = statement(
  'simnet.updateMinted',
  `update simnet.mints set state = 'minted', credential_state = 'open', window_started_at = $2, number_sealed = $3,
     number_lookup = $4, cvv_sealed = $5, expiry_month = $6, expiry_year = $7, valid_until = $8
   where charge_id = $1 and state = 'deciding'`,
)

/** Violates `mints_number_lookup_key` when the number is in use. */
export function updateMinted(tx: Tx, chargeId: string, window: Date, sealed: SealedCredential): Promise<number> {
  const { numberSealed, numberLookup, cvvSealed, expiryMonth, expiryYear, validUntil } = sealed
  const values = [chargeId, window, numberSealed, numberLookup, cvvSealed, expiryMonth, expiryYear, validUntil]
  return count(tx, updateMintedStatement, values)
}

const updateDeclinedStatement = statement(
  'simnet.updateDeclined',
  `update simnet.mints set state = 'declined', decline_reason = $2 where charge_id = $1 and state = 'deciding'`,
)

export function updateDeclined(tx: Tx, chargeId: string, reason: DeclineReason): Promise<number> {
  return count(tx, updateDeclinedStatement, [chargeId, reason])
}

/** The schema's checks hold the two shapes apart. */
export type MintRow =
  | { charge_id: string; mandate_id: string; state: 'declined'; decline_reason: DeclineReason }
  | ({ state: 'minted'; confirmed_outcome: ConfirmRequest['outcome'] | null } & CredentialRow)

interface CredentialRow {
  charge_id: string
  mandate_id: string
  number_sealed: Buffer
  cvv_sealed: Buffer
  expiry_month: string
  expiry_year: string
  valid_until: Date
}

const findMintStatement = statement<MintRow>(
  'simnet.findMint',
  `select charge_id, mandate_id, state, decline_reason, confirmed_outcome, number_sealed, cvv_sealed, expiry_month,
     expiry_year, valid_until
   from simnet.mints where charge_id = $1`,
)

/** Never sees `deciding`: such a row is not committed. */
export function findMint(on: Queryable, chargeId: string): Promise<MintRow | undefined> {
  return row(on, findMintStatement, [chargeId])
}

const claimConfirmationStatement = statement(
  'simnet.claimConfirmation',
  `with confirmed as (
     update simnet.mints set confirmed_outcome = $2, confirmed_at = $3, confirmed_paid_minor = $4,
       confirmed_authorization_code = $5, confirmed_response_code = $6,
       credential_state = case when credential_state = 'open' then 'closed' else credential_state end
     where charge_id = $1 and state = 'minted' and confirmed_outcome is null
     returning charge_id, mandate_id, window_started_at, amount_minor, confirmed_outcome
   ), uncounted as (
     update simnet.instructions i set charge_count = i.charge_count - 1 from confirmed c
     where i.mandate_id = c.mandate_id and c.confirmed_outcome = 'DECLINED'
   ), given_back as (
     update simnet.windows w set spent_minor = w.spent_minor - c.amount_minor from confirmed c
     where w.mandate_id = c.mandate_id and w.started_at = c.window_started_at and c.confirmed_outcome = 'DECLINED'
   )
   select charge_id from confirmed`,
)

/**
 * The first outcome wins, and a declined charge gives its amount and its count back, in one statement: exactly once. The
 * credential is closed with it, or an amount given back could still be spent. Zero rows: already confirmed, or nothing
 * was minted. The instruction must be locked (lock order).
 */
export function claimConfirmation(tx: Tx, request: ConfirmRequest, at: Date): Promise<number> {
  const { chargeId, outcome, amountPaid, authorizationCode, responseCode } = request
  const values = [chargeId, outcome, at, amountPaid?.minor ?? null, authorizationCode, responseCode]
  return count(tx, claimConfirmationStatement, values)
}

export interface PresentedRow extends CredentialRow {
  credential_state: 'open' | 'used' | 'blocked' | 'closed'
  currency: Currency
  amount_minor: bigint
  merchant_host: string
  behaviour: Behaviour
}

const lockCredentialStatement = statement<PresentedRow>(
  'simnet.lockCredential',
  `select m.charge_id, m.mandate_id, m.number_sealed, m.cvv_sealed, m.expiry_month, m.expiry_year, m.valid_until,
     m.credential_state, m.currency, m.amount_minor, m.merchant_host, t.behaviour
   from simnet.mints m
     join simnet.instructions i on i.mandate_id = m.mandate_id
     join simnet.tokens t on t.token_ref = i.token_ref
   where m.number_lookup = $1
   for update of m`,
)

/** Attempts on one credential are judged one after the other. */
export function lockCredential(tx: Tx, numberLookup: Buffer): Promise<PresentedRow | undefined> {
  return row(tx, lockCredentialStatement, [numberLookup])
}

const claimCredentialStatement = statement(
  'simnet.claimCredential',
  `update simnet.mints set credential_state = 'used'
   where charge_id = $1 and credential_state = 'open' and valid_until > $2`,
)

/** Single use: whoever moves it from open is approved, and nobody after. */
export function claimCredential(tx: Tx, chargeId: string, at: Date): Promise<number> {
  return count(tx, claimCredentialStatement, [chargeId, at])
}

const updateWrongCvvStatement = statement(
  'simnet.updateWrongCvv',
  `update simnet.mints set wrong_cvv_count = wrong_cvv_count + 1,
     credential_state = case when wrong_cvv_count + 1 >= $2 then 'blocked' else credential_state end
   where charge_id = $1 and credential_state <> 'blocked' and wrong_cvv_count < $2`,
)

/** Counts a wrong CVV and blocks at the last try in one statement, so parallel guesses share the tries. */
export function updateWrongCvv(tx: Tx, chargeId: string, tries: number): Promise<number> {
  return count(tx, updateWrongCvvStatement, [chargeId, tries])
}

export interface AuthorizationRecord {
  authorizationId: string
  chargeId: string | null
  currency: Currency
  amountMinor: bigint
  merchantHost: string | null
  responseCode: ResponseCode
  authorizationCode: string | null
  at: Date
}

const insertAuthorizationStatement = statement(
  'simnet.insertAuthorization',
  `insert into simnet.authorizations (authorization_id, charge_id, currency, amount_minor, merchant_host, response_code,
     authorization_code, attempted_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

/** Every attempt is kept. A second approval of one credential would violate `authorizations_approved_charge_id_key`. */
export function insertAuthorization(tx: Tx, record: AuthorizationRecord): Promise<number> {
  const { authorizationId, chargeId, currency, amountMinor, merchantHost, responseCode, authorizationCode, at } = record
  return count(tx, insertAuthorizationStatement, [
    authorizationId,
    chargeId,
    currency,
    amountMinor,
    merchantHost,
    responseCode,
    authorizationCode,
    at,
  ])
}
