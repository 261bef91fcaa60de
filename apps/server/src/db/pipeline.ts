import type { Pool } from 'pg'
import { isUseless } from './errors.ts'
import { abandon, holdingConnection, lend, QUERY_TIMEOUT_MILLIS } from './pool.ts'
import { Execution, Together } from './prepared.ts'
import { gathers, type Queryable, readsOnly } from './statement.ts'
import type { Tx } from './transaction.ts'

// Waiting less often. Statements that are called without a wait in between are sent together, and waited for once.
//
// A transaction: the BEGIN goes with the first of them, and the COMMIT with what no caller waits for (`later`). To the server it is the same
// transaction. Reads beside each other (`readTogether`): they are on one connection, where each would take one of its own. Reads behind a
// write (`gatheringBehind`): they see what it did, and what becomes of them is nothing to it.

interface Pipeline {
  tx: Tx
  /** Sends COMMIT behind what is left; returns what the server says that it did. */
  commit(): Promise<string>
  /** Sends no more. True: something was sent, and has to be rolled back. */
  abandon(): boolean
  later<T>(send: () => Promise<T>): Promise<T>
}

const pipelines = new WeakMap<object, Pipeline>()

/** A wait for what runs now. `queueMicrotask` makes a resource for each. */
const SOON = Promise.resolve()

/** A connection that is idle, on which statements gather and are sent together; behind `first`. */
function gatherOn(client: Tx, first: Execution[]) {
  let pending = first
  let sent: readonly Execution[] = []
  /** Why nothing of this message is sent. */
  let spoiled: Error | undefined
  let isScheduled = false
  let isOver = false
  const gathering = {
    hasSent: false,
    /** What is added now is not sent by itself. */
    isHeld: false,
    /** What this has when the first is sent here goes with it. */
    behind: undefined as { take(): Together | undefined } | undefined,
    // Not made from the client: what others are made from is slower for everybody.
    on: { query } as unknown as Tx,
    add(execution: Execution): void {
      if (spoiled === undefined) pending.push(execution)
      else execution.handleError(spoiled)
      if (!gathering.isHeld) schedule()
    },
    flush(): void {
      isScheduled = false
      spoiled = undefined
      if (pending.length === 0) return
      gathering.hasSent = true
      const behind = gathering.behind?.take()
      gathering.behind = undefined
      const together = new Together(taken())
      if (behind !== undefined) together.takeAlong(behind)
      client.query(together as never)
      if (behind !== undefined) client.query(behind as never)
    },
    /** What was gathered, for another to send; what comes later is sent from here. */
    take(): Together | undefined {
      gathering.isHeld = false
      return pending.length === 0 ? undefined : new Together(taken())
    },
    drop(): void {
      pending = []
    },
    /**
     * Nothing more is sent, and all that was has its answer: what was left behind would run among the statements of whoever is next. Returns
     * the errors of what was sent last.
     */
    async end(): Promise<unknown[]> {
      isOver = true
      for (const execution of pending) execution.handleError(givenBack())
      pending = []
      const ends = await Promise.allSettled(sent.map((execution) => execution.answer()))
      return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    },
  }
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    void SOON.then(gathering.flush)
  }
  // What began a transaction rolls it back.
  const isTransaction = first.length > 0
  function spoil(error: Error): void {
    if (isTransaction) return
    spoiled = error
    for (const execution of pending) execution.handleError(error)
    pending = []
    schedule()
  }
  gathers(gathering.on, { goesAlong: () => isScheduled, spoil })
  function taken(): readonly Execution[] {
    sent = pending
    pending = []
    return sent
  }
  function query(...given: unknown[]): unknown {
    const [first] = given
    if (isOver) throw givenBack()
    if (first instanceof Execution) {
      gathering.add(first)
      return first
    }
    // A plain text, in its turn.
    gathering.flush()
    return Reflect.apply(client.query, client, given)
  }
  return gathering
}

const givenBack = () => new Error('The connection was given back before this statement was sent.')

/** A transaction on a connection that is idle. */
export function startPipeline(client: Tx): Pipeline {
  const own = (text: 'begin' | 'commit') =>
    new Execution({ name: `transaction.${text}`, text }, [], QUERY_TIMEOUT_MILLIS)
  const gathering = gatherOn(client, [own('begin')])
  const pipeline: Pipeline = {
    tx: gathering.on,
    async commit() {
      const commit = own('commit')
      gathering.add(commit)
      gathering.flush()
      return (await commit.answer()).tag
    },
    abandon() {
      gathering.drop()
      return gathering.hasSent
    },
    later(send) {
      gathering.isHeld = true
      try {
        return send()
      } finally {
        gathering.isHeld = false
      }
    },
  }
  pipelines.set(pipeline.tx, pipeline)
  return pipeline
}

/** Waits for all that was sent together; returns the answer of the first. */
export async function answerOf<Answer>(
  sent: Promise<Answer>,
  ...others: (Promise<unknown> | undefined)[]
): Promise<Answer> {
  return (await Promise.all([sent, ...others]))[0]
}

/** Statements that are sent together each time that the caller waits, on a connection that is idle. */
export async function gathering<T>(client: Tx, work: (on: Tx) => Promise<T>): Promise<T> {
  const gathered = gatherOn(client, [])
  try {
    return await work(gathered.on)
  } finally {
    await gathered.end()
  }
}

/**
 * The same with reads that are sent behind the first of what `on` sends: not before it, and in the same trip. `sendBehind` sends them by
 * themselves, where that was never anything.
 */
export async function gatheringBehind<T>(
  client: Tx,
  work: (on: Tx, behind: Queryable, sendBehind: () => void) => Promise<T>,
): Promise<T> {
  const behind = gatherOn(client, [])
  behind.isHeld = true
  const gathered = gatherOn(client, [])
  gathered.behind = behind
  const sendBehind = () => {
    behind.isHeld = false
    behind.flush()
  }
  try {
    return await work(gathered.on, readsOnly(behind.on), sendBehind)
  } finally {
    await gathered.end()
    // The caller may not have looked at these: with answers still to come the connection is of no further use.
    const errors = await behind.end()
    if (errors.some(isUseless)) abandon(client)
  }
}

/**
 * Reads that do not wait for each other, on one connection. Each sees what is committed when its turn has come, as on connections of their
 * own; where one fails, all fail.
 */
export async function readTogether<T>(pool: Pool, read: (on: Queryable) => Promise<T>): Promise<T> {
  return lend(pool, (client) => gathering(client, (on) => holdingConnection(() => read(readsOnly(on)))))
}

/**
 * Sends a statement with the next one that a caller waits for, or with the COMMIT. What it returns may be awaited after the
 * transaction only; if it fails, the transaction does.
 */
export function later<T>(tx: Tx, send: () => Promise<T>): Promise<T> {
  const pipeline = pipelines.get(tx)
  const sent = pipeline === undefined ? send() : pipeline.later(send)
  // After a rollback the caller does not look.
  sent.catch(() => undefined)
  return sent
}
