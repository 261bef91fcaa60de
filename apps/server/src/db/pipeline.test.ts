// Guarantee: a transaction whose statements are sent together is one like any other: all of it or nothing, and nothing is acknowledged
// that was not committed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { recordWaits } from '../../test/waits.ts'
import { bounded } from '../platform/bounds.ts'
import { later, readTogether } from './pipeline.ts'
import { Execution, wireValue } from './prepared.ts'
import { execute, type Queryable } from './statement.ts'
import { PATIENT_LIMITS } from './testing/patient-limits.ts'
import { autocommitThenRead, autocommitTogether, pipelinedTransaction, rollback, type Tx } from './transaction.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ max: 1, limits: PATIENT_LIMITS })
})
afterAll(() => database?.close())
beforeEach(() =>
  database.pool.query('drop table if exists planted; create table planted (id int primary key, place int)'),
)

let names = 0
function statement(text: string) {
  const own = { name: `planted.together_${names++}`, text }
  return async (tx: Pick<Tx, 'query'>, ...values: unknown[]) => {
    const execution = new Execution(own, values.map(wireValue), PATIENT_LIMITS.query)
    tx.query(execution as never)
    const { rows, rowCount } = await execution.answer()
    return { rows, rowCount }
  }
}
const insert = statement('insert into planted values ($1, $2)')
const list = statement('select id, place from planted order by id')
/** Only what is declared is known to write, and looks at the time. */
const plant = execute('planted.declared', 'insert into planted values ($id, 9)')
const refused = (on: Queryable) => plant(on, { id: 9 })
const stored = async () => (await database.pool.query('select id, place from planted order by id')).rows
const run = <T>(work: (tx: Tx) => Promise<T>) => pipelinedTransaction(database.pool, work)

test('is waited for once a step, with its BEGIN and its COMMIT', async () => {
  const recorder = recordWaits()
  try {
    const seen = await run(async (tx) => {
      const [, , all] = await Promise.all([insert(tx, 1, 1), insert(tx, 2, 2), list(tx)])
      later(tx, () => insert(tx, 3, 3))
      later(tx, () => insert(tx, 4, 4))
      return all
    })
    // Each sees what those before it did.
    expect(seen.rows).toEqual([
      [1, 1],
      [2, 2],
    ])
    const [first, second, ...others] = recorder.take().map(({ name }) => name.replaceAll(/planted\.\w+/g, 'planted'))
    expect(first).toBe('transaction.begin, planted, planted, planted')
    expect(second).toBe('planted, planted, transaction.commit')
    expect(others).toEqual([])
  } finally {
    recorder.stop()
  }
  expect(await stored()).toHaveLength(4)
})

test('after an error nothing behind it is executed, nothing is kept, and the connection is as good as before', async () => {
  const never = statement('insert into planted values (9, $1)')
  const failing = run((tx) => Promise.all([insert(tx, 1, 1), insert(tx, 1, 2), never(tx, 3)]))
  await expect(failing).rejects.toThrow(/duplicate key/)
  expect(await stored()).toEqual([])
  // It was never parsed: the next one to use it parses it.
  await run((tx) => never(tx, 4))
  expect(await stored()).toEqual([{ id: 9, place: 4 }])
})

test('an error of what nobody waits for fails the transaction', async () => {
  const failing = run(async (tx) => {
    await insert(tx, 1, 1)
    later(tx, () => insert(tx, 1, 2))
    return 'done'
  })
  await expect(failing).rejects.toThrow(/duplicate key/)
  expect(await stored()).toEqual([])
})

test('does not acknowledge a transaction in which an error was swallowed', async () => {
  const swallowing = run(async (tx) => {
    await Promise.allSettled([insert(tx, 1, 1), insert(tx, 1, 2)])
    return 'fine'
  })
  await expect(swallowing).rejects.toThrow(/rolled back/)
  expect(await stored()).toEqual([])
})

test('keeps nothing when the work asks for that, or throws, before or after something was sent', async () => {
  const recorder = recordWaits()
  try {
    expect(await run(async () => rollback)).toBe(rollback)
    expect(recorder.take()).toEqual([])
  } finally {
    recorder.stop()
  }
  await run(async (tx) => {
    await insert(tx, 1, 1)
    later(tx, () => insert(tx, 2, 2))
    return rollback
  })
  const thrown = run((tx) => {
    void insert(tx, 3, 3)
    throw new Error('On second thoughts.')
  })
  await expect(thrown).rejects.toThrow('second thoughts')
  expect(await stored()).toEqual([])
})

test('what it reads behind a lock is as the one before left it', async () => {
  await run((tx) => insert(tx, 1, 1))
  const other = await createOther()
  try {
    await other.query('begin')
    await other.query('update planted set place = 2')
    await other.query('insert into planted values (2, 2)')
    const lock = statement('select place from planted where id = 1 for update')
    const locking = run((tx) => Promise.all([lock(tx), list(tx)]))
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1)
    await other.query('commit')
    const [locked, all] = await locking
    expect(locked.rows).toEqual([[2]])
    expect(all.rows).toEqual([
      [1, 2],
      [2, 2],
    ])
  } finally {
    await other.end()
  }
})

async function createOther() {
  const { Client } = await import('pg')
  const other = new Client(database.connection)
  await other.connect()
  return other
}

test('reads beside each other are one message on one connection; what fails fails all, and a write is none of them', async () => {
  await run((tx) => insert(tx, 1, 1))
  const recorder = recordWaits()
  try {
    const read = () => readTogether(database.pool, (on) => Promise.all([list(on), list(on), list(on)]))
    expect((await read()).map(({ rows }) => rows)).toEqual(Array(3).fill([[1, 1]]))
    expect(recorder.take().map(({ name }) => name.split(', ').length)).toEqual([3])
    const broken = statement('select 1 / (place - 1) from planted')
    await expect(readTogether(database.pool, (on) => Promise.all([list(on), broken(on), list(on)]))).rejects.toThrow(
      /division by zero/,
    )
    expect(await read()).toHaveLength(3)
  } finally {
    recorder.stop()
  }
  await expect(readTogether(database.pool, (on) => refused(on))).rejects.toThrow(/writes outside a command/)
  expect(await stored()).toHaveLength(1)
})

test('what reads beside each other have left behind when one of them throws is sent to nobody else', async () => {
  await run((tx) => insert(tx, 1, 1))
  const left = Promise.withResolvers<unknown>()
  const readOn = async (on: Pick<Tx, 'query'>) => {
    for (let reads = 0; reads < 10; reads += 1) await list(on)
    return 'was read'
  }
  const reading = readTogether(database.pool, (on) =>
    Promise.all([
      list(on).then(() => Promise.reject(new Error('A seal does not fit.'))),
      readOn(on).then(left.resolve, left.resolve),
    ]),
  )
  await expect(reading).rejects.toThrow('A seal does not fit.')
  expect(await left.promise).toMatchObject({ message: expect.stringContaining('given back') })
  expect(await stored()).toHaveLength(1)
})

test('a connection that its server ended under reads goes to nobody else', async () => {
  const end = statement('select pg_terminate_backend(pg_backend_pid())')
  await expect(readTogether(database.pool, (on) => Promise.all([end(on), list(on)]))).rejects.toThrow()
  expect(await stored()).toEqual([])
})

const broken = statement('select 1 / (place - 2) from planted')
const add = (id: number) => (on: Pick<Tx, 'query'>) => insert(on, id, 2)

test.each([
  ['in its transaction', autocommitTogether, '1,2', [{ id: 1, place: 2 }]],
  [
    'behind it',
    autocommitThenRead,
    '1;2',
    [
      { id: 1, place: 2 },
      { id: 2, place: 2 },
    ],
  ],
] as const)('a write with reads %s is one message; they see it', async (_how, together, shape, left) => {
  const recorder = recordWaits()
  try {
    const [, read] = await together(database.pool, add(1), (on) => Promise.all([list(on), list(on)]))
    expect(read.map(({ rows }) => rows)).toEqual([[[1, 2]], [[1, 2]]])
    const [sent, ...others] = recorder.take().map(({ name }) => name.replaceAll(/planted\.\w+/g, 'planted'))
    const all = { '1,2': 'planted, planted, planted', '1;2': 'planted; planted, planted' }
    expect([sent, others]).toEqual([all[shape], []])
  } finally {
    recorder.stop()
  }
  // One that fails takes it back, or does not.
  await expect(together(database.pool, add(2), (on) => broken(on))).rejects.toThrow(/division by zero/)
  expect(await stored()).toEqual(left)
})

describe.each([
  ['in its transaction', autocommitTogether],
  ['behind it', autocommitThenRead],
] as const)('a write with reads %s', (_how, together) => {
  test('fails as a whole, whatever they find, and its connection is good for the next', async () => {
    const twice = (on: Pick<Tx, 'query'>) => Promise.all([insert(on, 1, 1), insert(on, 1, 2)])
    await expect(together(database.pool, twice, (on) => list(on))).rejects.toThrow(/duplicate key/)
    expect(await stored()).toEqual([])
    const [, { rows }] = await together(database.pool, add(2), (on) => list(on))
    expect(rows).toEqual([[2, 2]])
  })

  test('fails where it is not sent; its reads may ask on', async () => {
    const refuse = () => Promise.reject(new Error('not now'))
    await expect(together(database.pool, refuse, (on) => list(on))).rejects.toThrow('not now')
    const [, second] = await together(database.pool, add(1), (on, writing) => writing.then(() => list(on)))
    expect(second.rows).toEqual([[1, 2]])
  })

  test('may be none: then they ask by themselves', async () => {
    const [, { rows }] = await together(
      database.pool,
      async () => 'nothing',
      (on) => list(on),
    )
    expect(rows).toEqual([])
  })

  test('is told of where both fail', async () => {
    const both = together(
      database.pool,
      (on) => broken(on, 1),
      (on) => statement('select nope')(on),
    )
    await expect(both).rejects.toThrow(/bind message supplies/)
    expect(await stored()).toEqual([])
  })

  test('is tried again after a deadlock, and never once it is committed', async () => {
    const refuse = statement(`do $$ begin raise exception 'in a circle' using errcode = '40P01'; end $$`)
    let tries = 0
    const write = (on: Pick<Tx, 'query'>): Promise<unknown> => {
      tries += 1
      return tries === 1 ? Promise.all([insert(on, 1, 1), refuse(on)]) : insert(on, tries, tries)
    }
    await together(database.pool, write, (on) => list(on))
    expect(await stored()).toEqual([{ id: 2, place: 2 }])
    const late = (on: Pick<Tx, 'query'>) => list(on).then(() => refuse(on))
    await expect(together(database.pool, write, late)).rejects.toThrow('in a circle')
    expect(await stored()).toHaveLength(2)
  })
})

test('a connection on which reads behind a write that failed are not answered in time goes to nobody else', async () => {
  const failing = statement('select 1 / length(pg_sleep(0.05)::text)')
  const slow = { name: 'planted.slow', text: 'select pg_sleep(1)' }
  const { pool } = database
  const pid = async () => (await pool.query('select pg_backend_pid() as pid')).rows[0].pid
  const before = await pid()
  const reading = (on: Pick<Tx, 'query'>) => {
    const execution = new Execution(slow, [], 100)
    on.query(execution as never)
    return execution.answer()
  }
  await expect(autocommitThenRead(pool, (on) => failing(on), reading)).rejects.toThrow(/division by zero/)
  expect(await pid()).not.toBe(before)
})

test('a caller who goes between two writes that are sent together does not go with half of them', async () => {
  const bounds = { endsAtMillis: Number.POSITIVE_INFINITY, isGone: false, awayMillis: 0 }
  const write = (on: Queryable) => {
    const first = plant(on, { id: 1 })
    bounds.isGone = true
    return Promise.all([first, plant(on, { id: 2 })])
  }
  await bounded(bounds, () => autocommitTogether(database.pool, write, async () => undefined))
  expect(await stored()).toHaveLength(2)
  const late = bounded(bounds, () =>
    autocommitTogether(
      database.pool,
      (on) => plant(on, { id: 3 }),
      async () => undefined,
    ),
  )
  await expect(late).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(await stored()).toHaveLength(2)
})

test.each([
  ['first', [{}, { id: 2 }]],
  ['last', [{ id: 1 }, {}]],
])('of statements that are sent together none is where the %s has no values', async (_, rows) => {
  const write = (on: Queryable) => Promise.allSettled(rows.map((row) => plant(on, row as { id: number })))
  const [ends] = await autocommitTogether(database.pool, write, async () => undefined)
  const reason = expect.objectContaining({ message: expect.stringMatching(/has no value for \$id/) })
  expect(ends).toEqual(rows.map(() => ({ status: 'rejected', reason })))
  expect(await stored()).toEqual([])
})

test('what is sent after such a message is sent', async () => {
  const write = async (on: Queryable) => {
    await plant(on, {} as { id: number }).catch(() => undefined)
    return plant(on, { id: 1 })
  }
  await autocommitTogether(database.pool, write, async () => undefined)
  expect(await stored()).toHaveLength(1)
})

test('a statement that is read behind itself is sent by itself: an error of the first could have kept it from being parsed', async () => {
  const nobody = statement('select nope from planted')
  const again = statement('select 1')
  const write = (on: Pick<Tx, 'query'>) => Promise.all([nobody(on), again(on)])
  await expect(autocommitThenRead(database.pool, write, (on) => again(on))).rejects.toThrow(/"nope" does not exist/)
  const [, { rows }] = await autocommitThenRead(
    database.pool,
    (on) => again(on),
    (on) => again(on),
  )
  expect(rows).toEqual([[1]])
})

test('reads behind a write cannot write', async () => {
  const reading = autocommitThenRead(database.pool, add(1), (on) => refused(on))
  await expect(reading).rejects.toThrow('outside a command')
  expect(await stored()).toHaveLength(1)
})
