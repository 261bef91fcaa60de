// The rig itself: it forwards unchanged, counts what it is told to count, and holds, drops and delays where it is told.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePool, createPool } from '../../src/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { startWireProxy, type WireMessage, type WireProxy } from './wire-proxy.ts'

let database: TestDatabase
let proxy: WireProxy
beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startWireProxy(database.connection)
})
afterAll(async () => {
  await proxy?.close()
  await database?.close()
})

async function withPool<T>(work: (pool: ReturnType<typeof createPool>) => Promise<T>): Promise<T> {
  const pool = createPool({ connection: proxy.url, max: 1, log: { warn: () => {} } })
  try {
    await pool.query('select 1')
    return await work(pool)
  } finally {
    await closePool(pool)
  }
}

const isQuery = ({ type }: WireMessage) => type === 'Q'
const ROWS = `select repeat('x', 100000) as text from generate_series(1, 20)`

test('forwards messages larger than a packet, and counts both directions', () =>
  withPool(async (pool) => {
    void proxy.arm({ at: Number.POSITIVE_INFINITY, when: 'before', action: 'drop' })
    const { rows } = await pool.query<{ text: string }>(ROWS)
    expect(rows.map(({ text }) => text.length)).toEqual(Array(20).fill(100_000))
    // One query; a description, twenty rows, an end and "ready".
    expect(proxy.disarm()).toEqual({ counted: 24, happened: false })
  }))

test.each([
  ['before', 0],
  ['after', 1],
] as const)('drops the connection %s the second query', (when, written) =>
  withPool(async (pool) => {
    await database.pool.query('create table if not exists dropped (at text)')
    void proxy.arm({ counts: isQuery, at: 2, when, action: 'drop' })
    await pool.query('select 1')
    await expect(pool.query(`insert into dropped values ('${when}')`)).rejects.toThrow('Connection terminated')
    expect(proxy.disarm().happened).toBe(true)
    await pool.query('select 1')
    await expect
      .poll(async () => (await database.pool.query('select 1 from dropped where at = $1', [when])).rowCount)
      .toBe(written)
  }),
)

test('delays a message and all behind it', () =>
  withPool(async (pool) => {
    void proxy.arm({ counts: isQuery, at: 1, when: 'before', action: 300 })
    const from = performance.now()
    await pool.query(ROWS)
    expect(performance.now() - from).toBeGreaterThan(290)
    expect(proxy.disarm().happened).toBe(true)
  }))

test('holds a connection until the client ends it', () =>
  withPool(async (pool) => {
    const held = proxy.arm({ counts: isQuery, at: 2, when: 'before', action: 'hold' })
    const client = await pool.connect()
    await client.query('begin')
    const never = client.query('select 1').then(
      () => 'answered',
      () => 'cut',
    )
    await held
    client.release(true)
    expect(await never).toBe('cut')
    expect(proxy.disarm().happened).toBe(true)
  }))
