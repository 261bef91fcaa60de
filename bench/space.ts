import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runningConnection } from '@mintmark/embedded-postgres'
import { Client } from 'pg'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import type { Connection } from '../apps/server/src/db/pool.ts'
import type { CardholdersAnswer, CardholdersTask } from './processes/cardholders.ts'
import { startWorker } from './processes/tasks.ts'
import { withService } from './service.ts'
import { alignColumns } from './table.ts'

// node bench/space.ts          half a minute: what a whole payment of a new customer leaves in the database, by table
// node bench/space.ts 3000     of that many payments

/** What lies in a table, or what was added to it; updates are counted since the server started. */
export interface Space {
  table: string
  heap: number
  indexes: number
  /** Large values, outside their rows. */
  toast: number
  updates: number
  /** Updates that touched no index and stayed in their page. */
  hotUpdates: number
}

const COUNTS_REST_MILLIS = 1_500
const FIRST_PAYMENTS = 100

/** Every table after a VACUUM: what the dead rows took is free for others, and is not given back to the system. */
export async function measureSpace(connection: Exclude<Connection, string>): Promise<Space[]> {
  // Not from a pool, whose time-outs are for requests.
  const client = new Client(connection)
  await client.connect()
  try {
    // Every connection of the service reports its counts at most once a second.
    await delay(COUNTS_REST_MILLIS)
    await client.query('vacuum analyze')
    const { rows } = await client.query<Space>(
      `select case schemaname when 'public' then relname else schemaname || '.' || relname end as "table",
         pg_relation_size(relid)::int as heap, pg_indexes_size(relid)::int as indexes,
         (pg_table_size(relid) - pg_relation_size(relid))::int as toast,
         n_tup_upd::int as updates, n_tup_hot_upd::int as "hotUpdates"
       from pg_stat_user_tables order by 1`,
    )
    return rows
  } finally {
    await client.end()
  }
}

/** What each of `count` payments added. */
export function spaceOfOne(before: readonly Space[], after: readonly Space[], count: number): Space[] {
  const was = new Map(before.map((space) => [space.table, space]))
  return after.map((space) => {
    const old = was.get(space.table)
    const added = (pick: (space: Space) => number) => (pick(space) - (old === undefined ? 0 : pick(old))) / count
    return {
      table: space.table,
      heap: added(({ heap }) => heap),
      indexes: added(({ indexes }) => indexes),
      toast: added(({ toast }) => toast),
      updates: added(({ updates }) => updates),
      hotUpdates: added(({ hotUpdates }) => hotUpdates),
    }
  })
}

/** Rows live for some minutes there, or for milliseconds, and are deleted: these grow with the payments of that time, and no more. */
const PASSING: readonly string[] = ['passkey_challenges', 'rate_limits', 'open_work', 'captured_events']
/** What a new customer leaves once, however often they pay. */
const OF_CUSTOMER: readonly string[] = ['customers', 'vault_records', 'cards', 'passkeys', 'simnet.tokens']

/** Tables that a real network keeps on its own machines. */
const isSimulated = ({ table }: Space) => table.startsWith('simnet.')

/** Bytes in the end: what a payment leaves, what a new customer leaves once, and what the simulated network keeps of both. */
export function bytesOf(spaces: readonly Space[]): { payment: number; customer: number; simulated: number } {
  const sum = (chosen: readonly Space[]) => chosen.reduce((bytes, space) => bytes + total(space), 0)
  const lasting = spaces.filter(({ table }) => !PASSING.includes(table))
  return {
    payment: sum(lasting.filter(({ table }) => !OF_CUSTOMER.includes(table))),
    customer: sum(lasting.filter(({ table }) => OF_CUSTOMER.includes(table))),
    simulated: sum(lasting.filter(isSimulated)),
  }
}

function total({ heap, indexes, toast }: Space): number {
  return heap + indexes + toast
}

export function spaceTable(spaces: readonly Space[]): string[] {
  const shown = spaces.filter((space) => total(space) >= 1).sort((one, other) => total(other) - total(one))
  const cells = (space: Space) => [
    ...[total(space), space.heap, space.indexes, space.toast].map((bytes) => bytes.toFixed(0)),
    space.updates.toFixed(1),
    space.updates < 0.05 ? '' : `${((100 * space.hotUpdates) / space.updates).toFixed(0)} %`,
  ]
  const { payment, customer, simulated } = bytesOf(spaces)
  return [
    `Bytes in the end: ${payment.toFixed(0)} of a whole payment, and ${customer.toFixed(0)} of a customer who pays for the first time;`,
    `${(payment + customer - simulated).toFixed(0)} of both without the simulated network, ${simulated.toFixed(0)} in it. By table,`,
    `after a VACUUM (not counted: ${PASSING.join(', ')}, whose rows live for minutes); and updates a payment,`,
    'with the share that touched no index:',
    '',
    ...alignColumns([
      ['', 'bytes', 'rows', 'indexes', 'beside', 'updates', 'HOT'],
      ...shown.map((space) => [space.table, ...cells(space)]),
    ]),
  ]
}

async function run(count: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'mintmark-space-'))
  const cardholders = startWorker<CardholdersTask, CardholdersAnswer>('cardholders.ts')
  try {
    await withService({ home, profileDirectory: null }, async ({ url, pid, secretKey }) => {
      const connection = await runningConnection(home, EMBEDDED_NAME)
      if (connection === undefined) throw new Error('The service runs without its embedded database.')
      const pay = (journeys: number) => cardholders.run({ url, pid, secretKey, journeys, atOnce: 8 })
      // Pages are there before they are counted, and have room that a VACUUM found.
      await pay(FIRST_PAYMENTS)
      const before = await measureSpace(connection)
      await pay(count)
      console.log(spaceTable(spaceOfOne(before, await measureSpace(connection), count)).join('\n'))
    })
  } finally {
    await cardholders.stop()
    await rm(home, { recursive: true, force: true })
  }
}

if (import.meta.main) await run(Number(process.argv[2] ?? 1000))
