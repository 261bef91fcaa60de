// Guarantee: the wallet API is a host of its own: its keys, its envelope, its codes; nothing of the other API opens it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange } from '../src/http/testing/raw-socket.ts'
import { type Answer, call, sessionBody, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** An error in the envelope of this host, and nothing beside it. */
function expectWalletError({ status, headers, body }: Answer, expected: number, code: string): void {
  expect({ status, body }).toEqual({
    status: expected,
    body: { error: { code, message: expect.any(String), request_id: headers.get('x-response-id') } },
  })
}

const at = (path: string, headers: Record<string, string> = {}) => call(service.walletUrl + path, { headers })

test('a success is data and meta, and the request id is that of the response', async () => {
  const { status, headers, body } = await at('/health')
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      data: { status: 'ok' },
      meta: { request_id: headers.get('x-response-id'), timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
    },
  })
  expect((await at('/ready')).status).toBe(200)
})

describe('errors have the shape of this host', () => {
  test('of an unknown path', async () => expectWalletError(await at('/v1/nothing'), 404, 'NOT_FOUND'))

  test('of what never becomes a request', async () => {
    const port = Number(new URL(service.walletUrl).port)
    const answer = await exchange(port, 'NONSENSE\r\n\r\n')
    expect(answer.json()).toEqual({
      error: {
        code: 'VALIDATION_ERROR',
        message: 'The request is not valid: request is not valid HTTP.',
        request_id: answer.header('x-response-id'),
        details: { request: 'is not valid HTTP' },
      },
    })
    const large = await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(large.json()).toMatchObject({
      error: { code: 'VALIDATION_ERROR', request_id: large.header('x-response-id') },
    })
  })
})

test('a key of the wallet API opens nothing on the main API, in whichever header', async () => {
  const { key } = service.merchant.wallet
  const create = (headers: Record<string, string>) =>
    call(`${service.apiUrl}/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(sessionBody()),
    })
  const wrong = await create({ authorization: `Bearer ${key}` })
  expect([wrong.status, wrong.body.error.code]).toEqual([401, 'AUTH_1001'])
  const other = await create({ 'api-key': key })
  expect([other.status, other.body.error.code]).toEqual([401, 'AUTH_1002'])
})
