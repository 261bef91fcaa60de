import { QUERY_TIMEOUT_MILLIS } from './pool.ts'
import { Execution, Together } from './prepared.ts'
import type { Tx } from './transaction.ts'

// A transaction that waits less often: statements that are called without a wait in between are sent together, the
// BEGIN with the first of them, and the COMMIT with what is not waited for (`later`). To the server it is the same
// transaction.

interface Pipeline {
  tx: Tx
  /** Sends COMMIT behind what is left; returns what the server says that it did. */
  commit(): Promise<string>
  /** Sends no more. True: something was sent, and has to be rolled back. */
  abandon(): boolean
  later<T>(send: () => Promise<T>): Promise<T>
}

const pipelines = new WeakMap<object, Pipeline>()

/** A transaction on a connection that is idle. */
export function startPipeline(client: Tx): Pipeline {
  const own = (text: 'begin' | 'commit') =>
    new Execution({ name: `transaction.${text}`, text }, [], QUERY_TIMEOUT_MILLIS)
  let pending: Execution[] = [own('begin')]
  let hasBegun = false
  let isScheduled = false
  let isHeld = false
  const flush = () => {
    isScheduled = false
    if (pending.length === 0) return
    hasBegun = true
    const together = new Together(pending)
    pending = []
    client.query(together as never)
  }
  const add = (execution: Execution) => {
    pending.push(execution)
    if (isHeld || isScheduled) return
    isScheduled = true
    queueMicrotask(flush)
  }
  const query = (...given: unknown[]): unknown => {
    const [first] = given
    if (first instanceof Execution) {
      add(first)
      return first
    }
    // A plain text, in its turn.
    flush()
    return Reflect.apply(client.query, client, given)
  }
  const pipeline: Pipeline = {
    tx: Object.create(client, { query: { value: query } }),
    async commit() {
      const commit = own('commit')
      add(commit)
      flush()
      return (await commit.answer()).tag
    },
    abandon() {
      pending = []
      return hasBegun
    },
    later(send) {
      isHeld = true
      try {
        return send()
      } finally {
        isHeld = false
      }
    },
  }
  pipelines.set(pipeline.tx, pipeline)
  return pipeline
}

/**
 * Sends a statement with the next one that is waited for, or with the COMMIT. What it returns may be awaited after
 * the transaction only; if it fails, the transaction does.
 */
export function later<T>(tx: Tx, send: () => Promise<T>): Promise<T> {
  const pipeline = pipelines.get(tx)
  const sent = pipeline === undefined ? send() : pipeline.later(send)
  // After a rollback it is not read.
  sent.catch(() => undefined)
  return sent
}
