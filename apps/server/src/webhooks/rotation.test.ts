// Guarantee: during a rotation every request can be verified with either secret, over the same bytes; a secret is shown once, is
// kept sealed, and is gone when it signs no more; account and endpoint have one secret.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSession, dbRow, expectError, revoke } from '../../test/flows.ts'
import { answers } from '../../test/receivers/behaviours.ts'
import { type Answer, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { activeEndpoint, createEndpoint, ENDPOINTS, keyed, ON_THIS_MACHINE } from './testing/endpoints.ts'

const DAY = 24 * 60 * 60
let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({
    ...{ env: { ...ON_THIS_MACHINE, RATE_LIMIT_WEBHOOK_REQUEST: '100000' }, isForCrowds: true },
  })
})
afterAll(() => service?.close())
beforeEach(async () => {
  merchant = await service.addMerchant()
})

const rotate = (path: string, key?: string) => keyed(merchant, `${path}/rotate-secret`, undefined, key)
/** Which of the secrets the last request to a receiver can be verified with, by both libraries. */
const verifiedBy = ({ last }: Awaited<ReturnType<typeof activeEndpoint>>, secrets: string[]) => {
  const { headers, body } = last()
  return [StandardWebhook, SvixWebhook].map((Webhook) =>
    secrets.map((secret) => {
      try {
        new Webhook(secret).verify(body.toString(), headers)
        return true
      } catch {
        return false
      }
    }),
  )
}

test('for a day both secrets sign, then the new one alone', async () => {
  const endpoint = await activeEndpoint(merchant)
  const before = service.clock.now().getTime()
  const { status, body } = await rotate(endpoint.path)
  expect(status).toBe(200)
  expect(body).toEqual({
    endpoint: expect.objectContaining({ id: endpoint.id, state: 'active' }),
    signing_secret: expect.stringMatching(/^whsec_/),
    former_secret_expires_at: expect.any(String),
  })
  expect(Math.abs(Date.parse(body.former_secret_expires_at) - before - DAY * 1000)).toBeLessThan(60_000)
  const secrets = [endpoint.secret, body.signing_secret]
  expect(secrets[0]).not.toBe(secrets[1])
  const sendTest = () => merchant.send('POST', `${endpoint.path}/test`, { type: 'payment.succeeded' })
  expect((await sendTest()).body.result.acknowledged).toBe(true)
  expect(verifiedBy(endpoint, secrets)).toEqual([
    [true, true],
    [true, true],
  ])
  await service.clock.advance(DAY + 1)
  await sendTest()
  expect(verifiedBy(endpoint, secrets)).toEqual([
    [false, true],
    [false, true],
  ])
  await service.runJobs()
  const kept = 'select former_secret_sealed, former_secret_until from webhook_endpoints where id = $1'
  expect(await dbRow(service, kept, [endpoint.id])).toEqual({ former_secret_sealed: null, former_secret_until: null })
  expect((await rotate(endpoint.path)).status).toBe(200)
  await endpoint.receiver.close()
})

test('an event is verified with either secret, and every try of it has the same bytes', async () => {
  const endpoint = await activeEndpoint(merchant, { events: ['session.revoked'] })
  const { receiver } = endpoint
  const { body } = await rotate(endpoint.path)
  const { session_id } = await createSession(merchant)
  expect((await revoke(merchant, session_id)).status).toBe(200)
  receiver.behave(answers(500))
  await service.runJobs()
  const both = [
    [true, true],
    [true, true],
  ]
  expect(verifiedBy(endpoint, [endpoint.secret, body.signing_secret])).toEqual(both)
  const first = endpoint.last()
  receiver.behave(answers(204))
  await service.clock.advance(60)
  await service.runJobs()
  const second = endpoint.last()
  expect(second).not.toBe(first)
  expect(verifiedBy(endpoint, [endpoint.secret, body.signing_secret])).toEqual(both)
  expect(second.body.equals(first.body)).toBe(true)
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  const event = await merchant.get(`/v1/events/${second.headers['webhook-id']}`)
  expect(event.body).toEqual(JSON.parse(second.body.toString()))
  await receiver.close()
})

test('a receiver that knows one secret verifies every request, while it is rotated', async () => {
  const endpoint = await activeEndpoint(merchant)
  const sendTest = async (): Promise<Answer> => {
    const answer = await merchant.send('POST', `${endpoint.path}/test`, { type: 'payment.succeeded' })
    // One at a time, and five a second.
    return answer.status === 429 ? delay(200).then(sendTest) : answer
  }
  const [rotated, ...results] = await Promise.all([rotate(endpoint.path), ...Array.from({ length: 11 }, sendTest)])
  expect(rotated.status).toBe(200)
  results.push(await sendTest())
  expect(results.map(({ body }) => body.result.acknowledged)).toEqual(Array(12).fill(true))
  // The challenge was the first.
  const [, ...requests] = endpoint.receiver.requests
  expect(requests).toHaveLength(12)
  for (const { body, headers } of requests) {
    expect(new StandardWebhook(endpoint.secret).verify(body.toString(), headers)).toMatchObject({ test: true })
  }
  expect(endpoint.last().headers['webhook-signature']?.split(' ')).toHaveLength(2)
  await endpoint.receiver.close()
})

test('within the day it is not rotated again, and who lost the answer gets it again without the secret', async () => {
  const { path } = await createEndpoint(merchant)
  const key = randomUUID()
  const first = await rotate(path, key)
  const again = await rotate(path, key)
  expect(again.status).toBe(200)
  expect(again.body).toEqual({ ...first.body, signing_secret: undefined })
  expect(again.body).not.toHaveProperty('signing_secret')
  expectError(await rotate(path), 409, 'ROTATION_IN_PROGRESS')
  // The key belongs to one endpoint.
  const other = await createEndpoint(merchant)
  expectError(await rotate(other.path, key), 409, 'IDEMPOTENCY_CONFLICT')
  // Whatever has become of the endpoint.
  await merchant.send('DELETE', path)
  expect((await rotate(path, key)).body).toEqual(again.body)
  expectError(await rotate(path), 404, 'NOT_FOUND')
})

test('needs a key', async () => {
  const { path } = await createEndpoint(merchant)
  const answer = await merchant.send('POST', `${path}/rotate-secret`)
  expectError(answer, 400, 'VAL_2001')
  expect(answer.body.error.details).toEqual({ 'idempotency-key': 'is required' })
})

test('of 12 rotations at the same time one is made, and its secret signs', async () => {
  const endpoint = await activeEndpoint(merchant)
  const answers = await Promise.all(Array.from({ length: 12 }, () => rotate(endpoint.path)))
  const done = answers.filter(({ status }) => status === 200)
  expect(done).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 409, 'ROTATION_IN_PROGRESS')
  await merchant.send('POST', `${endpoint.path}/test`, { type: 'payment.succeeded' })
  expect(verifiedBy(endpoint, [endpoint.secret, done[0]?.body.signing_secret])).toEqual([
    [true, true],
    [true, true],
  ])
  await endpoint.receiver.close()
})

test('the older headers carry the prefix of the deployment', async () => {
  const env = { ...ON_THIS_MACHINE, WEBHOOK_HEADER_PREFIX: 'Acme-Pay' }
  const branded = await startTestService({ env })
  const { receiver, last } = await activeEndpoint(branded.merchant)
  const { headers } = last()
  expect(headers['acme-pay-signature']).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/)
  expect(headers).toMatchObject({
    'acme-pay-event-id': headers['webhook-id'],
    'acme-pay-delivery-id': headers['webhook-delivery-id'],
  })
  expect(headers).not.toHaveProperty('mintmark-signature')
  await branded.close()
  await receiver.close()
})

describe('the endpoint of the account', () => {
  test('is like any other, and signs with the secret of the account', async () => {
    const template = await activeEndpoint(merchant)
    await merchant.send('DELETE', template.path)
    const { merchantId } = merchant
    const made = await service.app.accountUrls.set(merchantId, template.receiver.url)
    const path = `${ENDPOINTS}/${made.id}`
    const { body } = await merchant.get(path)
    expect(body).toMatchObject({ name: 'Account', state: 'unverified', url: template.receiver.url, revision: 1 })
    expect(body.events.length).toBeGreaterThan(15)
    expect((await merchant.get(ENDPOINTS)).body.data).toEqual([body])
    // That the operator named it proves nothing: it is verified and enabled by its owner.
    expectError(await merchant.send('PATCH', path, { enabled: true }), 409, 'ENDPOINT_NOT_VERIFIED')
    expect((await merchant.send('POST', `${path}/verify`)).status).toBe(200)
    const secretOfAccount = async () => (await service.app.merchants.getWebhookSecret(merchantId)).reveal()
    const former = await secretOfAccount()
    expect(verifiedBy(template, [former, template.secret])).toEqual([
      [true, false],
      [true, false],
    ])

    const rotated = await rotate(path)
    expect(rotated.body.signing_secret).toBe(await secretOfAccount())
    await merchant.send('POST', `${path}/test`, { type: 'card.deleted' })
    expect(verifiedBy(template, [former, rotated.body.signing_secret])).toEqual([
      [true, true],
      [true, true],
    ])
    expectError(await rotate(path), 409, 'ROTATION_IN_PROGRESS')
    await template.receiver.close()
  })

  test('of 8 rotations one is made, in both places', async () => {
    const { id } = await service.app.accountUrls.set(merchant.merchantId, 'https://shop.example/account')
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(`${ENDPOINTS}/${id}`)))
    const [done, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    const secret = await service.app.merchants.getWebhookSecret(merchant.merchantId)
    expect(done?.body.signing_secret).toBe(secret.reveal())
  })

  test('moves with its URL, is one, and goes when the operator says so', async () => {
    const { merchantId } = merchant
    const first = await service.app.accountUrls.set(merchantId, 'https://shop.example/one')
    const moved = await service.app.accountUrls.set(merchantId, 'https://shop.example/two')
    expect(moved).toMatchObject({ id: first.id, url: 'https://shop.example/two', revision: 2 })
    await service.app.accountUrls.remove(merchantId)
    await service.app.accountUrls.remove(merchantId)
    expect((await merchant.get(ENDPOINTS)).body.data).toEqual([])
    const next = await service.app.accountUrls.set(merchantId, 'https://shop.example/three')
    expect(next.id).not.toBe(first.id)
    await expect(service.app.accountUrls.set(merchantId, 'https://10.0.0.1')).rejects.toMatchObject({
      code: 'VAL_2001',
      details: { url: expect.any(String) },
    })
  })
})
