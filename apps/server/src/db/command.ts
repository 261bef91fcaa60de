import { createHash } from 'node:crypto'
import type { EventType } from '@mintmark/contract'
import type { Pool } from 'pg'
import type { Clock } from '../platform/clock.ts'
import { idempotencyConflict, idempotencyInProgress } from '../platform/errors.ts'
import { LOCK_NOT_AVAILABLE, sqlState } from './errors.ts'
import { bytes, json } from './row.ts'
import { execute, one, type Queryable } from './statement.ts'
import { autocommit, pipelinedTransaction, type Rollback, rollback, type Tx, transaction } from './transaction.ts'

export { type Rollback, rollback } from './transaction.ts'

/** What an event says: JSON of facts. */
export type Facts = { readonly [name: string]: string | number | boolean | null | Facts }

/**
 * A change as its readers will see it. Public facts only: never a credential, number, email, address or network
 * message.
 */
export interface Captured<Type extends EventType = EventType> {
  merchantId: string
  type: Type
  /** `version` rises with each captured change of the resource. */
  resource: { type: string; id: string; version: number }
  data: Facts
}

/** An event as it is stored. */
export type EventRow = {
  eventId: string
  eventType: string
  resourceType: string
  resourceId: string
  resourceVersion: number
  schemaVersion: string
  environment: string
  /** JSON, as it stands in the body. */
  eventData: string
  /** Why it will not be numbered, if it will not. */
  parked: string | null
}

/** Where and when an event is captured. */
export interface CaptureContext {
  on: Queryable
  at: Date
}

/** Keeps events, in the transaction of their cause. */
export interface EventSink {
  /** The row of an event, for a statement on `on` that inserts it together with its cause, with `at` as its time. */
  prepare(context: CaptureContext, event: Captured): EventRow
  append(tx: Tx, events: readonly Captured[], at: Date): Promise<void>
}

/** What every feature that writes depends on. */
export interface CommandDeps {
  pool: Pool
  clock: Clock
  events: EventSink
}

/**
 * How the statements of a command go to the database. Without it each goes by itself, between BEGIN and COMMIT.
 * `pipeline`: those that are called without a wait in between go together, for a path that is walked all the time
 * (`pipeline.ts`). `statement`: it is one statement, and its own transaction; BEGIN and COMMIT would be two more round
 * trips.
 */
type Together = 'pipeline' | 'statement'

/** What a change captures, or the reason why it captures nothing. There is no default. */
type Captures<Type extends EventType> = { events: readonly Type[] } | { why: string }
export type Declaration<Type extends EventType = never> = { name: string; together?: Together } & Captures<Type>
/** The declaration of a command that is one statement. */
export type Alone<Type extends EventType = never> = { name: string; together: 'statement' } & Captures<Type>
/** The declaration of a command that takes effect once a key. */
export type Once<Type extends EventType = never> = Declaration<Type> & { once: IdempotencyKey }

export interface CommandContext<Type extends EventType> {
  tx: Tx
  /** The one clock reading of the change. */
  at: Date
  emit(event: Captured<Type>): void
}

/** What the work of one statement is handed. */
export interface StatementContext<Type extends EventType> {
  on: Queryable
  at: Date
  /**
   * The row of an event that the statement inserts itself. It is made before the change: its version must be known, so
   * the statement changes nothing unless the row is as it was read.
   */
  prepare(event: Captured<Type>): EventRow
}

/** A part of a command that another feature makes: it writes in the same transaction and captures nothing by itself. */
export type Change = Pick<CommandContext<never>, 'tx' | 'at'>

/** A command that captures no event needs no more. */
type DepsOf<Type extends EventType> = [Type] extends [never]
  ? Omit<CommandDeps, 'events'> & Partial<CommandDeps>
  : CommandDeps

/**
 * The one way to change something: a transaction, one reading of the clock, and the events of the change in the same
 * transaction. `work` may run again after a deadlock, so it must not call anything outside the database.
 *
 * It returns what the work returns, and null when that asked to roll back. With `once` it takes effect once a key: of
 * equal calls one runs, and the others return its outcome. The key is stored in the transaction of the effect, so there
 * is no moment with one and without the other; a rollback frees the key.
 */
export function command<T, Type extends EventType = never>(
  deps: DepsOf<Type>,
  declaration: Alone<Type>,
  work: (context: StatementContext<Type>) => Promise<T>,
): Promise<T>
export function command<T extends Outcome, Type extends EventType = never>(
  deps: DepsOf<Type>,
  declaration: Once<Type>,
  work: (context: CommandContext<Type>) => Promise<T | Rollback>,
): Promise<Keyed<T>>
export function command<T, Type extends EventType = never>(
  deps: DepsOf<Type>,
  declaration: Declaration<Type> & { together?: 'pipeline' },
  work: (context: CommandContext<Type>) => Promise<T | Rollback>,
): Promise<T | null>
export async function command(
  deps: CommandDeps,
  declaration: Declaration<EventType> & { once?: IdempotencyKey },
  work: (context: never) => Promise<unknown>,
): Promise<unknown> {
  if (declaration.together === 'statement') return runStatement(deps, declaration, work as StatementWork)
  if (declaration.once !== undefined) return runOnce(deps, declaration, declaration.once, work as Work<Outcome>)
  return runCommand(deps, declaration, work as Work<unknown>)
}

type Work<T> = (context: CommandContext<EventType>) => Promise<T | Rollback>
type StatementWork = (context: StatementContext<EventType>) => Promise<unknown>

async function runCommand<T>(deps: CommandDeps, declaration: Declaration<EventType>, work: Work<T>): Promise<T | null> {
  const run = declaration.together === 'pipeline' ? pipelinedTransaction : transaction
  const result = await run(deps.pool, async (tx) => {
    const at = deps.clock.now()
    const events: Captured[] = []
    const result = await work({ tx, at, emit: (event) => events.push(event) })
    if (result === rollback) return result
    if (events.length > 0) await deps.events.append(tx, events, at)
    else checkCaptured(declaration)
    return result
  })
  return result === rollback ? null : (result as T)
}

/** Like a transaction it runs again after a deadlock. */
async function runStatement(
  { pool, clock, events }: CommandDeps,
  declaration: Declaration<EventType>,
  work: StatementWork,
): Promise<unknown> {
  return autocommit(pool, async (on) => {
    const at = clock.now()
    let isPrepared = false
    const prepare = (event: Captured) => {
      isPrepared = true
      return events.prepare({ on, at }, event)
    }
    const result = await work({ on, at, prepare })
    if (!isPrepared) checkCaptured(declaration)
    return result
  })
}

/** Found by the first test of the command: a change that forgets its event is undone. */
function checkCaptured(declaration: Declaration<EventType>): void {
  if ('events' in declaration) throw new Error(`${declaration.name} changed something and captured no event.`)
}

/**
 * A caller's key for one operation. `input` is what was asked; the same key with another input is a mistake of the
 * caller.
 */
export interface IdempotencyKey {
  merchantId: string
  operation: string
  key: string
  input: string
}

/** What a replay needs to render the answer again: ids and facts, never card data. */
export type Outcome = { readonly [name: string]: string | number | boolean | null }

export type Keyed<T> =
  | { state: 'done'; outcome: T; replayed: boolean }
  | { state: 'rolled_back' }
  /** The key was used with another input. */
  | { state: 'other_input' }
  /** The first call with this key is still running. */
  | { state: 'in_flight' }

async function runOnce<T extends Outcome>(
  deps: CommandDeps,
  declaration: Declaration<EventType>,
  key: IdempotencyKey,
  work: Work<T>,
): Promise<Keyed<T>> {
  const { input, ...place } = key
  const inputHash = createHash('sha256').update(input).digest()
  let taken: KeyClaim = 'free'
  const outcome = await runCommand(deps, declaration, async (context) => {
    taken = await claimKey(context, place, inputHash)
    if (taken !== 'free') return rollback
    const result = await work(context)
    if (result !== rollback) await updateOutcome(context.tx, { ...place, outcome: result })
    return result
  })
  if (outcome !== null) return { state: 'done', outcome, replayed: false }
  return storedOutcome(deps, place, inputHash, taken)
}

/** What a key's first call did, or the declared refusal. Null: nothing was done, and the key is free. */
export function outcomeOf<T>(keyed: Keyed<T>): { outcome: T; replayed: boolean } | null {
  switch (keyed.state) {
    case 'done':
      return keyed
    case 'rolled_back':
      return null
    case 'other_input':
      throw idempotencyConflict()
    case 'in_flight':
      throw idempotencyInProgress({ retryAfterSeconds: RETRY_SECONDS })
  }
}

/** The first call ends within the lock time-out, or its transaction does. */
const RETRY_SECONDS = 1

type KeyClaim = 'free' | 'used' | 'busy'
type KeyPlace = Omit<IdempotencyKey, 'input'>

async function claimKey({ tx, at }: Change, place: KeyPlace, inputHash: Buffer): Promise<KeyClaim> {
  try {
    // Waits here, up to the lock time-out, while another transaction holds the same key.
    return (await insertKey(tx, { ...place, inputHash, at })) === 1 ? 'free' : 'used'
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return 'busy'
    throw error
  }
}

async function storedOutcome<T extends Outcome>(
  { pool }: CommandDeps,
  place: KeyPlace,
  inputHash: Buffer,
  claim: KeyClaim,
): Promise<Keyed<T>> {
  if (claim === 'free') return { state: 'rolled_back' }
  const stored = claim === 'busy' ? undefined : await findKey(pool, place)
  // Also when the key was deleted in between, because it was old: the caller may send the request again.
  if (stored === undefined) return { state: 'in_flight' }
  if (!stored.inputHash.equals(inputHash)) return { state: 'other_input' }
  return { state: 'done', outcome: stored.outcome as T, replayed: true }
}

const insertKey = execute(
  'idempotency.insert_key',
  // The primary key decides between equal calls, however many and on however many nodes.
  `insert into idempotency_keys (merchant_id, operation, key, input_hash, outcome, created_at)
   values ($merchantId, $operation, $key, $inputHash, '{}', $at)
   on conflict on constraint idempotency_keys_pkey do nothing`,
)

const updateOutcome = execute(
  'idempotency.update_outcome',
  `update idempotency_keys set outcome = $outcome::jsonb
   where merchant_id = $merchantId and operation = $operation and key = $key`,
)

const findKey = one(
  'idempotency.find_key',
  `select input_hash, outcome from idempotency_keys
   where merchant_id = $merchantId and operation = $operation and key = $key`,
  { inputHash: bytes, outcome: json<Outcome>() },
)
