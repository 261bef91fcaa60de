// Guarantee: a test file that leaves a row which contradicts itself fails.
import { expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'

test('a test database with a row that contradicts itself does not close quietly', async () => {
  const database = await createTestDatabase()
  await database.pool.query(
    `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence) values ('ma_1', 'toy', 'toy_1', now(), 0, 0)`,
  )
  await expect(database.close()).rejects.toThrow('ma_1: open_work toy/toy_1, kind: not so: kind = any')
})
