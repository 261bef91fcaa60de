import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import {
  bigint,
  bool,
  bytes,
  camelCase,
  columns,
  int,
  json,
  nullable,
  object,
  objectOf,
  objects,
  oneOf,
  snakeCase,
  text,
  texts,
  time,
  uuid,
} from './row.ts'
import { execute, many, one, type Queryable, STATEMENTS } from './statement.ts'
import { rollback, transaction } from './transaction.ts'

// Guarantee: a value reaches the place of its name, a row comes back with the program's names and exact types, and no
// write leaves the program outside a command.

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(`
    create table planted (
      id text primary key, exp_month smallint, amount_minor bigint, is_default boolean, due_at timestamptz,
      number_sealed bytea, allowed_origins text[], record_id uuid, body jsonb)`)
})
afterAll(() => database.close())
beforeEach(async () => {
  await database.pool.query('delete from planted')
})

const PLANTED = {
  id: text,
  expMonth: nullable(int),
  amountMinor: nullable(bigint),
  isDefault: nullable(bool),
  dueAt: nullable(time),
  numberSealed: nullable(bytes),
  allowedOrigins: nullable(texts),
  recordId: nullable(uuid),
  body: nullable(json<unknown>()),
}

const insert = execute(
  'planted.insert',
  `insert into planted (${columns(PLANTED)})
   values ($id, $expMonth, $amountMinor, $isDefault, $dueAt, $numberSealed, $allowedOrigins, $recordId, $body::jsonb)`,
)
const find = one('planted.find', `select ${columns(PLANTED)} from planted where id = $id`, PLANTED)
const list = many('planted.list', `select ${columns(PLANTED, 'planted')} from planted order by id`, PLANTED)
const findBetween = one(
  'planted.find_between',
  'select id from planted where exp_month >= $month - 1 and id <> $other and exp_month <= $month + 1',
  { id: text },
)

const aggregated = (where: string) =>
  `(select coalesce(json_agg(${objectOf(PLANTED, 'planted')} order by id), '[]') from planted where ${where})`
const findBeside = one(
  'planted.find_beside',
  `select (select ${objectOf(PLANTED, 'planted')} from planted where id = $id) as own,
     (select ${objectOf(PLANTED, 'planted')} from planted where id = $missing) as missing,
     ${aggregated('true')} as all, ${aggregated('false')} as none`,
  { own: nullable(object(PLANTED)), missing: nullable(object(PLANTED)), all: objects(PLANTED), none: objects(PLANTED) },
)

const ROW = {
  id: 'one',
  expMonth: 12,
  amountMinor: 9_007_199_254_740_993n,
  isDefault: true,
  dueAt: new Date('2026-11-21T12:00:00.123Z'),
  numberSealed: Buffer.from([0, 1, 255]),
  allowedOrigins: ['https://shop.example', 'a "quoted, one"'],
  recordId: 'b1a7b8b0-0000-4000-8000-000000000000',
  body: { nested: [1, 'two', null] },
}
const EMPTY = {
  id: 'two',
  expMonth: null,
  amountMinor: null,
  isDefault: null,
  dueAt: null,
  numberSealed: null,
  allowedOrigins: null,
  recordId: null,
  body: null,
}

const inTransaction = <T>(work: (on: Queryable) => Promise<T>) => transaction(database.pool, work)

describe('values by name', () => {
  test('become numbers in the order of the text, one number a name', () => {
    expect(STATEMENTS.get('planted.find_between')).toMatchObject({
      text: 'select id from planted where exp_month >= $1 - 1 and id <> $2 and exp_month <= $1 + 1',
      parameters: [
        { name: 'month', isJson: false },
        { name: 'other', isJson: false },
      ],
      writes: false,
    })
  })

  test('reach their places in any order, and a value that the text does not name is left out', async () => {
    await inTransaction((tx) => insert(tx, ROW))
    expect(await findBetween(database.pool, { other: 'two', month: 11 })).toEqual({ id: 'one' })
    const more = { other: 'one', month: 11, id: 'unused' }
    expect(await findBetween(database.pool, more)).toBeUndefined()
  })

  test('a missing one is refused by the compiler, and at run time before anything is sent', async () => {
    const silent = { query: () => Promise.reject(new Error('Sent.')) } as unknown as Queryable
    // @ts-expect-error A name of the text has no value.
    await expect(findBetween(silent, { month: 11 })).rejects.toThrow('planted.find_between has no value for $other.')
    // @ts-expect-error A misspelt name is not the name.
    await expect(find(silent, { ID: 'one' })).rejects.toThrow('planted.find has no value for $id.')
    // @ts-expect-error There are no values at all.
    await expect(find(silent)).rejects.toThrow('planted.find has no value for $id.')
  })

  test.each([
    ['an object', { a: [1] }],
    ['a list', [1, 'two', { three: 3 }]],
    ['a text', 'a "quoted" text'],
    ['a number', 7],
    ['false', false],
    ['null, which is the null of SQL', null],
  ])('a $name::jsonb takes %s', async (_name, body) => {
    await inTransaction((tx) => insert(tx, { ...EMPTY, body }))
    expect((await find(database.pool, { id: 'two' }))?.body).toEqual(body)
    const { rows } = await database.pool.query('select body is null as absent from planted')
    expect(rows).toEqual([{ absent: body === null }])
  })

  test('a statement of one name is declared once', () => {
    expect(() => one('planted.find', 'select 1 as id', { id: int })).toThrow('planted.find is declared twice.')
  })
})

describe('rows of other tables in a column', () => {
  test('come back as rows of their own do: exact, with the names of the program', async () => {
    await inTransaction((tx) => insert(tx, ROW))
    await inTransaction((tx) => insert(tx, EMPTY))
    expect(await findBeside(database.pool, { id: 'one', missing: 'none' })).toEqual({
      own: ROW,
      missing: null,
      all: [ROW, EMPTY],
      none: [],
    })
  })
})

describe('rows', () => {
  test('have the names of the program and exact types', async () => {
    await inTransaction((tx) => insert(tx, ROW))
    await inTransaction((tx) => insert(tx, EMPTY))
    expect(await list(database.pool)).toEqual([ROW, EMPTY])
    expect(await find(database.pool, { id: 'one' })).toEqual(ROW)
    expect(await find(database.pool, { id: 'none' })).toBeUndefined()
  })

  test('are objects of their own', async () => {
    await inTransaction((tx) => insert(tx, EMPTY))
    const [first, second] = [await find(database.pool, { id: 'two' }), await find(database.pool, { id: 'two' })]
    if (first !== undefined) first.expMonth = 1
    expect(second).toEqual(EMPTY)
    expect(await find(database.pool, { id: 'two' })).toEqual(EMPTY)
  })

  test('are counted by a write', async () => {
    expect(await inTransaction((tx) => insert(tx, ROW))).toBe(1)
    const nothing = execute('planted.delete_none', 'delete from planted where id = $id')
    expect(await inTransaction((tx) => nothing(tx, { id: 'none' }))).toBe(0)
  })
})

describe('a write', () => {
  test.each([
    ['insert into planted (id) values ($id)', true],
    ['update planted set exp_month = 1 where id = $id', true],
    ['delete from planted where id = $id', true],
    ['INSERT\n  INTO planted (id) values ($id)', true],
    ['with gone as (delete from planted where id = $id returning id) select id from gone', true],
    ['select id from planted where id = $id for update', false],
    ['select id from planted where id = $id for no key update skip locked', false],
    [
      'with mine as (select id from planted where id = $id for update) update planted set exp_month = 1 from mine',
      true,
    ],
    ['select due_at as updated_at from planted where id = $id', false],
  ])('%s: %s', (sql, writes) => {
    const name = `planted.case_${STATEMENTS.size}`
    execute(name, sql)
    expect(STATEMENTS.get(name)?.writes).toBe(writes)
  })

  test('on the bare pool is refused before it is sent', async () => {
    await expect(insert(database.pool, ROW)).rejects.toThrow('planted.insert writes outside a command.')
    expect(await list(database.pool)).toEqual([])
  })

  test('in a transaction that rolls back by value leaves nothing', async () => {
    const result = await inTransaction(async (tx) => {
      await insert(tx, ROW)
      return rollback
    })
    expect(result).toBe(rollback)
    expect(await list(database.pool)).toEqual([])
  })
})

describe('names', () => {
  test.each([
    ['expMonth', 'exp_month'],
    ['last4', 'last4'],
    ['webhookSecretKeyId', 'webhook_secret_key_id'],
    ['id', 'id'],
  ])('%s is %s', (program, sql) => {
    expect(snakeCase(program)).toBe(sql)
    expect(camelCase(sql)).toBe(program)
  })

  test('a select list may carry its table', () => {
    expect(columns({ id: text, expMonth: int })).toBe('id, exp_month')
    expect(columns({ id: text, expMonth: int }, 'c')).toBe('c.id, c.exp_month')
  })

  test('a closed set is text, and null may be allowed', () => {
    expect(oneOf(['a', 'b']).oids).toEqual(text.oids)
    expect(nullable(text).oids).toEqual(text.oids)
  })
})
