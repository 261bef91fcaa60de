import { count, type Queryable, row, statement } from '../../db/statement.ts'
import type { Tx } from '../../db/transaction.ts'
import type { InstructionRequest } from '../port.ts'
import type { Behaviour } from './test-cards.ts'

// The simulated network's tables: tokens and instructions; `mint-store.ts` has the rest. Tables are schema-qualified:
// this is another system's data in the same database. Locks are taken in one order, so that nobody waits in a circle:
// token, instruction, mint, window. A new mint row comes before its instruction; only equal charge ids wait for it.

export interface TokenRow {
  card_id: string
  token_ref: string | null
  state: 'step_up' | 'step_up_exhausted' | 'active' | 'deleted'
  card_fingerprint: Buffer
  card_last4: string
  behaviour: Behaviour
}

const TOKEN = 'card_id, token_ref, state, card_fingerprint, card_last4, behaviour'

const findTokenStatement = statement<TokenRow>(
  'simnet.findToken',
  `select ${TOKEN} from simnet.tokens where card_id = $1`,
)

export function findToken(on: Queryable, cardId: string): Promise<TokenRow | undefined> {
  return row(on, findTokenStatement, [cardId])
}

export interface NewToken {
  cardId: string
  tokenRef: string | null
  state: 'step_up' | 'active'
  fingerprint: Buffer
  last4: string
  behaviour: Behaviour
  at: Date
}

const claimTokenStatement = statement<TokenRow>(
  'simnet.claimToken',
  `insert into simnet.tokens (card_id, token_ref, state, card_fingerprint, card_last4, behaviour, wrong_code_count,
     created_at, activated_at)
   values ($1, $2, $3, $4, $5, $6, 0, $7, case when $3 = 'active' then $7::timestamptz end)
   on conflict (card_id) do update set token_ref = excluded.token_ref, state = excluded.state,
     card_fingerprint = excluded.card_fingerprint, card_last4 = excluded.card_last4, behaviour = excluded.behaviour,
     wrong_code_count = 0, created_at = excluded.created_at, activated_at = excluded.activated_at
   where tokens.state in ('step_up', 'step_up_exhausted') and tokens.card_fingerprint <> excluded.card_fingerprint
   returning ${TOKEN}`,
)

/**
 * One token for a card id, however many ask at once: the key decides. An attempt that never succeeded gives way to one
 * with another card; a token that exists never does. Undefined: the row stays as it is, read it.
 */
export function claimToken(on: Queryable, token: NewToken): Promise<TokenRow | undefined> {
  const { cardId, tokenRef, state, fingerprint, last4, behaviour, at } = token
  return row(on, claimTokenStatement, [cardId, tokenRef, state, fingerprint, last4, behaviour, at])
}

const claimStepUpStatement = statement<{ token_ref: string }>(
  'simnet.claimStepUp',
  `update simnet.tokens set state = 'active', token_ref = $2, activated_at = $3
   where card_id = $1 and state = 'step_up'
   returning token_ref`,
)

/** The right code makes the token, once: the state is checked and left in one statement. */
export function claimStepUp(on: Queryable, cardId: string, tokenRef: string, at: Date) {
  return row(on, claimStepUpStatement, [cardId, tokenRef, at])
}

const updateWrongCodeStatement = statement<{ state: TokenRow['state'] }>(
  'simnet.updateWrongCode',
  `update simnet.tokens set wrong_code_count = wrong_code_count + 1,
     state = case when wrong_code_count + 1 >= $2 then 'step_up_exhausted' else state end
   where card_id = $1 and state = 'step_up'
   returning state`,
)

/** Counts a wrong code and ends the step-up at the last try in one statement, so parallel guesses share the tries. */
export function updateWrongCode(on: Queryable, cardId: string, tries: number) {
  return row(on, updateWrongCodeStatement, [cardId, tries])
}

const deleteTokenStatement = statement(
  'simnet.deleteToken',
  `update simnet.tokens set state = 'deleted', deleted_at = $2 where card_id = $1 and state = 'active'`,
)

export function deleteToken(tx: Tx, cardId: string, at: Date): Promise<number> {
  return count(tx, deleteTokenStatement, [cardId, at])
}

const lockTokenStatement = statement<TokenRow>(
  'simnet.lockToken',
  `select ${TOKEN} from simnet.tokens where token_ref = $1 for share`,
)

/** Holds off a deletion until the transaction ends, so that no instruction is registered behind it and outlives it. */
export function lockToken(tx: Tx, tokenRef: string): Promise<TokenRow | undefined> {
  return row(tx, lockTokenStatement, [tokenRef])
}

export interface InstructionRow {
  mandate_id: string
  state: 'active' | 'cancelled'
  instruction_ref: string | null
  terms_hash: Buffer | null
}

const findInstructionStatement = statement<InstructionRow>(
  'simnet.findInstruction',
  'select mandate_id, state, instruction_ref, terms_hash from simnet.instructions where mandate_id = $1',
)

export function findInstruction(on: Queryable, mandateId: string): Promise<InstructionRow | undefined> {
  return row(on, findInstructionStatement, [mandateId])
}

const insertInstructionStatement = statement(
  'simnet.insertInstruction',
  `insert into simnet.instructions (mandate_id, state, instruction_ref, token_ref, terms_hash, approval_hash, currency,
     cap_minor, frequency, max_charges, charge_count, merchant_host, valid_until, registered_at)
   values ($1, 'active', $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $12)
   on conflict (mandate_id) do nothing`,
)

/** Zero rows: the mandate id is taken, by a registration or by the tombstone of a cancellation that came first. */
export function insertInstruction(
  tx: Tx,
  request: InstructionRequest,
  own: { instructionRef: string; termsHash: Buffer; merchantHost: string | null; at: Date },
): Promise<number> {
  const { mandateId, tokenRef, approvalHash, cap, frequency, maxCharges, validUntil } = request
  return count(tx, insertInstructionStatement, [
    mandateId,
    own.instructionRef,
    tokenRef,
    own.termsHash,
    approvalHash,
    cap.currency,
    cap.minor,
    frequency,
    maxCharges,
    own.merchantHost,
    validUntil,
    own.at,
  ])
}

const cancelInstructionStatement = statement(
  'simnet.cancelInstruction',
  `insert into simnet.instructions (mandate_id, state, charge_count, cancelled_at) values ($1, 'cancelled', 0, $2)
   on conflict (mandate_id) do update set state = 'cancelled', cancelled_at = excluded.cancelled_at
   where instructions.state = 'active'`,
)

/** Ends the instruction, or leaves a tombstone in the place a late registration would take. */
export function cancelInstruction(tx: Tx, mandateId: string, at: Date): Promise<number> {
  return count(tx, cancelInstructionStatement, [mandateId, at])
}

const cancelInstructionsOfTokenStatement = statement(
  'simnet.cancelInstructionsOfToken',
  `update simnet.instructions set state = 'cancelled', cancelled_at = $2 where token_ref = $1 and state = 'active'`,
)

export function cancelInstructionsOfToken(tx: Tx, tokenRef: string, at: Date): Promise<number> {
  return count(tx, cancelInstructionsOfTokenStatement, [tokenRef, at])
}

const closeCredentialsStatement = statement(
  'simnet.closeCredentials',
  `update simnet.mints set credential_state = 'closed' where mandate_id = $1 and credential_state = 'open'`,
)

/** Runs after the instruction's row was taken by the cancellation: a mint in flight has committed or will be refused. */
export function closeCredentials(tx: Tx, mandateId: string): Promise<number> {
  return count(tx, closeCredentialsStatement, [mandateId])
}

const closeCredentialsOfTokenStatement = statement(
  'simnet.closeCredentialsOfToken',
  `update simnet.mints set credential_state = 'closed'
   where credential_state = 'open' and mandate_id in (select mandate_id from simnet.instructions where token_ref = $1)`,
)

export function closeCredentialsOfToken(tx: Tx, tokenRef: string): Promise<number> {
  return count(tx, closeCredentialsOfTokenStatement, [tokenRef])
}

const findBehaviourStatement = statement<{ behaviour: Behaviour }>(
  'simnet.findBehaviour',
  `select t.behaviour from simnet.instructions i join simnet.tokens t on t.token_ref = i.token_ref
   where i.mandate_id = $1`,
)

/** The script of the card behind a mandate. */
export function findBehaviour(on: Queryable, mandateId: string): Promise<{ behaviour: Behaviour } | undefined> {
  return row(on, findBehaviourStatement, [mandateId])
}

const claimScriptedFailureStatement = statement(
  'simnet.claimScriptedFailure',
  `insert into simnet.scripted_failures (subject_id, failure, happened_at) values ($1, $2, $3)
   on conflict (subject_id, failure) do nothing`,
)

/** One row: this caller gets the failure. Zero: it has happened. The key gives it to exactly one. */
export function claimScriptedFailure(on: Queryable, subjectId: string, failure: Behaviour, at: Date): Promise<number> {
  return count(on, claimScriptedFailureStatement, [subjectId, failure, at])
}
