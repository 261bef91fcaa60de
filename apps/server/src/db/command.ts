import { createHash } from 'node:crypto'
import type { EventType } from '@mintmark/contract'
import type { Pool } from 'pg'
import { addSeconds, type Clock } from '../platform/clock.ts'
import { idempotencyConflict, idempotencyInProgress } from '../platform/errors.ts'
import { LOCK_NOT_AVAILABLE, sqlState } from './errors.ts'
import { bytes, json, time } from './row.ts'
import type { SilentChange } from './silent.ts'
import { execute, one, type Queryable } from './statement.ts'
import {
  autocommit,
  autocommitThenRead,
  autocommitTogether,
  pipelinedTransaction,
  type Rollback,
  rollback,
  type Tx,
  transaction,
} from './transaction.ts'

export { type Rollback, rollback } from './transaction.ts'

/** What an event says: JSON of facts. */
export type Facts = { readonly [name: string]: string | number | boolean | null | Facts }

/** A change as its readers will see it. Public facts only: never a credential, number, email, address or network message. */
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

/** What a change captures, or the reason why it captures nothing. There is no default. */
export type Declaration<Type extends EventType = never> = { name: string; emits: readonly Type[] } | SilentChange

export interface CommandContext<Type extends EventType> {
  tx: Tx
  /** The one clock reading of the change. */
  at: Date
  emit(event: Captured<Type>): void
}

/** A part of a command that another feature makes: it writes in the same transaction and captures nothing by itself. */
export type Change = Pick<CommandContext<never>, 'tx' | 'at'>

/**
 * The one way to change something: a transaction, one reading of the clock, and the events of the change in the same
 * transaction. Null when the work asked to roll back. `work` may run again after a deadlock, so it must not call
 * anything outside the database.
 */
export async function command<T, Type extends EventType = never>(
  deps: CommandDeps,
  declaration: Declaration<Type>,
  work: (context: CommandContext<Type>) => Promise<T | Rollback>,
): Promise<T | null> {
  return runCommand(transaction, deps, declaration, work)
}

/** The same with fewer waits, for a path that is walked all the time: see `pipeline.ts`. */
export async function pipelinedCommand<T, Type extends EventType = never>(
  deps: CommandDeps,
  declaration: Declaration<Type>,
  work: (context: CommandContext<Type>) => Promise<T | Rollback>,
): Promise<T | null> {
  return runCommand(pipelinedTransaction, deps, declaration, work)
}

async function runCommand<T, Type extends EventType>(
  run: typeof transaction,
  deps: CommandDeps,
  declaration: Declaration<Type>,
  work: (context: CommandContext<Type>) => Promise<T | Rollback>,
): Promise<T | null> {
  const result = await run(deps.pool, async (tx) => {
    const at = deps.clock.now()
    const events: Captured<Type>[] = []
    const result = await work({ tx, at, emit: (event) => events.push(event) })
    if (result !== rollback) await keepEvents(deps, declaration, tx, events, at)
    return result
  })
  return result === rollback ? null : (result as T)
}

async function keepEvents<Type extends EventType>(
  { events: sink }: CommandDeps,
  declaration: Declaration<Type>,
  tx: Tx,
  events: readonly Captured<Type>[],
  at: Date,
): Promise<void> {
  if (events.length > 0) return sink.append(tx, events, at)
  // Found by the first test of the command: a change that forgets its event is undone.
  if ('emits' in declaration) throw new Error(`${declaration.name} changed something and captured no event.`)
}

/**
 * A command that is one statement and captures nothing: sent without BEGIN and COMMIT, which would be two more round
 * trips. Like a transaction it runs again after a deadlock.
 */
export async function single<T>(
  { pool, clock }: Omit<CommandDeps, 'events'>,
  _declaration: SilentChange,
  write: (context: { on: Queryable; at: Date }) => Promise<T>,
): Promise<T> {
  return autocommit(pool, (on) => write({ on, at: clock.now() }))
}

/** The same of several statements, none of which waits for another: one round trip, and all are committed or none. */
export async function singleOfSeveral<T>(
  { pool, clock }: Omit<CommandDeps, 'events'>,
  _declaration: SilentChange,
  write: Write<T>,
): Promise<T> {
  const [written] = await autocommitTogether(
    pool,
    (on) => write({ on, at: clock.now() }),
    async () => undefined,
  )
  return written
}

type Write<Written> = (context: { on: Queryable; at: Date }) => Promise<Written>

/** The same with reads behind it, in the same round trip: committed with them, or not at all. */
export async function singleTogether<Written, Found>(
  { pool, clock }: Omit<CommandDeps, 'events'>,
  _declaration: SilentChange,
  write: Write<Written>,
  read: (on: Queryable) => Promise<Found>,
): Promise<[Written, Found]> {
  return autocommitTogether(pool, (on) => write({ on, at: clock.now() }), read)
}

/** The same where the write must stand whatever becomes of the reads: it says what another party has done. */
export async function singleThenRead<Written, Found>(
  { pool, clock }: Omit<CommandDeps, 'events'>,
  _declaration: SilentChange,
  write: Write<Written>,
  read: (on: Queryable, writing: Promise<Written>) => Promise<Found>,
): Promise<[Written, Found]> {
  return autocommitThenRead(pool, (on) => write({ on, at: clock.now() }), read)
}

/**
 * A command that is one statement and inserts its event with it. The event is prepared before the change is made: its
 * version must be known, so the statement changes nothing unless the row is as it was read.
 */
export async function singleWithEvent<T, Type extends EventType>(
  deps: CommandDeps,
  { name }: { name: string; emits: readonly Type[] },
  event: Captured<NoInfer<Type>>,
  write: (context: { on: Queryable; at: Date; event: EventRow }) => Promise<T>,
): Promise<T> {
  const declaration = { name, silent: 'statement' } as const
  return single(deps, declaration, ({ on, at }) => write({ on, at, event: deps.events.prepare({ on, at }, event) }))
}

/** A caller's key for one operation. `input` is what was asked; the same key with another input is a mistake of the caller. */
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

/**
 * A command that takes effect once a key: where several equal calls come, one runs, and the others return its outcome. The key is stored
 * in the transaction of the effect, so there is no moment with one and without the other; a rollback frees the key.
 */
export async function commandOnce<T extends Outcome, Type extends EventType = never>(
  deps: CommandDeps,
  declaration: Declaration<Type>,
  key: IdempotencyKey,
  work: (context: CommandContext<Type>) => Promise<T | Rollback>,
): Promise<Keyed<T>> {
  const { input, ...place } = key
  const inputHash = createHash('sha256').update(input).digest()
  let taken: KeyClaim = 'free'
  const outcome = await command(deps, declaration, async (context) => {
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

/** How long a caller's key is remembered; a caller who asks again later than that begins anew. */
export const KEYS_KEPT_SECONDS = 24 * 60 * 60
const keptSince = (at: Date) => addSeconds(at, -KEYS_KEPT_SECONDS)

/** What was done by a key, as far as it is known. Null: nothing yet, or by one that is past its time. */
export async function findOutcome<T extends Outcome>(
  { pool, clock }: Pick<CommandDeps, 'pool' | 'clock'>,
  { input, ...place }: IdempotencyKey,
): Promise<T | null> {
  const stored = await findKey(pool, place)
  if (stored === undefined || stored.createdAt < keptSince(clock.now())) return null
  if (!stored.inputHash.equals(createHash('sha256').update(input).digest())) throw idempotencyConflict()
  return stored.outcome as T
}

type KeyClaim = 'free' | 'used' | 'busy'
type KeyPlace = Omit<IdempotencyKey, 'input'>

async function claimKey({ tx, at }: CommandContext<never>, place: KeyPlace, inputHash: Buffer): Promise<KeyClaim> {
  try {
    // Waits here, up to the lock time-out, while another transaction holds the same key.
    return (await insertKey(tx, { ...place, inputHash, at, keptSince: keptSince(at) })) === 1 ? 'free' : 'used'
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
  // The primary key decides between equal calls, however many and on however many nodes. One that is past its time is as if it were not
  // there: when it is deleted is a matter of work to be done, and not of its caller's.
  `insert into idempotency_keys (merchant_id, operation, key, input_hash, outcome, created_at)
   values ($merchantId, $operation, $key, $inputHash, '{}', $at)
   on conflict on constraint idempotency_keys_pkey do update
     set input_hash = excluded.input_hash, outcome = excluded.outcome, created_at = excluded.created_at
     where idempotency_keys.created_at < $keptSince::timestamptz`,
)

const updateOutcome = execute(
  'idempotency.update_outcome',
  `update idempotency_keys set outcome = $outcome::jsonb
   where merchant_id = $merchantId and operation = $operation and key = $key`,
)

const findKey = one(
  'idempotency.find_key',
  `select input_hash, outcome, created_at from idempotency_keys
   where merchant_id = $merchantId and operation = $operation and key = $key`,
  { inputHash: bytes, outcome: json<Outcome>(), createdAt: time },
)
