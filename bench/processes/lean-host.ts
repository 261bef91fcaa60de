import { readFile } from 'node:fs/promises'
import type { Connection } from '../../apps/server/src/db/pool.ts'
import { chargeHandlers, fillMandates } from '../lean/charge.ts'
import { SECRET_KEY } from '../lean/crypto.ts'
import { type Counted, type Database, makeDatabase, openDatabase } from '../lean/database.ts'
import { type Handlers, listen } from '../lean/http.ts'
import { paymentHandlers } from '../lean/journey.ts'
import { CHARGE, PAYMENT } from '../lean/statements.ts'
import { serveTasks } from './tasks.ts'

/** Begins in a database of its own, with mandates to charge; then says what it has asked of it so far. */
export type LeanTask =
  | {
      kind: 'start'
      connection: Exclude<Connection, string>
      mandates: readonly string[]
    }
  | { kind: 'count' }

export interface LeanAnswer {
  readonly url: string
  readonly secretKey: string
  readonly counted: Counted
}

let database: Database | undefined
let url = ''
const origin = () => url

serveTasks<LeanTask, LeanAnswer>(async (task) => {
  if (task.kind === 'start') {
    const started = await start(task.connection, task.mandates)
    database = started.database
    url = `http://127.0.0.1:${await listen(started.handlers)}`
  }
  if (database === undefined) throw new Error('It has not started.')
  return { url, secretKey: SECRET_KEY, counted: { ...database.counted } }
})

interface Started {
  readonly database: Database
  readonly handlers: Handlers
}

async function start(connection: Exclude<Connection, string>, mandates: readonly string[]): Promise<Started> {
  await makeDatabase(connection, await readFile(new URL('../lean/schema.sql', import.meta.url), 'utf8'))
  const opened = openDatabase(connection, { ...PAYMENT, ...CHARGE })
  await fillMandates(opened, mandates)
  return { database: opened, handlers: { ...paymentHandlers({ database: opened, origin }), ...chargeHandlers(opened) } }
}
