import type { Pool } from 'pg'
import { holdingConnection, lend, QUERY_TIMEOUT_MILLIS } from './pool.ts'
import { Execution, Together } from './prepared.ts'
import { type Queryable, readsOnly } from './statement.ts'
import type { Tx } from './transaction.ts'

// Waiting less often. Statements that are called without a wait in between are sent together, and waited for once.
//
// A transaction: the BEGIN goes with the first of them, and the COMMIT with what nobody waits for (`later`). To the server it is the same
// transaction. Reads beside each other (`readTogether`): they are on one connection, where each would take one of its own.

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
  let isScheduled = false
  let isOver = false
  const gathering = {
    hasSent: false,
    /** What is added now is not sent by itself. */
    isHeld: false,
    // Not made from the client: what others are made from is slower for everybody.
    on: { query } as unknown as Tx,
    add(execution: Execution): void {
      pending.push(execution)
      if (gathering.isHeld || isScheduled) return
      isScheduled = true
      void SOON.then(gathering.flush)
    },
    flush(): void {
      isScheduled = false
      if (pending.length === 0) return
      gathering.hasSent = true
      sent = pending
      pending = []
      client.query(new Together(sent) as never)
    },
    drop(): void {
      pending = []
    },
    /** Nothing more is sent, and all that was has its answer: what was left behind would run among the statements of whoever is next. */
    async end(): Promise<void> {
      isOver = true
      for (const execution of pending) execution.handleError(givenBack())
      pending = []
      await Promise.allSettled(sent.map((execution) => execution.answer()))
    },
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

/** Statements that are sent together each time that somebody waits, on a connection that is idle. */
export async function gathering<T>(client: Tx, work: (on: Tx) => Promise<T>): Promise<T> {
  const gathered = gatherOn(client, [])
  try {
    return await work(gathered.on)
  } finally {
    await gathered.end()
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
 * Sends a statement with the next one that somebody waits for, or with the COMMIT. What it returns may be awaited after the
 * transaction only; if it fails, the transaction does.
 */
export function later<T>(tx: Tx, send: () => Promise<T>): Promise<T> {
  const pipeline = pipelines.get(tx)
  const sent = pipeline === undefined ? send() : pipeline.later(send)
  // After a rollback nobody looks.
  sent.catch(() => undefined)
  return sent
}
