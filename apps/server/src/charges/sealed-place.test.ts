import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { addSeconds } from '../platform/clock.ts'
import type { RowPlace } from '../vault/service.ts'
import { charge, chargeable, reportCharge } from './testing/charge.ts'

// Guarantee: an operator who wraps credentials anew comes to each of them, whatever is due when, to none that is gone, and to an end.

let service: TestService
const made: string[] = []

beforeAll(async () => {
  service = await startTestService()
  for (const merchant of [service.merchant, await service.addMerchant()]) {
    const mandateId = await chargeable(service, await newOwner(service, merchant))
    const make = async () => (await charge(merchant, mandateId, { amount: '1.00' })).body.transactionId as string
    for (let count = 0; count < 4; count += 1) made.push(await make())
    await reportCharge(merchant, mandateId, await make())
  }
  // Two are due at the same moment, and those that were made last are due first.
  const at = service.clock.now()
  for (const [place, id] of made.entries())
    await service.pool.query('update charges set work_due_at = $2 where id = $1', [
      id,
      addSeconds(at, 3_600 - 60 * Math.floor(place / 2)),
    ])
  await service.pool.query(`update charges set work_due_at = work_due_at + interval '123 microseconds' where id = $1`, [
    made[1],
  ])
})
afterAll(() => service?.close())

test.each([1, 3, 100])('by %i at a time', async (limit) => {
  const { rows } = await service.pool.query(
    'select distinct credential_key_id as key from charges where lapses_at is not null and credential_key_id is not null',
  )
  expect(rows).toHaveLength(1)
  const [{ key }] = rows
  const place = service.app.charges.sealedCredentials('charge')
  const seen: string[] = []
  for (let after: RowPlace | null = null; ; ) {
    const page = await place.list(key, after, limit)
    seen.push(...page.map(({ id }) => id))
    after = page.at(-1) ?? null
    if (after === null) break
  }
  expect(seen.toSorted()).toEqual(made.toSorted())
  expect(await place.count(key)).toBe(made.length)
  expect(await place.list('another', null, limit)).toEqual([])
})
