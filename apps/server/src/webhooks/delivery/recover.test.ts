// Guarantee: an endpoint is caught up by who sends no key as well; what a recovery queues is in `history.test.ts`.
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
