// Guarantee: a deployment of an earlier release, with a row of every kind in every state that lasts, is brought up to
// date by the migrations and answers as it did.
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Buying, startBuying } from '../../src/checkout/purchases/testing/quoted.ts'
import { MANDATE_TABLE } from '../rows/mandates.ts'
import { PATIENT, startTestService } from '../service.ts'
import { bringHome, type Home, readHome, takeHome, writeHome } from './home.ts'
import { live } from './life.ts'
import { ask } from './questions.ts'

/** `HOME_NAME` keeps today's beside the others, for the releases to come. */
const KEEP_AS = process.env.HOME_NAME
const TEN_YEARS = 10 * 365 * 24 * 60 * 60
const folder = new URL('.', import.meta.url)
const names = (await readdir(folder)).filter((name) => name.endsWith('.json.gz'))

let buying: Buying
let today: Home
beforeAll(async () => {
  buying = await startBuying({ env: PATIENT })
  const { service } = buying
  await service.clock.advance(TEN_YEARS)
  const questions = await live(buying)
  today = await takeHome(service.pool, service.clock.now(), await ask(service, questions))
  if (KEEP_AS !== undefined) await writeHome(new URL(`${KEEP_AS}.json.gz`, folder), today)
  // A whole life: a busy machine takes as many minutes as a quiet one seconds.
}, 180_000)
afterAll(() => buying?.service.close())

async function expectTheSameAnswers(home: Home): Promise<void> {
  const database = await bringHome(home)
  const service = await startTestService({ database, env: PATIENT, createCheckout: () => buying.shop })
  try {
    expect(await ask(service, home.told)).toEqual(home.told)
  } finally {
    await service.close()
    await database.close()
  }
}

test('of today: rows that are put back answer as they did', () => expectTheSameAnswers(today))

test.each(names)('of %s', async (name) => expectTheSameAnswers(await readHome(new URL(name, folder))))

test('a mandate of a checkout that no charge has is not taken for a standing one: nothing is migrated', async () => {
  const home = await readHome(new URL('2026-11-28.json.gz', folder))
  const table = `public.${MANDATE_TABLE}`
  const mandates = JSON.parse(home.rows[table] ?? '[]') as Record<string, unknown>[]
  const [stray] = mandates.filter((row) => row.per_checkout)
  mandates.push({ ...stray, id: `mdt_${'0'.repeat(26)}` })
  home.rows[table] = JSON.stringify(mandates)
  await expect(bringHome(home)).rejects.toThrow('mandates_per_checkout_check')
})

test.each([
  ['setup', 'mandates', 'id', 'mandate_id'],
  ['enrollment', 'enrollments', 'session_id', 'id'],
] as const)('a session without its %s is not thrown away: nothing is migrated', async (_name, table, key, of) => {
  const home = await readHome(new URL('2026-11-28-setups.json.gz', folder))
  const rows = (name: string) => JSON.parse(home.rows[`public.${name}`] ?? '[]') as Record<string, unknown>[]
  const lost = rows('sessions').find((row) => rows(table).some((subject) => subject[key] === row[of]))
  home.rows[`public.${table}`] = JSON.stringify(rows(table).filter((subject) => subject[key] !== lost?.[of]))
  await expect(bringHome(home)).rejects.toThrow('sessions_without_subject_check')
})

test('every state that lasts is in it', () => {
  const statuses = (table: string, column = 'status') =>
    [...new Set((JSON.parse(today.rows[table] ?? '[]') as Record<string, string>[]).map((row) => row[column]))].sort()
  expect({
    charges: statuses('public.charges'),
    mandates: statuses('public.mandates'),
    cards: statuses('public.cards'),
    enrollments: statuses('public.enrollments'),
    purchases: statuses('public.purchases', 'state'),
    escalations: statuses('public.escalations'),
    links: statuses('public.agent_links'),
    work: statuses('public.open_work', 'kind'),
  }).toEqual({
    charges: ['awaiting_result', 'completed', 'failed', 'initiated', 'minting'],
    mandates: ['active', 'cancelled', 'consumed', 'expired', 'paused', 'pending'],
    cards: ['active', 'deleted', 'provisioning'],
    enrollments: ['cancelled', 'completed', 'expired', 'failed', 'open'],
    purchases: ['failed', 'needs_human', 'paid', 'pending', 'prepare_failed'],
    escalations: ['allowed', 'denied', 'pending'],
    links: ['approved', 'pending'],
    work: ['mandate', 'purchase'],
  })
})

test('every question of it has an answer', () => {
  expect(today.told.filter(({ status }) => status !== 200)).toEqual([])
})
