// Guarantee: what a page of the feed reads does not grow with what is kept, also of one resource and with a filter that nothing passes.
import type { EventType } from '@mintmark/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { dayOf } from '../db/partitions.ts'
import { STATEMENTS } from '../db/statement.ts'
import { newOrderedId } from '../platform/ids.ts'
import { secret } from '../platform/secret.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { list } from './feed.ts'
import './feed-store.ts'

const VERSIONS = 20_000
/** Pages of eight kilobytes. A hundred rows lie on a hundred of them at worst, and two thousand entries of an index on some thirty. */
const MAX_PAGES = 300
const MERCHANT = 'ma_1'
const BUSY = 'mandate_busy'

const clock = new ManualClock()
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  const at = clock.now()
  const start = newOrderedId('event', at).slice(0, 14)
  await database.pool.query('insert into event_heads (merchant_id, feed_pos, epoch_start) values ($1, $2, 0)', [
    MERCHANT,
    2 * VERSIONS,
  ])
  // First come events of resources of their own, then as many of one.
  await database.pool.query(
    `insert into events (merchant_id, feed_pos, occurred_at, day, resource_version, id, type, resource_type, resource_id,
       schema_version, environment, data)
     select $1, n, $2, $3, n, $4 || lpad(n::text, 16, '0'), 'mandate.paused', 'mandate',
       case when n > $6::int / 2 then $5 else 'mandate_' || n end, '2026-11-01', 'sandbox', '{}'
     from generate_series(1, $6::int) n`,
    [MERCHANT, at, dayOf(at), start, BUSY, 2 * VERSIONS],
  )
  await database.pool.query('analyze events')
}, 60_000)
afterAll(() => database?.close())

/** How many pages a statement of the program reads. */
async function pagesOf(name: string, values: Record<string, unknown>): Promise<number> {
  const statement = STATEMENTS.get(name)
  if (statement === undefined) throw new Error(`There is no statement ${name}.`)
  const { rows } = await database.pool.query(
    `explain (analyze, buffers, format json) ${statement.text}`,
    statement.parameters.map((parameter) => values[parameter.name]),
  )
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

const range = (after: number) => ({
  merchantId: MERCHANT,
  resourceId: BUSY,
  fromDay: dayOf(clock.now()),
  from: new Date(0),
  to: new Date('9999-12-01'),
  after,
  upTo: 2 * VERSIONS,
  types: null,
  limit: 100,
  most: 2_000,
})

test.each([0, VERSIONS + VERSIONS / 2, 2 * VERSIONS - 10])(
  'of a resource with many versions, behind position %i',
  async (after) => {
    expect(await pagesOf('events.list_page_of_resource', range(after))).toBeLessThan(MAX_PAGES)
    expect(await pagesOf('events.find_reach', range(after))).toBeLessThan(MAX_PAGES)
  },
)

test('a filter that nothing passes is passed in steps, and the last one says so', async () => {
  const deps = { pool: database.pool, clock, cursorKey: secret(Buffer.alloc(32, 1)) }
  const query = { merchantId: MERCHANT, resourceId: BUSY, from: undefined, to: undefined, limit: 100 }
  const walk = async (types: EventType[] | undefined) => {
    const positions: bigint[] = []
    let pages = 0
    for (let cursor: string | null = '0'; cursor !== null; pages += 1) {
      const page: Awaited<ReturnType<typeof list>> = await list(deps, { ...query, types, cursor })
      positions.push(...page.events.map(({ resourceVersion }) => BigInt(resourceVersion)))
      cursor = page.nextCursor
    }
    return {
      pages,
      count: positions.length,
      isInOrder: positions.every((one, place) => one > (positions[place - 1] ?? 0n)),
    }
  }
  expect(await walk(['card.deleted'])).toEqual({ pages: VERSIONS / 2_000, count: 0, isInOrder: true })
  expect(await walk(['mandate.paused'])).toMatchObject({ count: VERSIONS, isInOrder: true })
  expect(await walk(undefined)).toMatchObject({ count: VERSIONS, isInOrder: true })
}, 60_000)
