import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase, withAdmin } from '../../test/database.ts'
import { READ_ONLY } from './errors.ts'
import { closePool, createPool } from './pool.ts'
import { afterCommit, autocommit, pipelinedTransaction, transaction } from './transaction.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())

/** A pool of one connection, so that a connection that was not discarded would be met again. */
function createSinglePool() {
  const warnings: string[] = []
  const log = { warn: (message: string) => warnings.push(message) }
  return { pool: createPool({ connection: database.url, max: 1, log }), warnings }
}

async function backendPid(pool: TestDatabase['pool']): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

describe('values', () => {
  test.each([
    ['9007199254740993::int8', 9_007_199_254_740_993n],
    ['array[9007199254740993, null]::int8[]', [9_007_199_254_740_993n, null]],
    ["'{}'::int8[]", []],
    ["timestamptz '2026-01-02 03:04:05.678+02'", new Date('2026-01-02T01:04:05.678Z')],
    ["date '2026-01-02'", '2026-01-02'],
    ["timestamptz '2026-01-02 00:30+02' ::date", '2026-01-01'],
    ['1.10::numeric', '1.10'],
    ['7::int4', 7],
    ["'\\x00ff'::bytea", Buffer.from([0, 255])],
  ])('%s arrives as it is', async (expression, expected) => {
    const { rows } = await database.pool.query(`select ${expression} as value`)
    expect(rows[0].value).toEqual(expected)
  })
})

const SESSION = {
  path: 'public,pg_temp',
  zone: 'UTC',
  name: 'mintmark',
  statement: '5s',
  lock: '3s',
  idle: '10s',
  scans: 'off',
  compiles: 'off',
  plans: 'force_generic_plan',
}

async function sessionOf(pool: TestDatabase['pool']) {
  const { rows } = await pool.query(
    `select current_setting('search_path') as path, current_setting('TimeZone') as zone,
            current_setting('application_name') as name, current_setting('statement_timeout') as statement,
            current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
            current_setting('enable_seqscan') as scans, current_setting('jit') as compiles,
            current_setting('plan_cache_mode') as plans`,
  )
  return rows[0]
}

/** How often a prepared statement, executed ten times, was planned for any values and for its own. */
async function countPlans(pool: TestDatabase['pool']) {
  for (let value = 0; value < 10; value += 1) {
    await pool.query({ name: 'some', text: 'select relname from pg_class where oid = $1', values: [value] })
  }
  const { rows } = await pool.query(
    `select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where name = 'some'`,
  )
  return rows[0]
}

test('every session has its path, zone, name and limits, and keeps plans without scans that it does not compile', async () => {
  expect(await sessionOf(database.pool)).toEqual(SESSION)
  const { pool } = createSinglePool()
  try {
    expect(await countPlans(pool)).toEqual({ generic: 10, custom: 0 })
  } finally {
    await closePool(pool)
  }
})

// By what the extension leaves in the catalogue, and nothing of it: what such a server refuses is not seen here.
test('on a distributed server every session has the same, but leaves plans to it', async () => {
  await database.pool.query(
    `insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
     select 4000000000, 'citus', extowner, extnamespace, false, '13.2-1' from pg_extension where extname = 'plpgsql'`,
  )
  const { pool } = createSinglePool()
  try {
    expect(await sessionOf(pool)).toEqual({ ...SESSION, plans: 'auto' })
    expect(await countPlans(pool)).toMatchObject({ custom: expect.toSatisfy((count: number) => count >= 5) })
  } finally {
    await closePool(pool)
    await database.pool.query(`delete from pg_extension where extname = 'citus'`)
  }
})

test('a connection is kept while nothing comes, and made anew after an hour', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { pool } = createSinglePool()
  try {
    const first = await backendPid(pool)
    await vi.advanceTimersByTimeAsync(59 * 60_000)
    expect(await backendPid(pool)).toBe(first)
    await vi.advanceTimersByTimeAsync(2 * 60_000)
    expect(await backendPid(pool)).not.toBe(first)
  } finally {
    vi.useRealTimers()
    await closePool(pool)
  }
})

test('a URL that would unpin the session is refused', () => {
  const connection = 'postgres://localhost/db?sslmode=disable&options=-csearch_path%3Devil'
  expect(() => createPool({ connection, log: { warn: () => {} } })).toThrow('"options"')
})

describe('a server that takes no writes (A6)', () => {
  test('is refused when connecting', async () => {
    const { pool } = createSinglePool()
    const { admin, name } = { admin: database.connection, name: database.connection.database }
    await withAdmin(admin, (client) => client.query(`alter database ${name} set default_transaction_read_only = on`))
    try {
      await expect(pool.query('select 1')).rejects.toMatchObject({ code: READ_ONLY })
      expect(pool.totalCount).toBe(0)
      await withAdmin(admin, (client) =>
        client.query(`begin read write; alter database ${name} reset default_transaction_read_only; commit`),
      )
      await expect(pool.query('select 1')).resolves.toBeDefined()
    } finally {
      await closePool(pool)
    }
  })

  test('is left when a write in a transaction is refused', async () => {
    const { pool } = createSinglePool()
    try {
      const first = await backendPid(pool)
      const write = transaction(pool, async (tx) => {
        await tx.query('set transaction read only')
        await tx.query('create table refused (id text)')
      })
      await expect(write).rejects.toMatchObject({ code: READ_ONLY })
      expect(await backendPid(pool)).not.toBe(first)
    } finally {
      await closePool(pool)
    }
  })
})

describe('a connection that dies', () => {
  test('while idle is logged, and the next caller gets a new one', async () => {
    const { pool, warnings } = createSinglePool()
    try {
      await database.pool.query('select pg_terminate_backend($1)', [await backendPid(pool)])
      await expect.poll(() => warnings).toEqual(['an idle database connection was lost'])
      await expect(pool.query('select 1')).resolves.toBeDefined()
    } finally {
      await closePool(pool)
    }
  })

  test('between two statements of a transaction fails that transaction only', async () => {
    const { pool } = createSinglePool()
    try {
      const work = transaction(pool, async (tx) => {
        const { rows } = await tx.query('select pg_backend_pid() as pid')
        const ended = new Promise((resolve) => tx.once('end', resolve))
        await database.pool.query('select pg_terminate_backend($1)', [rows[0].pid])
        await ended
        await tx.query('select 1')
      })
      await expect(work).rejects.toThrow()
      await expect(pool.query('select 1')).resolves.toBeDefined()
    } finally {
      await closePool(pool)
    }
  })
})

test('a transaction whose failed statement went unnoticed is not reported as committed', async () => {
  const work = transaction(database.pool, async (tx) => {
    await tx.query('select 1 / 0').catch(() => {})
    return 'done'
  })
  await expect(work).rejects.toThrow('rolled back')
})

describe('a second connection for who holds one', () => {
  const refusal = /Who holds a connection must not ask for another one/
  const ask = (pool: TestDatabase['pool']) => pool.query('select 1 as one')

  test.each([
    ['a transaction', transaction],
    ['a pipelined one', pipelinedTransaction],
    ['one statement', autocommit],
  ])('is refused in %s, whatever is free', async (_name, run) => {
    await expect(run(database.pool, () => ask(database.pool))).rejects.toThrow(refusal)
    await expect(run(database.pool, () => transaction(database.pool, ask as never))).rejects.toThrow(refusal)
    expect((await ask(database.pool)).rows).toEqual([{ one: 1 }])
  })

  test('is had by what goes on after it, and by what it is told after the commit', async () => {
    const left: Promise<unknown>[] = []
    const over = Promise.withResolvers<void>()
    await transaction(database.pool, async (tx) => {
      left.push(over.promise.then(() => ask(database.pool)))
      afterCommit(tx, (pool) => left.push(ask(pool)))
    })
    over.resolve()
    expect(await Promise.all(left)).toMatchObject([{ rows: [{ one: 1 }] }, { rows: [{ one: 1 }] }])
  })
})

test('closing waits for a client that never comes back only so long', async () => {
  const { pool } = createSinglePool()
  const client = await pool.connect()
  expect(await closePool(pool, 50)).toBe(false)
  client.release()
})
