// Guarantee: an endpoint is caught up by who sends no key as well, and an account ten times in an hour; what a recovery queues is in `history.test.ts`.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError, expectInvalid } from '../../../test/flows.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { activeEndpoint, keyed, ON_THIS_MACHINE } from '../testing/endpoints.ts'

let service: TestService
let endpoint: Awaited<ReturnType<typeof activeEndpoint>>
beforeAll(async () => {
  service = await startTestService({ env: ON_THIS_MACHINE })
  endpoint = await activeEndpoint(service.merchant)
})
afterAll(async () => {
  await endpoint?.receiver.close()
  await service?.close()
})

test('without a key each request is a recovery of its own; a key that is given is looked at', async () => {
  const { merchant } = service
  const path = `${endpoint.path}/recover`
  const range = () => ({ from: service.clock.now().toISOString() })
  const first = await merchant.post(path, range())
  expect(first).toMatchObject({ status: 201, body: { state: 'running' } })
  expectError(await merchant.post(path, range()), 409, 'RECOVERY_IN_PROGRESS')
  await service.app.jobs.find(({ name }) => name === 'webhooks.recover')?.run()
  const second = await merchant.post(path, range())
  expect(second.status).toBe(201)
  expect(second.body.id).not.toBe(first.body.id)
  for (const key of ['', 'short']) expectInvalid(await keyed(merchant, path, range(), key), 'idempotency-key')
})

test('an account is caught up ten times in an hour, whoever begins it; a key of before is answered all the same', async () => {
  const merchant = await service.addMerchant()
  const [one, other] = [await activeEndpoint(merchant), await activeEndpoint(merchant)]
  const body = { from: new Date(service.clock.now().getTime() - 60_000).toISOString() }
  const begin = (path: string, key?: string) => keyed(merchant, `${path}/recover`, body, key)
  const queue = () => service.app.jobs.find(({ name }) => name === 'webhooks.recover')?.run()
  const key = randomUUID()
  expect((await begin(one.path, key)).status).toBe(201)
  for (let count = 1; count < 10; count += 1) {
    await queue()
    expect((await begin(count % 2 === 0 ? one.path : other.path)).status).toBe(201)
  }
  await queue()
  const refused = await begin(other.path)
  expectError(refused, 429, 'RATE_LIMITED')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
  expect((await begin(one.path, key)).status).toBe(201)
  // Another account has its own ten.
  const stranger = await service.addMerchant()
  const theirs = await activeEndpoint(stranger)
  expect((await keyed(stranger, `${theirs.path}/recover`, body)).status).toBe(201)
  await service.clock.advance(3_601)
  expect((await begin(other.path)).status).toBe(201)
  for (const { receiver } of [one, other, theirs]) await receiver.close()
})
