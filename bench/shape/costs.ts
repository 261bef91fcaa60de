import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@mintmark/embedded-postgres'
import type { PoolClient } from 'pg'
import { createPool } from '../../apps/server/src/db/pool.ts'
import { Execution, wireValue } from '../../apps/server/src/db/prepared.ts'
import { quantile } from '../statistics.ts'
import { alignColumns } from '../table.ts'
import { schemaOf, statementsOf } from './variants.ts'

// node bench/shape/costs.ts   what each statement of a payment in the new shape costs in processor time of
// PostgreSQL, with fewer constraints
//                             and indexes, too; one connection a variant, which take turns. Linux only

const PAYMENTS = 150
/** Not counted: statements are prepared and planned. */
const WARM_UP = 40
const LONGEST_MILLIS = 9_000
const BYTES = Buffer.alloc(32, 1)

const DUE = /create index (charges|cards)_due.+/g
const BESIDE_KEYS = /create (unique )?index (?!passkeys_live|charges_session).+/g
const VARIANTS: Readonly<Record<string, (schema: string) => string>> = {
  shape: (schema) => schema,
  'few checks': (schema) => schemaOf('few checks', schema),
  unchecked: (schema) => schemaOf('unchecked', schema),
  'no work': (schema) => schema.replace(DUE, ''),
  'keys alone': (schema) => schemaOf('unchecked', schema).replace(BESIDE_KEYS, ''),
}
const STATEMENTS = statementsOf('shape')

interface Client {
  readonly name: string
  readonly client: PoolClient
  readonly pid: number
  /** Nanoseconds of each execution, by statement. */
  readonly costs: Map<string, number[]>
}

const home = await mkdtemp(join(tmpdir(), 'mintmark-costs-'))
const server = await startEmbedded({ home, name: 'mintmark' })
try {
  const clients: Client[] = []
  for (const [place, name] of Object.keys(VARIANTS).entries()) clients.push(await open(`variant_${place}`, name))
  for (let payment = 0; payment < WARM_UP + PAYMENTS; payment += 1) {
    if (payment === WARM_UP) for (const { costs } of clients) costs.clear()
    for (const client of clients) await pay(client, String(payment))
  }
  print(clients)
  for (const { client } of clients) client.release(true)
} finally {
  await server.stop()
  await rm(home, { recursive: true, force: true })
}

async function open(database: string, name: string): Promise<Client> {
  const admin = createPool({ connection: { ...server.connection, database: 'postgres' }, max: 1, log: console })
  await admin.query(`create database ${database}`)
  await admin.end()
  const client = await createPool({ connection: { ...server.connection, database }, max: 1, log: console }).connect()
  const schema = await readFile(new URL('schema.sql', import.meta.url), 'utf8')
  await client.query((VARIANTS[name] ?? String)(schema))
  await client.query(`insert into merchants (id, status, network_profile) values ('m', 'active', 'p')`)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return { name, client, pid: rows[0]?.pid ?? 0, costs: new Map() }
}

async function pay(on: Client, name: string): Promise<void> {
  const at = new Date()
  const later = new Date(at.getTime() + 900_000)
  const [session, charge, card, passkey] = ['se_', 'txn_', 'crd_', 'pk_'].map(
    (prefix) => `${prefix}${name.padStart(26, '0')}`,
  )
  const details = JSON.stringify({ user_id: name, merchant: { name: 'Tea House' }, products: [{ description: 'Tea' }] })
  const step = ['m', session, at]
  const customer = [`user-${name}`, 'a@example.com', `cus-${name}`, at, later]
  await run(on, 'create', ['m', charge, session, ...customer, 4_000, 'USD', 'https://tea.example', details, BYTES])
  await run(on, 'launched', ['m', session])
  await run(on, 'enter', [...step, card, Buffer.from(name), BYTES, BYTES, 'key', '4242', 'visa', 12, 2030])
  await run(on, 'accept', [...step, card, 1, `ntk-${name}`, BYTES, 12, 2030, '{}', BYTES])
  await run(on, 'challenge', [...step, 'first', later])
  await run(on, 'claim', [...step, 'registration', 'first'])
  const created = [passkey, BYTES, 0, ['internal'], true, BYTES]
  await run(on, 'register', [...step, ...created, 'second', 'agreed'.repeat(60), BYTES, later])
  await run(on, 'claim', [...step, 'assertion', 'second'])
  const evidence = [130, 37, 71].map((size) => Buffer.alloc(size, 1))
  const shown = [card, BYTES, passkey, 0, true, BYTES]
  const approved = await run(on, 'approve', [...step, ...shown, `mdt-${name}`, BYTES, later, ...evidence])
  const told = (version: number) => [`evt-${version}-${name}`, 'payment.changed', version, details]
  await run(on, 'minted', ['m', charge, approved[0], BYTES, 'key', later, 'ins', at, ...told(2)])
  await run(on, 'read', ['m', session])
  const reported = await run(on, 'report', ['m', session, charge, at, 'APPROVED', '{}', later])
  await run(on, 'paid', ['m', charge, reported[1], 'SUCCESS', at, ...told(3)])
}

async function run({ client, pid, costs }: Client, name: string, values: readonly unknown[]): Promise<unknown[]> {
  const before = await processorNanos(pid)
  const execution = new Execution({ name, text: STATEMENTS[name] ?? '' }, values.map(wireValue), LONGEST_MILLIS)
  // The driver's types know texts only.
  client.query(execution as never)
  const [row] = (await execution.answer()).rows
  costs.set(name, [...(costs.get(name) ?? []), (await processorNanos(pid)) - before])
  if (row === undefined) throw new Error(`${name} changed nothing.`)
  return row
}

async function processorNanos(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0])
}

/**
 * The lower quartile of a statement's executions, times how often a payment sends it: other work only ever adds to it.
 */
function print(clients: readonly Client[]): void {
  const micros = ({ costs }: Client, name: string) => {
    const nanos = costs.get(name) ?? []
    return (quantile(nanos, 0.25) * nanos.length) / PAYMENTS / 1_000
  }
  const names = [...(clients[0]?.costs.keys() ?? [])]
  const all = (client: Client) => names.reduce((sum, name) => sum + micros(client, name), 0)
  console.log(
    `Processor time of PostgreSQL for one payment in the new shape, in µs. Load ${loadavg()[0]?.toFixed(1)}.\n`,
  )
  const rows = names.map((name) => [name, ...clients.map((client) => micros(client, name).toFixed(0))])
  const last = ['all', ...clients.map((client) => all(client).toFixed(0))]
  for (const line of alignColumns([['statement', ...clients.map(({ name }) => name)], ...rows, last])) console.log(line)
}
