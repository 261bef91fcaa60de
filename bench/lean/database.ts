import type { Pool, PoolClient } from 'pg'
import { later } from '../../apps/server/src/db/pipeline.ts'
import { type Connection, createPool } from '../../apps/server/src/db/pool.ts'
import { Execution, wireValue } from '../../apps/server/src/db/prepared.ts'
import { pipelinedTransaction, type Tx } from '../../apps/server/src/db/transaction.ts'

/** Values in the order of the columns. */
export type Row = readonly unknown[]

/** What a program has asked of its database so far. */
export interface Counted {
  statements: number
  /** Messages that the program waited for. */
  trips: number
  /** Commits that waited for the disk. */
  awaited: number
}

export interface Database {
  readonly pool: Pool
  readonly counted: Counted
  /** One statement, a transaction of its own. */
  run(statement: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** Statements that are sent together, and committed with the last of them. */
  together<T>(work: (step: Step) => Promise<T>): Promise<T>
}

export interface Step {
  run(statement: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** Sent with the next, or with the commit; nothing is made of its answer. */
  later(statement: string, values: readonly unknown[]): void
}

const MAX_MILLIS = 7_000
/** Each program has so many: several are on one server, which takes a hundred. */
const CONNECTIONS = 8
/** Part of each text that commits without waiting for the disk. */
const UNAWAITED = 'synchronous_commit'

/** Statements by name; each is prepared once a connection, and described once. */
export function openDatabase(connection: Connection, statements: Readonly<Record<string, string>>): Database {
  const pool = createPool({ connection, max: CONNECTIONS, log: console })
  const counted: Counted = { statements: 0, trips: 0, awaited: 0 }
  const execute = (client: PoolClient | Tx, name: string, values: readonly unknown[]) => {
    const text = statements[name] ?? ''
    counted.statements += 1
    const execution = new Execution({ name, text }, values.map(wireValue), MAX_MILLIS)
    // The driver's types know texts only.
    client.query(execution as never)
    return execution.answer()
  }
  return {
    pool,
    counted,
    async run(name, values) {
      const text = statements[name] ?? ''
      counted.trips += 1
      if (isWrite(text) && !text.includes(UNAWAITED)) counted.awaited += 1
      const client = await pool.connect()
      try {
        return (await execute(client, name, values)).rows
      } finally {
        client.release()
      }
    },
    together(work) {
      counted.awaited += 1
      // The commit.
      counted.trips += 1
      return pipelinedTransaction(pool, (tx) => work(stepOn(tx)))
    },
  }

  function stepOn(tx: Tx): Step {
    let isWaiting = false
    return {
      async run(name, values) {
        // Those that are asked for in one turn of the loop are one message.
        if (!isWaiting) counted.trips += 1
        isWaiting = true
        queueMicrotask(() => {
          isWaiting = false
        })
        return (await execute(tx, name, values)).rows
      },
      later: (name, values) => void later(tx, () => execute(tx, name, values)),
    }
  }
}

const isWrite = (text: string) => /\b(insert|update|delete)\b/.test(text)

/** All tables of a design, in a database that is made anew. */
export async function makeDatabase(connection: Exclude<Connection, string>, schema: string): Promise<void> {
  const admin = createPool({ connection: { ...connection, database: 'postgres' }, max: 1, log: console })
  await admin.query(`drop database if exists ${connection.database}`)
  await admin.query(`create database ${connection.database}`)
  await admin.end()
  const pool = createPool({ connection, max: 1, log: console })
  await pool.query(schema)
  await pool.end()
}
