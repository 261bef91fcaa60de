// Guarantee: an endpoint is sent to only after its URL has returned a challenge that only its reader knows, whole and alone; what it
// proves counts for that URL; what went wrong is said in words of ours.
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dbRow, expectError } from '../../test/flows.ts'
import { freePort } from '../../test/processes/spawn.ts'
import { answers, answersBy, redirects, silent } from '../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../test/receivers/receiver.ts'
import { call, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import {
  activeEndpoint,
  createEndpoint,
  ENDPOINTS,
  endpointBody,
  keyed,
  lastOf,
  ON_THIS_MACHINE,
  obeys,
} from './testing/endpoints.ts'
import { editEndpoint } from './testing/sealed.ts'

const ENV = { ...ON_THIS_MACHINE, RATE_LIMIT_WEBHOOK_REQUEST: '100000' }
let service: TestService
let merchant: TestMerchant
/** At a port that no other process takes when it is closed. */
let receiver: Receiver
beforeAll(async () => {
  service = await startTestService({ env: ENV, isForCrowds: true })
})
afterAll(() => service?.close())
beforeEach(async () => {
  merchant = await service.addMerchant()
  receiver = await startReceiver({ behaviour: obeys(), port: await freePort() })
  return () => receiver.close()
})

const verify = (path: string, at = service) => {
  const authorization = `Bearer ${merchant.secretKey}`
  return call(`${at.apiUrl}${path}/verify`, { method: 'POST', headers: { authorization } })
}
const failure = async (path: string, at = service) => {
  const answer = await verify(path, at)
  expectError(answer, 409, 'ENDPOINT_VERIFICATION_FAILED')
  expect((await merchant.get(path)).body).toMatchObject({ verified: false, state: 'unverified' })
  return answer.body.error.details
}

describe('a challenge', () => {
  test('that is returned verifies the endpoint, which its owner then enables', async () => {
    const { path, secret } = await createEndpoint(merchant, receiver.url)
    expect(await verify(path)).toMatchObject({
      status: 200,
      body: { verified: true, enabled: false, state: 'paused', pause_reason: 'not_enabled' },
    })
    expect((await merchant.send('PATCH', path, { enabled: true })).body).toMatchObject({ state: 'active' })
    const { headers, body, method } = lastOf(receiver)
    expect(method).toBe('POST')
    const sent = JSON.parse(body.toString())
    expect(sent).toEqual({
      id: headers['webhook-id'],
      type: 'webhook.endpoint_verification',
      schema_version: expect.any(String),
      occurred_at: expect.any(String),
      environment: 'sandbox',
      account_id: merchant.merchantId,
      resource: { type: 'webhook_endpoint', id: path.split('/').at(-1), version: 1 },
      data: { challenge: sent.challenge },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(new Webhook(secret).verify(body.toString(), headers)).toEqual(sent)
    expect(headers['mintmark-event-id']).toBe(sent.id)
    expect(headers['user-agent']).toMatch(/^Mintmark\/\d/)
  })

  test('is another one each time', async () => {
    const { path } = await createEndpoint(merchant, receiver.url)
    await verify(path)
    await verify(path)
    const challenges = receiver.requests.map(({ body }) => JSON.parse(body.toString()).challenge)
    expect(new Set(challenges).size).toBe(2)
  })

  const echoes: [string, (challenge: string) => string][] = [
    ['in 4,097 bytes', (challenge) => `{"challenge":"${challenge}"${' '.repeat(4097 - 16 - challenge.length)}}`],
    ['under two equal keys', (challenge) => `{"challenge":"x","challenge":"${challenge}"}`],
    ['wrong', (challenge) => `{"challenge":"${challenge.toLowerCase()}x"}`],
    ['inside another object', (challenge) => `{"body":{"challenge":"${challenge}"}}`],
    ['cut off', (challenge) => `{"challenge":"${challenge}"`],
    ['not at all', () => 'ok'],
  ]
  test.each(echoes)('returned %s verifies nothing', async (_how, echo) => {
    receiver.behave(obeys(echo))
    const { path } = await createEndpoint(merchant, receiver.url)
    expect(await failure(path)).toEqual({ category: 'challenge', http_status: '200' })
  })

  test.each(['{"challenge":"C"P}', '{"ok":true,"challenge":"C"}'])('returned as %s is good', async (form) => {
    const filled = (challenge: string) =>
      form.replace('P', ' '.repeat(4096 - 16 - challenge.length)).replace('C', challenge)
    receiver.behave(obeys(filled))
    expect((await verify((await createEndpoint(merchant, receiver.url)).path)).status).toBe(200)
  })

  test('returned in a body that ends too early is not', async () => {
    receiver.behave(
      answersBy(({ body }) => {
        const echo = JSON.stringify({ challenge: JSON.parse(body.toString()).challenge })
        return { status: 200, body: echo, headers: { 'content-length': echo.length + 1 } }
      }),
    )
    expect(await failure((await createEndpoint(merchant, receiver.url)).path)).toMatchObject({ category: 'challenge' })
  })

  test('returned with another status is not', async () => {
    const { path } = await createEndpoint(merchant, receiver.url)
    const status = (code: number) =>
      answersBy(({ body }) => ({
        status: code,
        body: JSON.stringify({ challenge: JSON.parse(body.toString()).challenge }),
      }))
    receiver.behave(status(500))
    expect(await failure(path)).toEqual({ category: 'status', http_status: '500' })
    receiver.behave(status(410))
    expect(await failure(path)).toEqual({ category: 'gone', http_status: '410' })
    receiver.behave(redirects(307, receiver.url))
    expect(await failure(path)).toEqual({ category: 'redirect', http_status: '307' })
  })

  test('is refused in the clear on any other machine, whatever the setting says', async () => {
    const body = { name: 'Shop', url: 'http://example.com/x', events: ['card.deleted'] }
    const { status, body: answer } = await keyed(merchant, ENDPOINTS, body)
    expect({ status, details: answer.error.details }).toEqual({
      status: 400,
      details: { url: 'must begin with https://' },
    })
  })

  test('that nobody answers is said so, with nothing of what was there', async () => {
    receiver.behave(silent())
    const { path } = await createEndpoint(merchant, receiver.url)
    // Where callers wait a moment: the others wait for as long as it takes.
    const hasty = await startTestService({ env: ENV, database: service.database, callerWaitMillis: 1_000 })
    expect(await failure(path, hasty).finally(() => hasty.close())).toEqual({ category: 'timeout' })
    await receiver.close()
    expect(await failure(path)).toEqual({ category: 'connect' })
  })

  test('answered with secrets shows none of them', async () => {
    receiver.behave(answers(200, 'password=hunter2', { 'x-secret': 'hunter2' }))
    const { path } = await createEndpoint(merchant, receiver.url)
    expect(JSON.stringify((await verify(path)).body)).not.toContain('hunter2')
  })
})

describe('what an endpoint proves', () => {
  test('counts for the URL that was asked, not for one that replaced it meanwhile', async () => {
    const arrived = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const echo = obeys()
    receiver.behave({
      async answer(socket, request) {
        arrived.resolve()
        await go.promise
        await echo.answer?.(socket, request)
      },
    })
    const { path } = await createEndpoint(merchant, receiver.url)
    const asked = verify(path)
    await arrived.promise
    expect((await merchant.send('PATCH', path, { url: `${receiver.url}/other` })).status).toBe(200)
    go.resolve()
    const answer = await asked
    expectError(answer, 409, 'ENDPOINT_VERIFICATION_FAILED')
    expect(answer.body.error.details).toEqual({ category: 'url_changed', http_status: '200' })
    expect((await merchant.get(path)).body).toMatchObject({ verified: false, revision: 2 })
    expect((await verify(path)).status).toBe(200)
  })

  test('is nothing any more once it was deleted', async () => {
    const go = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const echo = obeys()
    receiver.behave({
      async answer(socket, request) {
        arrived.resolve()
        await go.promise
        await echo.answer?.(socket, request)
      },
    })
    const { path } = await createEndpoint(merchant, receiver.url)
    const asked = verify(path)
    await arrived.promise
    expect((await merchant.send('DELETE', path)).status).toBe(200)
    go.resolve()
    expectError(await asked, 404, 'NOT_FOUND')
  })

  test('lets one that the service disabled be enabled again, and ends the incident', async () => {
    const { id, path } = await createEndpoint(merchant, receiver.url)
    await editEndpoint(
      service.pool,
      id,
      `enabled = true, verified_at = date_trunc('milliseconds', now()), disabled_reason = 'gone'`,
    )
    await service.pool.query(
      `insert into webhook_incidents (merchant_id, id, endpoint_id, reason, opened_at) values ($1, $2, $3, 'gone', now())`,
      [merchant.merchantId, `whi_${id}`, id],
    )
    expect((await merchant.get(path)).body).toMatchObject({ state: 'disabled', open_incident: { reason: 'gone' } })
    expect((await verify(path)).body).toMatchObject({
      state: 'paused',
      pause_reason: 'not_enabled',
      open_incident: null,
    })
    expect((await merchant.send('PATCH', path, { enabled: true })).body).toMatchObject({ state: 'active' })
    const { closed } = await dbRow(
      service,
      'select count(closed_at)::int as closed from webhook_incidents where endpoint_id = $1',
      [id],
    )
    expect(closed).toBe(1)
  })

  test('is not taken back by a verification that fails later', async () => {
    const { path, receiver: own } = await activeEndpoint(merchant)
    own.behave(answers(500))
    expectError(await verify(path), 409, 'ENDPOINT_VERIFICATION_FAILED')
    expect((await merchant.get(path)).body).toMatchObject({ state: 'active' })
    own.behave(obeys())
    expect((await verify(path)).body).toMatchObject({ state: 'active' })
    await own.close()
  })
})

test('addresses that became forbidden are not asked', async () => {
  const strict = await startTestService({ database: service.database })
  const { path } = await createEndpoint(merchant, receiver.url)
  const response = await fetch(`${strict.apiUrl}${path}/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${merchant.secretKey}` },
  })
  expect(((await response.json()) as { error: object }).error).toMatchObject({
    code: 'ENDPOINT_VERIFICATION_FAILED',
    details: { category: expect.stringMatching(/^forbidden_/) },
  })
  expect(receiver.connections).toBe(0)
  await strict.close()
})

describe('a test event', () => {
  test('is an example, signed and marked, and what came of it is returned', async () => {
    const { path, secret, receiver: own, last } = await activeEndpoint(merchant, {}, await freePort())
    const { status, body } = await merchant.send('POST', `${path}/test`, { type: 'card.deleted' })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        event_id: expect.stringMatching(/^evt_/),
        delivery_id: expect.stringMatching(/^whd_/),
        queued: false,
        result: { acknowledged: true, http_status: 204, category: null, duration_ms: expect.any(Number) },
      },
    })
    const { headers, body: sent } = last()
    expect(headers).toMatchObject({ 'webhook-id': body.event_id, 'webhook-delivery-id': body.delivery_id })
    expect(new Webhook(secret).verify(sent.toString(), headers)).toMatchObject({
      id: body.event_id,
      type: 'card.deleted',
      account_id: merchant.merchantId,
      environment: 'sandbox',
      test: true,
      data: { status: 'deleted' },
    })
    expect(
      (await dbRow(service, 'select count(*)::int as events from events where id = $1', [body.event_id])).events,
    ).toBe(0)
    own.behave(answers(503))
    expect((await merchant.send('POST', `${path}/test`, { type: 'card.deleted' })).body.result).toMatchObject({
      acknowledged: false,
      http_status: 503,
      category: 'status',
    })
    await own.close()
    expect((await merchant.send('POST', `${path}/test`, { type: 'card.deleted' })).body.result).toMatchObject({
      acknowledged: false,
      http_status: null,
      category: 'connect',
    })
    expect((await merchant.get(path)).body).toMatchObject({ state: 'active' })
  })

  test('that is queued goes the way of every event', async () => {
    const { path, secret, receiver: own, last } = await activeEndpoint(merchant)
    const { status, body } = await merchant.send('POST', `${path}/test`, { type: 'card.deleted', queued: true })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        event_id: expect.stringMatching(/^evt_/),
        delivery_id: expect.stringMatching(/^whd_/),
        queued: true,
        result: null,
      },
    })
    await service.runJobs()
    const { headers, body: sent } = last()
    expect(headers).toMatchObject({ 'webhook-id': body.event_id, 'webhook-delivery-id': body.delivery_id })
    const said = { id: body.event_id, type: 'card.deleted', account_id: merchant.merchantId, test: true }
    expect(new Webhook(secret).verify(sent.toString(), headers)).toMatchObject(said)
    const delivery = await merchant.get(`/v1/webhook-deliveries/${body.delivery_id}`)
    expect(delivery).toMatchObject({ status: 200, body: { state: 'delivered' } })
    await merchant.send('PATCH', path, { enabled: false })
    const paused = await merchant.send('POST', `${path}/test`, { type: 'card.deleted', queued: true })
    expectError(paused, 409, 'ENDPOINT_PAUSED')
    await own.close()
  })

  test('goes to nobody who has not asked for it, and to none that the service disabled', async () => {
    const { id, path } = await createEndpoint(merchant, receiver.url)
    for (const queued of [false, true]) {
      const answer = await merchant.send('POST', `${path}/test`, { type: 'card.deleted', queued })
      expectError(answer, 409, 'ENDPOINT_NOT_VERIFIED')
    }
    await editEndpoint(service.pool, id, `verified_at = date_trunc('milliseconds', now()), disabled_reason = 'gone'`)
    const disabled = await merchant.send('POST', `${path}/test`, { type: 'card.deleted' })
    expectError(disabled, 409, 'ENDPOINT_NOT_VERIFIED')
    await service.runJobs()
    expect(receiver.connections).toBe(0)
  })

  test('has a known kind', async () => {
    const { path } = await createEndpoint(merchant, receiver.url)
    const answer = await merchant.send('POST', `${path}/test`, { type: 'webhook.endpoint_verification' })
    expectError(answer, 400, 'VAL_2001')
    expect(answer.body.error.details).toEqual({ type: expect.stringContaining('must be one of') })
  })
})

test('requests to others are few: the service attacks nobody', async () => {
  const limited = await startTestService({ env: { ...ON_THIS_MACHINE, RATE_LIMIT_WEBHOOK_REQUEST: '3' } })
  const { path } = await createEndpoint(limited.merchant, receiver.url)
  const statuses = []
  for (let asked = 0; asked < 5; asked += 1) {
    statuses.push(
      (
        await limited.merchant.send(
          'POST',
          asked % 2 === 0 ? `${path}/verify` : `${path}/test`,
          asked % 2 === 0 ? undefined : { type: 'card.deleted' },
        )
      ).status,
    )
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  expect(receiver.requests).toHaveLength(3)
  await limited.close()
})

describe('with delivery switched off', () => {
  test('endpoints are read and not changed, and nothing is sent', async () => {
    const off = await startTestService({
      database: service.database,
      env: { ...ON_THIS_MACHINE, WEBHOOK_DELIVERY: 'off' },
    })
    const { path } = await createEndpoint(merchant, receiver.url)
    const ask = async (method: string, to: string, body?: object, headers = {}) => {
      const response = await fetch(off.apiUrl + to, {
        method,
        headers: {
          authorization: `Bearer ${merchant.secretKey}`,
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: read as a caller would, without types.
      return { status: response.status, headers: response.headers, body: (await response.json()) as any }
    }
    const key = { 'idempotency-key': 'a-key-of-mine' }
    for (const answer of [
      await ask('POST', ENDPOINTS, endpointBody(), key),
      await ask('PATCH', path, { name: 'x' }),
      await ask('DELETE', path),
      await ask('POST', `${path}/verify`),
      await ask('POST', `${path}/test`, { type: 'card.deleted' }),
      await ask('POST', `${path}/rotate-secret`, undefined, key),
    ]) {
      expectError(answer, 409, 'WEBHOOKS_DISABLED')
    }
    for (const to of [path, ENDPOINTS, '/v1/webhook-event-types']) expect((await ask('GET', to)).status).toBe(200)
    expect(receiver.connections).toBe(0)
    await off.close()
  })
})

test('keys of creation and rotation are of their own operations', async () => {
  const { path } = await createEndpoint(merchant, receiver.url)
  const created = await keyed(merchant, ENDPOINTS, endpointBody(), 'the-same-key')
  const rotated = await keyed(merchant, `${path}/rotate-secret`, undefined, 'the-same-key')
  expect([created.status, rotated.status]).toEqual([201, 200])
})
