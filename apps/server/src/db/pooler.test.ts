// Guarantee: a pooler that takes away what a connection has is named when the service starts.
import { Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { closePool, createPool } from './pool.ts'
import { refusePooler } from './pooler.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())

/** Clients that have a connection of the pool for one transaction, as those of a pooler have. */
function lending(pool: Pool): Pool {
  const connect = async () => {
    let held: PoolClient | undefined
    return {
      async query(text: string) {
        if (text === 'begin') held = await pool.connect()
        const client = held ?? (await pool.connect())
        const result = await client.query(text)
        if (text === 'rollback') held = undefined
        if (held === undefined) client.release()
        return result
      },
      release: () => undefined,
    }
  }
  return { connect } as never
}

test('a server that is spoken to directly is taken, and both connections are free again', async () => {
  await refusePooler(database.pool)
  expect(database.pool.idleCount).toBe(database.pool.totalCount)
})

test('settings that do not arrive', async () => {
  const pool = new Pool({ ...database.connection, max: 2 })
  await expect(refusePooler(pool)).rejects.toThrow(/does not take the settings .* Name the PostgreSQL server itself/)
  await closePool(pool)
})

test('a connection that is lent for one transaction', async () => {
  const pool = createPool({ connection: database.connection, max: 2, log: { warn: () => {} } })
  await expect(refusePooler(lending(pool))).rejects.toThrow(/lends a connection for one transaction .* Name the Postgr/)
  expect(pool.idleCount).toBe(pool.totalCount)
  await closePool(pool)
})
