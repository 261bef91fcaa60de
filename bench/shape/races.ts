import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '@mintmark/embedded-postgres'
import type { Pool } from 'pg'
import { createPool } from '../../apps/server/src/db/pool.ts'
import { statementsOf } from './variants.ts'

// node bench/shape/races.ts   what the statements of the new shape do when rows are not as they were read, and when
// many ask at once

const STATEMENTS = statementsOf('shape')
const AT = new Date()
const LATER = new Date(AT.getTime() + 900_000)
const BYTES = Buffer.from('x')
const WAITING_MILLIS = 300
const CALLERS = 64

const home = await mkdtemp(join(tmpdir(), 'mintmark-races-'))
const server = await startEmbedded({ home, name: 'mintmark', settings: { fsync: 'off' } })
const pool = createPool({ connection: server.connection, max: 16, log: console })
try {
  await pool.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'))
  await pool.query(`insert into merchants (id, status, network_profile) values ('m', 'active', 'p')`)
  await refusedApprovals()
  await approvalThatWaits(
    'a passkey that is flagged meanwhile',
    `update passkeys set flagged_at = now() where id = 'p-5'`,
    '5',
  )
  await approvalThatWaits(
    'a card that is deleted meanwhile',
    `update cards set status = 'deleted' where id = 'k-6'`,
    '6',
  )
  await manyCharges()
} finally {
  await pool.end()
  await server.stop()
  await rm(home, { recursive: true, force: true })
}

async function refusedApprovals(): Promise<void> {
  for (const name of ['1', '2', '3', '4']) await readyToApprove(name)
  console.log('another card', await approve('1', { seal: Buffer.from('y') }), await kept('1'))
  console.log('another passkey', await approve('2', { passkey: 'p-0' }), await kept('2'))
  await pool.query(`update passkeys set flagged_at = now() where id = 'p-3'`)
  console.log('a flagged passkey', await approve('3'), await kept('3'))
  const all = await Promise.all(Array.from({ length: CALLERS }, () => approve('4')))
  console.log(`${CALLERS} approvals at once`, tally(all), await kept('4'))
}

async function approvalThatWaits(what: string, change: string, name: string): Promise<void> {
  await readyToApprove(name)
  const client = await pool.connect()
  await client.query('begin')
  await client.query(change)
  const waiting = approve(name)
  await delay(WAITING_MILLIS)
  await client.query('commit')
  client.release()
  console.log(what, await waiting, await kept(name))
}

async function manyCharges(): Promise<void> {
  await pool.query(
    `insert into mandates (merchant_id, id, customer_id, card_id, status, frequency, merchant_scope, approved_minor, currency, payee_url,
       details, valid_until, seal, instruction_ref, created_at, updated_at)
     values ('m', 'md', 'c-4', 'k-4', 'active', 'yearly', 'listed', 1000, 'USD', 'https://x', '{}', $1, 'x', 'i', $2, $2)`,
    [LATER, AT],
  )
  const charge = (id: string, reference: string) =>
    said(pool, 'open', ['m', 'md', id, AT, 200, reference, BYTES, LATER, null, 5, []])
  const different = Array.from({ length: CALLERS }, (_, place) => charge(`a${place}`, `r${place}`))
  console.log(`${CALLERS} charges of 2.00 on a cap of 10.00`, tally(await Promise.all(different)), await spent())
  await pool.query('update mandates set window_spent_minor = 0')
  const equal = Array.from({ length: CALLERS }, (_, place) => charge(`b${place}`, 'one'))
  console.log(`${CALLERS} charges of one reference`, tally(await Promise.all(equal)), await spent())
}

/** A session whose cardholder has entered a card and registered a passkey. */
async function readyToApprove(name: string): Promise<void> {
  const session = ['m', `s-${name}`]
  const customer = [`u-${name}`, 'a@example.com', `c-${name}`, AT, LATER]
  const card = [Buffer.from(name), BYTES, BYTES, 'key', '4242', 'visa', 12, 2030]
  const passkey = [`p-${name}`, BYTES, 0, ['internal'], true, BYTES]
  await said(pool, 'create', ['m', `t-${name}`, `s-${name}`, ...customer, 100, 'USD', 'https://x', '{}', BYTES])
  await said(pool, 'enter', [...session, AT, `k-${name}`, ...card])
  await said(pool, 'accept', [...session, AT, `k-${name}`, 1, 'token', BYTES, 12, 2030, '{}', BYTES])
  const registered = await said(pool, 'register', [...session, AT, ...passkey, 'challenge', 'agreed', BYTES, LATER])
  if (registered !== '1 row') throw new Error(`A passkey was not registered: ${registered}`)
}

function approve(name: string, { seal = BYTES, passkey = `p-${name}` } = {}): Promise<string> {
  const shown = [`k-${name}`, seal, passkey, 0, true, BYTES]
  return said(pool, 'approve', ['m', `s-${name}`, AT, ...shown, `md-${name}`, BYTES, LATER, BYTES, BYTES, BYTES])
}

/** How many rows came of it, or the server's code and the column that it names. */
async function said(on: Pool, name: string, values: unknown[]): Promise<string> {
  try {
    const { rowCount } = await on.query({ text: STATEMENTS[name] ?? '', values })
    return `${rowCount} row`
  } catch (error) {
    const { code, column } = error as { code?: string; column?: string }
    return `${code} ${column ?? ''}`
  }
}

function tally(all: readonly string[]): string {
  const kinds = [...new Set(all)].toSorted()
  return kinds.map((kind) => `${all.filter((one) => one === kind).length} × ${kind}`).join(', ')
}

async function kept(name: string): Promise<string> {
  const { rows } = await pool.query(
    `select c.status, k.passkey_id is not null as given, p.last_used_at is not null as used,
       (select count(*)::int from approvals where subject_id = $1) as evidence
     from charges c join cards k on k.id = c.card_id join passkeys p on p.customer_id = c.customer_id where c.session_id = $1`,
    [`s-${name}`],
  )
  return JSON.stringify(rows[0])
}

async function spent(): Promise<string> {
  const { rows } = await pool.query(
    `select charge_count, window_spent_minor::text as spent, (select count(*)::int from charges where standing_mandate_id = 'md') as charges
     from mandates`,
  )
  return JSON.stringify(rows[0])
}
