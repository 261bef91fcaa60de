// Guarantee: a test file that leaves money which nothing explains fails.
import { expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'

test('a test database whose books are not in order does not close quietly', async () => {
  const database = await createTestDatabase()
  await database.pool.query(
    `insert into ledger_accounts values ('ma_0000000001', gen_random_uuid(), 'wallet', gen_random_uuid(), 0, 'USD', 100, false, now(), now(), '')`,
  )
  await expect(database.close()).rejects.toThrow('has 100, and its entries sum to 0')
})
