import { CURRENCIES, RECURRING_FREQUENCIES } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, nullable, oneOf, text, time } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { originList } from '../../platform/states.ts'
import { INSTRUCTION_STATES, INSTRUCTION_TRANSITIONS, TOKEN_STATES, TOKEN_TRANSITIONS } from './states.ts'

// Tokens and instructions of an issuer; `card-store.ts` has the cards. Locks are taken in one order: token,
// instruction, card. A window is locked by no statement that has not locked its instruction.

const TOKEN = {
  cardId: text,
  state: oneOf(TOKEN_STATES),
  tokenRef: nullable(text),
  last4: nullable(text),
  brand: nullable(text),
  expMonth: nullable(int),
  expYear: nullable(int),
}

export const findToken = one(
  'issuing.find_token',
  `select ${columns(TOKEN)} from issuing.issuer_tokens where card_id = $cardId`,
  TOKEN,
)

/** The row is there before the issuer is asked. Zero: it was there already. */
export const insertAsked = execute(
  'issuing.insert_asked_token',
  `insert into issuing.issuer_tokens (card_id, state, created_at) values ($cardId, 'asked', $at) on conflict (card_id) do nothing`,
)

/** The issuer has made it. Zero: another call recorded it, or the service has ended the card meanwhile. */
export const updateTokenActive = execute(
  'issuing.update_token_active',
  `update issuing.issuer_tokens set state = 'active', token_ref = $tokenRef, last4 = $last4, brand = $brand,
     exp_month = $expMonth, exp_year = $expYear
   where card_id = $cardId and state in (${originList(TOKEN_TRANSITIONS, 'active')})`,
)

/** No token of this card id from now on, also where there was none. */
export const endToken = execute(
  'issuing.end_token',
  `insert into issuing.issuer_tokens (card_id, state, created_at, deleted_at) values ($cardId, 'deleted', $at, $at)
   on conflict (card_id) do update set state = 'deleted', deleted_at = excluded.deleted_at
   where issuer_tokens.state in (${originList(TOKEN_TRANSITIONS, 'deleted')})`,
)

const BEFORE_CANCELLED = originList(INSTRUCTION_TRANSITIONS, 'cancelled')

export const updateCancelledOfToken = execute(
  'issuing.update_cancelled_of_token',
  `update issuing.issuer_instructions set state = 'cancelled', cancelled_at = $at
   where token_ref = $tokenRef and state in (${BEFORE_CANCELLED})`,
)

const INSTRUCTION = {
  mandateId: text,
  state: oneOf(INSTRUCTION_STATES),
  instructionRef: nullable(text),
  termsHash: nullable(bytes),
  registeredAt: nullable(time),
}

export const findInstruction = one(
  'issuing.find_instruction',
  `select ${columns(INSTRUCTION)} from issuing.issuer_instructions where mandate_id = $mandateId`,
  INSTRUCTION,
)

/**
 * Registers an instruction on a token that is active. The share lock holds off a deletion of the token until this is
 * committed, so that none is registered behind a deletion and outlives it. Zero: the token or the mandate id is taken.
 */
export const insertInstruction = one(
  'issuing.insert_instruction',
  `with token as (
     select token_ref from issuing.issuer_tokens where token_ref = $tokenRef and state = 'active' for share
   )
   insert into issuing.issuer_instructions (mandate_id, state, instruction_ref, token_ref, terms_hash, currency,
     cap_minor, frequency, max_charges, charge_count, merchant_host, merchant_country, valid_until, registered_at)
   select $mandateId, 'active', $instructionRef, token_ref, $termsHash, $currency, $capMinor,
     $frequency, $maxCharges, 0, $merchantHost, $merchantCountry, $validUntil, $at
   from token
   on conflict (mandate_id) do nothing
   returning mandate_id`,
  { mandateId: text },
)

export const findTokenState = one(
  'issuing.find_token_state',
  'select state from issuing.issuer_tokens where token_ref = $tokenRef',
  { state: oneOf(TOKEN_STATES) },
)

/** Ends the instruction, or leaves a tombstone in the place a late registration would take. */
export const upsertCancelled = execute(
  'issuing.upsert_cancelled',
  `insert into issuing.issuer_instructions (mandate_id, state, charge_count, cancelled_at)
   values ($mandateId, 'cancelled', 0, $at)
   on conflict (mandate_id) do update set state = 'cancelled', cancelled_at = excluded.cancelled_at
   where issuer_instructions.state in (${BEFORE_CANCELLED})`,
)

const TERMS = {
  mandateId: text,
  state: oneOf(INSTRUCTION_STATES),
  instructionRef: text,
  tokenRef: text,
  currency: oneOf(CURRENCIES),
  capMinor: bigint,
  frequency: oneOf(RECURRING_FREQUENCIES),
  maxCharges: nullable(int),
  chargeCount: int,
  merchantHost: nullable(text),
  merchantCountry: nullable(text),
  validUntil: time,
  registeredAt: time,
}

/** Mints of one mandate, and its cancellation, happen one after the other from here on. None: never registered. */
export const lockInstruction = one(
  'issuing.lock_instruction',
  `select ${columns(TERMS, 'i')}, exists (
     select 1 from issuing.issuer_tokens t where t.token_ref = i.token_ref and t.state = 'active') as token_active
   from issuing.issuer_instructions i where i.mandate_id = $mandateId and i.instruction_ref is not null
   for update of i`,
  { ...TERMS, tokenActive: bool },
)

/** What is spent in a window. The row is made and locked first, because a missing one cannot be locked. */
export const lockWindow = one(
  'issuing.lock_window',
  `insert into issuing.issuer_windows (mandate_id, started_at, spent_minor) values ($mandateId, $startedAt, 0)
   on conflict (mandate_id, started_at) do update set spent_minor = issuer_windows.spent_minor
   returning spent_minor`,
  { spentMinor: bigint },
)

/**
 * Takes one charge and its amount. The limits stand in the statement that takes: cap and count cannot be passed, even
 * if the code before it decided wrongly. Zero rows: roll back, the count may have been taken alone.
 */
export const claimAllowance = execute(
  'issuing.claim_allowance',
  `with counted as (
     update issuing.issuer_instructions set charge_count = charge_count + 1
     where mandate_id = $mandateId and state = 'active'
       and valid_until > $at and (max_charges is null or charge_count < max_charges)
     returning mandate_id, cap_minor
   )
   update issuing.issuer_windows w set spent_minor = w.spent_minor + $amountMinor from counted
   where w.mandate_id = counted.mandate_id and w.started_at = $startedAt
     and w.spent_minor + $amountMinor <= counted.cap_minor`,
)

/** What may still be paid with under a mandate. */
export const listOpenOfMandate = many(
  'issuing.list_open_of_mandate',
  `select charge_id from issuing.issuer_cards
   where mandate_id = $mandateId and state = any ('{asked,minted}') and confirmed_outcome is null`,
  { chargeId: text },
)

export const listOpenOfToken = many(
  'issuing.list_open_of_token',
  `select c.charge_id from issuing.issuer_cards c join issuing.issuer_instructions i on i.mandate_id = c.mandate_id
   where i.token_ref = $tokenRef and c.state = any ('{asked,minted}') and c.confirmed_outcome is null`,
  { chargeId: text },
)
