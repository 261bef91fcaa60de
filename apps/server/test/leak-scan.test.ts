import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { LeakScan, needle } from './leak-scan.ts'

// Guarantee: the judge of leaks finds a short secret wherever it was written as a text, and takes no number for one.

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(`create table notes (id text not null, said text, facts jsonb, count integer, amount bigint,
    constraint notes_pkey primary key (id))`)
})
afterAll(() => database?.close())

async function foundIn(said: string, facts: object): Promise<string[]> {
  await database.pool.query('truncate notes')
  await database.pool.query(`insert into notes values ('one', $1, $2, 211, 4242424242424242)`, [said, facts])
  const scan = new LeakScan([needle('cvv', '211'), needle('number', '4242424242424242')])
  await scan.database(database.pool)
  return [...scan.found].sort()
}

test('a code is found as a text and in JSON, and a number of three digits is none', async () => {
  expect(await foundIn('nothing', { code: 211 })).toEqual(['number in public.notes.amount'])
  expect(await foundIn('211', { code: '211' })).toEqual([
    'cvv in public.notes.facts',
    'cvv in public.notes.said',
    'number in public.notes.amount',
  ])
})
