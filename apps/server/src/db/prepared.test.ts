import type { PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { sqlState } from './errors.ts'
import { Execution, wireValue } from './prepared.ts'

// Guarantee: what the driver's own query returned, an execution returns, whatever happened on the connection before;
// and the server describes the columns of a statement once a connection.

let database: TestDatabase
let client: PoolClient

beforeAll(async () => {
  database = await createTestDatabase({ max: 2 })
  client = await database.pool.connect()
})
afterAll(async () => {
  client.release()
  await database.close()
})
beforeEach(() => client.query('drop table if exists planted; create table planted (id int, label text)'))

let names = 0
const statement = (text: string) => ({ name: `planted.number_${names++}`, text })
async function run(of: { name: string; text: string }, values: unknown[] = [], on = client) {
  const execution = new Execution(of, values.map(wireValue), 5_000)
  on.query(execution as never)
  const { columns, rows, rowCount } = await execution.answer()
  return { columns: columns.map(({ name }) => name), rows, rowCount }
}

test('the columns are asked for once a connection, and a statement without columns is one too', async () => {
  const asked = vi.spyOn(Execution.prototype, 'handleRowDescription')
  const insert = statement('insert into planted values ($1, $2)')
  const list = statement('select id, label from planted order by id')
  const listed = { columns: ['id', 'label'], rows: [[1, 'one']], rowCount: 1 }
  expect(await run(list)).toEqual({ columns: ['id', 'label'], rows: [], rowCount: 0 })
  expect(await run(insert, [1, 'one'])).toEqual({ columns: [], rows: [], rowCount: 1 })
  expect(await run(list)).toEqual(listed)
  expect(await run(insert, [2, null])).toEqual({ columns: [], rows: [], rowCount: 1 })
  expect(await run(list)).toMatchObject({ rows: [listed.rows[0], [2, null]], rowCount: 2 })
  expect(asked).toHaveBeenCalledTimes(1)
  const other = await database.pool.connect()
  expect(await run(list, [], other).finally(() => other.release())).toMatchObject({ rowCount: 2 })
  expect(asked).toHaveBeenCalledTimes(2)
  asked.mockRestore()
})

// Left to itself the server compares what it would cost, once it knows how large the tables are: a whole payment then
// took two and a half times its processor time, from some thirteen thousand payments on.
test('a statement is planned once a connection, also where a plan for each value looks cheaper', async () => {
  await client.query('insert into planted select n from generate_series(1, 5000) n; create index on planted (id)')
  await client.query('analyze planted')
  const find = statement('select id from planted where $1::int is null or id = $1')
  for (let id = 1; id <= 8; id += 1) await run(find, [id])
  const plans = `select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where name = $1`
  expect((await client.query(plans, [find.name])).rows).toEqual([{ generic: 8, custom: 0 }])
})

test('through the pool it is the same', async () => {
  const add = statement('select $1::int + 1 as more')
  for (let round = 0; round < 3; round += 1) {
    const answer: unknown = await database.pool.query(new Execution(add, [wireValue(round)], 5_000) as never)
    expect(answer).toMatchObject({ columns: [{ name: 'more' }], rows: [[round + 1]], rowCount: 1 })
  }
  const failing = new Execution(statement('select 1 / $1::int as more'), ['0'], 5_000)
  await expect(database.pool.query(failing as never)).rejects.toThrow('division by zero')
})

test('after an error the connection is as good as before', async () => {
  const divide = statement('select 6 / $1::int as share')
  await expect(run(divide, [0])).rejects.toThrow('division by zero')
  expect(await run(divide, [2])).toMatchObject({ columns: ['share'], rows: [[3]] })
  await expect(run(divide, [0])).rejects.toThrow('division by zero')
  expect(await run(divide, [3])).toMatchObject({ rows: [[2]] })
  const invalid = statement('select nothing from planted')
  await expect(run(invalid)).rejects.toThrow('column "nothing" does not exist')
  await expect(run(invalid)).rejects.toThrow('column "nothing" does not exist')
  expect(await run(divide, [1])).toMatchObject({ rows: [[6]] })
})

test('columns that would change are refused by the server, not read as others', async () => {
  const all = statement('select * from planted')
  await run(all)
  await client.query('alter table planted add more int')
  expect(sqlState(await run(all).catch((error: unknown) => error))).toBe('0A000')
})

test('what takes too long ends with the driver’s own timer', async () => {
  const other = await database.pool.connect()
  const execution = new Execution(statement('select pg_sleep(0.3) as slept'), [], 50)
  other.query(execution as never)
  await expect(execution.answer().finally(() => other.release(true))).rejects.toThrow('Query read timeout')
})

test.each<[string, unknown, unknown]>([
  ['text[]', ['plain', 'a "quoted, one"', 'back\\slash', '', null, 'NULL', '{}'], undefined],
  ['int[]', [1, null, -3], undefined],
  ['bytea[]', [Buffer.from([0, 92, 255])], undefined],
  ['bytea', new Uint8Array([0, 92, 255]), Buffer.from([0, 92, 255])],
  ['timestamptz', new Date('2026-11-21T12:00:00.123Z'), undefined],
  ['bool', false, undefined],
  ['int8', -9_007_199_254_740_993n, undefined],
  ['float8', 0.1, undefined],
  ['text', '', undefined],
  ['text', null, undefined],
])('%s keeps its value on the way there and back', async (type, value, expected) => {
  const echo = statement(`select $1::${type} as value`)
  for (let round = 0; round < 2; round += 1) expect((await run(echo, [value])).rows).toEqual([[expected ?? value]])
})

test.each([[undefined], [{ a: 1 }], [new Date(Number.NaN)]])('%o has no form in SQL', (value) => {
  expect(() => wireValue(value)).toThrow(Error)
})
