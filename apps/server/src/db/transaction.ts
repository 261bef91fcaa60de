import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { checkBounds } from '../platform/bounds.ts'
import { isUseless, sqlState, UnknownCommitError, violates } from './errors.ts'
import { gathering, gatheringBehind, startPipeline } from './pipeline.ts'
import { holdingConnection, lend } from './pool.ts'
import { noteWriteError } from './space.ts'
import type { Queryable } from './statement.ts'

/** An open transaction. `work` gets only this: the pool is not in scope, so no write can land outside. */
export type Tx = PoolClient

/** Returned by `work` to write nothing: the row had moved on, or a rule said no. */
export const rollback: unique symbol = Symbol('rollback')
export type Rollback = typeof rollback

/** serialization_failure and deadlock_detected: nothing was committed, the whole transaction may run again. */
const RETRYABLE = new Set(['40001', '40P01'])
const ATTEMPTS = 3

const repeatedAfter = new Set<string>()

/**
 * Declares a unique index that stands behind a rule of a statement: `only if there is none yet`. Where several statements
 * see none at the same moment, the index lets one pass; the others run again, and see it.
 */
export function repeatAfter(uniqueIndex: string): void {
  repeatedAfter.add(uniqueIndex)
}

function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error)) || [...repeatedAfter].some((index) => violates(error, index))
}

/**
 * Runs `work` in one transaction and commits, or rolls back when `work` returns `rollback`. Retries on deadlock and
 * serialisation failure, so `work` must call nothing outside the database. An error while committing is thrown as it is:
 * the outcome is then unknown, and the caller re-reads by key (`faults.md` A3) instead of running it again.
 */
export async function transaction<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retried(pool, () => runOnce(pool, work))
}

/** Runs a transaction, or one statement that is its own transaction, again after a deadlock or serialisation failure. */
export async function retried<T>(pool: Pool, run: () => Promise<T>, mayRepeat = () => true): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      noteWriteError(pool, error)
      if (attempt >= ATTEMPTS || !isRetryable(error) || !mayRepeat()) throw error
      await delay(Math.random() * 20 * attempt)
    }
  }
}

/** The same with fewer waits: see `pipeline.ts`. */
export async function pipelinedTransaction<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retried(pool, () => runPipelined(pool, work))
}

type Action = (pool: Pool) => void

const actionsAfterCommit = new WeakMap<Queryable, Action[]>()

/**
 * Runs an action of this process once the open transaction has committed; never after a rollback. For hints only: a
 * process that dies in between does not run it.
 */
export function afterCommit(on: Queryable, action: Action): void {
  const actions = actionsAfterCommit.get(on)
  if (actions === undefined) throw new Error('There is no open transaction.')
  actions.push(action)
}

/** Runs work whose effect is committed when it returns, and then the actions that wait for it. */
export async function withActions<T>(pool: Pool, on: Queryable, work: () => Promise<T>): Promise<T> {
  const actions: Action[] = []
  actionsAfterCommit.set(on, actions)
  try {
    const result = await holdingConnection(work)
    if (result !== rollback) for (const action of actions) action(pool)
    return result
  } finally {
    actionsAfterCommit.delete(on)
  }
}

async function runOnce<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await withActions(pool, client, async () => {
      await client.query('begin')
      const result = await work(client)
      if (result === rollback) broken = await rollBack(client)
      else await commit(client)
      return result
    })
  } catch (error) {
    broken = isUseless(error) ? error : await rollBack(client)
    throw error
  } finally {
    // A connection that could not roll back is closed, never handed to the next caller.
    client.release(broken)
  }
}

async function runPipelined<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  const pipeline = startPipeline(client)
  const undo = async () => (pipeline.abandon() ? rollBack(client) : undefined)
  let broken: Error | undefined
  try {
    return await withActions(pool, pipeline.tx, async () => {
      const result = await work(pipeline.tx)
      if (result === rollback) broken = await undo()
      else await commitBy(client, () => pipeline.commit())
      return result
    })
  } catch (error) {
    broken = isUseless(error) ? error : await undo()
    throw error
  } finally {
    client.release(broken)
  }
}

/**
 * Runs one statement that is its own transaction, and retries it like a transaction. `work` must send exactly one write:
 * there is no BEGIN and no COMMIT, which would be two more round trips.
 */
export async function autocommit<T>(pool: Pool, work: (on: Queryable) => Promise<T>): Promise<T> {
  return retried(pool, () => lend(pool, (client) => committing(pool, client, client, work)))
}

type Read<Written, Found> = (on: Queryable, writing: Promise<Written>) => Promise<Found>

/**
 * The same with reads that are sent with the write, behind it, and see what it did: it is committed with them, or not at all. So are several
 * writes that `write` sends without a wait in between. What `read` asks for later has no part in that, and is no reason to write again.
 */
export async function autocommitTogether<Written, Found>(
  pool: Pool,
  write: (on: Queryable) => Promise<Written>,
  read: Read<Written, Found>,
): Promise<[Written, Found]> {
  return writeAndRead(pool, (client, work) => gathering(client, (on) => work(on, on, () => undefined)), write, read)
}

/** The same, where the write stands whatever becomes of the reads, which are a transaction of their own: some 30 µs more of the server's time. */
export async function autocommitThenRead<Written, Found>(
  pool: Pool,
  write: (on: Queryable) => Promise<Written>,
  read: Read<Written, Found>,
): Promise<[Written, Found]> {
  return writeAndRead(pool, gatheringBehind, write, read)
}

async function writeAndRead<Written, Found>(
  pool: Pool,
  gather: typeof gatheringBehind,
  write: (on: Queryable) => Promise<Written>,
  read: Read<Written, Found>,
): Promise<[Written, Found]> {
  let isWritten = false
  const run = (client: PoolClient) =>
    gather(client, (on, behind, sendBehind) =>
      committing(pool, client, on, async () => {
        const writing = write(on)
        const reading = read(behind, writing)
        // Looked at after the write, whose error is the one that counts.
        reading.catch(() => undefined)
        const written = await writing
        isWritten = true
        sendBehind()
        return [written, await reading] as [Written, Found]
      }),
    )
  return retried(
    pool,
    () => lend(pool, run),
    () => !isWritten,
  )
}

function committing<T>(pool: Pool, client: PoolClient, on: Tx, work: (on: Queryable) => Promise<T>): Promise<T> {
  return withActions(pool, on, () => withoutWarning(client, () => work(on)))
}

/**
 * The wait for a synchronous standby was cut short, by a time-out of ours or by an operator: a commit then succeeds with
 * nothing but a warning, and a failover may still lose it (`faults.md` A12). Commits warn of nothing else.
 */
async function withoutWarning<T>(client: PoolClient, commit: () => Promise<T>): Promise<T> {
  let warned = false
  const onNotice = ({ severity }: { severity?: string | undefined }) => {
    warned ||= severity === 'WARNING'
  }
  client.on('notice', onNotice)
  const result = await commit().finally(() => client.off('notice', onNotice))
  if (warned) throw new UnknownCommitError()
  return result
}

/**
 * After an error that `work` swallowed, PostgreSQL replies to COMMIT with ROLLBACK and no error at all: without this
 * check the caller would acknowledge what was thrown away.
 *
 * Nothing is committed for a caller who has hung up, or whose time is over: they are told, or will find, that it failed.
 */
async function commit(client: PoolClient): Promise<void> {
  return commitBy(client, async () => (await client.query('commit')).command)
}

async function commitBy(client: PoolClient, send: () => Promise<string>): Promise<void> {
  checkBounds()
  const command = await withoutWarning(client, send)
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement in it had failed unnoticed.')
}

async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
