// Guarantee: a caller's key is remembered for a day and not for ever, and forgetting costs a page of rows at a time.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { KEYS_KEPT_SECONDS } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { deleteOldKeys } from './old-keys.ts'

let database: TestDatabase
const clock = new ManualClock()
beforeAll(async () => {
  database = await createTestDatabase({ max: 4 })
  await database.pool.query(
    `insert into merchants (id, name, status, allowed_origins, webhook_secret_sealed, webhook_secret_key_id, created_at)
     select id, id, 'active', '{}', '', 'local:1', now() from unnest(array['ma_one', 'ma_two']) id`,
  )
})
afterAll(() => database.close())
beforeEach(() => database.pool.query('delete from idempotency_keys'))

const plant = (merchantId: string, operation: string, key: string, ageSeconds: number) =>
  database.pool.query(
    `insert into idempotency_keys (merchant_id, operation, key, input_hash, outcome, created_at)
     values ($1, $2, $3, '', '{}', $4)`,
    [merchantId, operation, key, addSeconds(clock.now(), -ageSeconds)],
  )
const left = async () =>
  (
    await database.pool.query<{ name: string }>(
      `select concat_ws(' ', merchant_id, operation, key) as name from idempotency_keys order by 1`,
    )
  ).rows.map(({ name }) => name)
const deps = () => ({ pool: database.pool, clock })

test('a key is kept for its day, whoever has it', async () => {
  await plant('ma_one', 'make', 'old', KEYS_KEPT_SECONDS + 1)
  await plant('ma_two', 'make', 'old', KEYS_KEPT_SECONDS + 1)
  await plant('ma_one', 'make', 'young', KEYS_KEPT_SECONDS - 1)
  // The operation of one and the key of another that go: this one stays all the same.
  await plant('ma_one', 'rotate', 'other', KEYS_KEPT_SECONDS + 1)
  await plant('ma_one', 'rotate', 'old', 0)
  expect(await deleteOldKeys(deps())).toBe(3)
  expect(await left()).toEqual(['ma_one make young', 'ma_one rotate old'])
  expect(await deleteOldKeys(deps())).toBe(0)
})

test('a round is bounded', async () => {
  for (let made = 0; made < 7; made += 1) await plant('ma_one', 'make', `key ${made}`, KEYS_KEPT_SECONDS + 10)
  const rounds: number[] = []
  for (let deleted = 1; deleted > 0; rounds.push(deleted)) deleted = await deleteOldKeys(deps(), 3)
  expect(rounds).toEqual([3, 3, 1, 0])
})
