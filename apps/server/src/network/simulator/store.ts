import { bool, bytes, columns, nullable, oneOf, type RowOf, text, time } from '../../db/row.ts'
import { execute, one } from '../../db/statement.ts'
import { UNAWAITED } from '../../db/unawaited.ts'
import { originList } from '../../platform/states.ts'
import {
  CREDENTIAL_TRANSITIONS,
  INSTRUCTION_STATES,
  INSTRUCTION_TRANSITIONS,
  STEP_UP_STATES,
  STEP_UP_TRANSITIONS,
  TOKEN_STATES,
  TOKEN_TRANSITIONS,
} from './states.ts'
import { BEHAVIOURS } from './test-cards.ts'

// The simulated network's tables: tokens and instructions; `mint-store.ts` and `acquirer-store.ts` have the rest. Tables are schema-qualified:
// this is another system's data in the same database. What the network says is worth nothing until the service has kept it, in the same
// log behind it: so tokens, instructions, mints and confirmations are committed without waiting for the disk (ADR 0059). Locks are taken in one order, so that no two wait in a circle:
// token, instruction, mint. A transaction locks a window only where it has locked its instruction.

const TOKEN = {
  cardId: text,
  tokenRef: nullable(text),
  state: oneOf(TOKEN_STATES),
  /** Null, as the rest of the card, of one that was ended before it came. */
  cardFingerprint: nullable(bytes),
  cardLast4: nullable(text),
  cardBrand: nullable(text),
  behaviour: nullable(oneOf(BEHAVIOURS)),
}
export type Token = RowOf<typeof TOKEN>

export const findToken = one(
  'simnet.find_token',
  `select ${columns(TOKEN)} from simnet.tokens where card_id = $cardId`,
  TOKEN,
)

/**
 * One token for a card id, however many ask together: the key decides. An attempt that never succeeded gives way to one
 * with another card; a token that exists never does. Undefined: the row stays as it is, read it.
 */
export const claimToken = one(
  'simnet.claim_token',
  `insert into simnet.tokens (card_id, token_ref, state, card_fingerprint, card_last4, card_brand, behaviour, wrong_code_count,
     created_at, activated_at)
   select $cardId, $tokenRef, $state, $fingerprint, $last4, $brand, $behaviour, 0, $at::timestamptz,
     case when $state = 'active' then $at::timestamptz end
   where ${UNAWAITED}
   on conflict (card_id) do update set token_ref = excluded.token_ref, state = excluded.state,
     card_fingerprint = excluded.card_fingerprint, card_last4 = excluded.card_last4, card_brand = excluded.card_brand,
     behaviour = excluded.behaviour,
     wrong_code_count = 0, created_at = excluded.created_at, activated_at = excluded.activated_at
   where tokens.token_ref is null and tokens.card_fingerprint <> excluded.card_fingerprint and tokens.state <> 'deleted'
   returning ${columns(TOKEN)}`,
  TOKEN,
)

/** The right code makes the token, once: the state is checked and left in one statement. */
export const claimStepUp = one(
  'simnet.claim_step_up',
  `update simnet.tokens set state = 'active', token_ref = $tokenRef, activated_at = $at
   where card_id = $cardId and state in (${originList(TOKEN_TRANSITIONS, 'active')})
   returning token_ref`,
  { tokenRef: text },
)

/** Counts a wrong code and ends the step-up at the last try in one statement, so parallel guesses share the tries. */
export const updateWrongCode = one(
  'simnet.update_wrong_code',
  `update simnet.tokens set wrong_code_count = wrong_code_count + 1,
     state = case when wrong_code_count + 1 >= $tries then 'step_up_exhausted' else state end
   where card_id = $cardId and state in (${originList(TOKEN_TRANSITIONS, 'step_up_exhausted')})
   returning state`,
  { state: oneOf(TOKEN_STATES) },
)

const STEP_UP = { state: oneOf(STEP_UP_STATES) }

/** A code for an entry of a card that has its token. The same entry again asks for no second one. */
export const insertStepUp = execute(
  'simnet.insert_step_up',
  `insert into simnet.step_ups (entry_id, card_id, state, wrong_code_count, asked_at)
   values ($entryId, $cardId, 'open', 0, $at) on conflict (entry_id) do nothing`,
)

export const findStepUp = one(
  'simnet.find_step_up',
  'select state from simnet.step_ups where entry_id = $entryId and card_id = $cardId',
  STEP_UP,
)

/** The right code, once. */
export const claimEntryStepUp = one(
  'simnet.claim_entry_step_up',
  `update simnet.step_ups set state = 'passed'
   where entry_id = $entryId and card_id = $cardId and state in (${originList(STEP_UP_TRANSITIONS, 'passed')})
   returning state`,
  STEP_UP,
)

/** Counts a wrong code and ends the entry's step-up at the last try in one statement. */
export const updateEntryWrongCode = one(
  'simnet.update_entry_wrong_code',
  `update simnet.step_ups set wrong_code_count = wrong_code_count + 1,
     state = case when wrong_code_count + 1 >= $tries then 'exhausted' else state end
   where entry_id = $entryId and card_id = $cardId
     and state in (${originList(STEP_UP_TRANSITIONS, 'exhausted')})
   returning state`,
  STEP_UP,
)

/** No token of this card id from now on, also where there was none. None: it was ended before. */
export const endToken = one(
  'simnet.end_token',
  `insert into simnet.tokens (card_id, state, wrong_code_count, created_at, deleted_at)
   values ($cardId, 'deleted', 0, $at, $at)
   on conflict (card_id) do update set state = 'deleted', deleted_at = excluded.deleted_at
   where tokens.state in (${originList(TOKEN_TRANSITIONS, 'deleted')})
   returning token_ref`,
  { tokenRef: nullable(text) },
)

const INSTRUCTION = {
  mandateId: text,
  state: oneOf(INSTRUCTION_STATES),
  instructionRef: nullable(text),
  termsHash: nullable(bytes),
  registeredAt: nullable(time),
}
export type Instruction = RowOf<typeof INSTRUCTION>

export const findInstruction = one(
  'simnet.find_instruction',
  `select ${columns(INSTRUCTION)} from simnet.instructions where mandate_id = $mandateId`,
  INSTRUCTION,
)

/**
 * Registers an instruction, or returns what stands against it. The share lock on the token holds off a deletion until the
 * instruction is committed, so that none is registered behind a deletion and outlives it. What is there already is as it was
 * before the statement: without a reference in either column the mandate id was taken meanwhile.
 */
export const insertInstruction = one(
  'simnet.insert_instruction',
  `with token as (
     select token_ref, state, behaviour from simnet.tokens where token_ref = $tokenRef for share
   ), registered as (
     insert into simnet.instructions (mandate_id, state, instruction_ref, token_ref, terms_hash, currency,
       cap_minor, frequency, max_charges, charge_count, merchant_host, valid_until, registered_at)
     select $mandateId, 'active', $instructionRef, token_ref, $termsHash, $currency, $capMinor,
       $frequency, $maxCharges, 0, $merchantHost, $validUntil, $at
     from token where state = 'active' and behaviour <> 'instruction_refused' and $isLawful
     on conflict (mandate_id) do nothing
     returning instruction_ref
   )
   select exists (select 1 from registered) as is_registered,
     exists (select 1 from token where state = 'active') as is_token_active, (select behaviour from token) as behaviour,
     i.state, i.instruction_ref, i.terms_hash, i.registered_at
   from (values (1)) one left join simnet.instructions i on i.mandate_id = $mandateId where ${UNAWAITED}`,
  {
    isRegistered: bool,
    isTokenActive: bool,
    behaviour: nullable(oneOf(BEHAVIOURS)),
    state: nullable(oneOf(INSTRUCTION_STATES)),
    instructionRef: nullable(text),
    termsHash: nullable(bytes),
    registeredAt: nullable(time),
  },
)

const BEFORE_CANCELLED = originList(INSTRUCTION_TRANSITIONS, 'cancelled')

/** Ends the instruction, or leaves a tombstone in the place a late registration would take. */
export const upsertCancelled = execute(
  'simnet.upsert_cancelled',
  `insert into simnet.instructions (mandate_id, state, charge_count, cancelled_at)
   values ($mandateId, 'cancelled', 0, $at)
   on conflict (mandate_id) do update set state = 'cancelled', cancelled_at = excluded.cancelled_at
   where instructions.state in (${BEFORE_CANCELLED})`,
)

export const updateCancelledOfToken = execute(
  'simnet.update_cancelled_of_token',
  `update simnet.instructions set state = 'cancelled', cancelled_at = $at
   where token_ref = $tokenRef and state in (${BEFORE_CANCELLED})`,
)

const BEFORE_CLOSED = originList(CREDENTIAL_TRANSITIONS, 'closed')

/** The instruction must be locked (lock order). */
export const updateCredentialClosed = execute(
  'simnet.update_credential_closed',
  `update simnet.mints set credential_state = 'closed'
   where charge_id = $chargeId and credential_state in (${BEFORE_CLOSED})`,
)

export const updateCredentialsOfTokenClosed = execute(
  'simnet.update_credentials_of_token_closed',
  `update simnet.mints set credential_state = 'closed'
   where credential_state in (${BEFORE_CLOSED})
     and mandate_id in (select mandate_id from simnet.instructions where token_ref = $tokenRef)`,
)

/** The script of the card behind a mandate. */
export const findBehaviour = one(
  'simnet.find_behaviour',
  `select t.behaviour from simnet.instructions i join simnet.tokens t on t.token_ref = i.token_ref
   where i.mandate_id = $mandateId`,
  { behaviour: oneOf(BEHAVIOURS) },
)

/** One row: this caller gets the failure. Zero: it has happened. The key gives it to exactly one. */
export const claimScriptedFailure = execute(
  'simnet.claim_scripted_failure',
  `insert into simnet.scripted_failures (subject_id, failure, happened_at) values ($subjectId, $failure, $at)
   on conflict (subject_id, failure) do nothing`,
)
