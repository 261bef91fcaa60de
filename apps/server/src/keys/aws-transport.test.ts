import { afterEach, beforeEach, expect, test } from 'vitest'
import { answers, redirects } from '../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../test/receivers/receiver.ts'
import { throughConnector } from './aws-transport.ts'

// Guarantee: what the AWS SDK has signed is sent as it was signed, through the connector. KMS itself is tested with its
// stand-in (providers.test.ts); these are the forms that the clients for credentials use beside it.

let service: Receiver
beforeEach(async () => {
  service = await startReceiver({ behaviour: answers(200, '{"ok":1}', { 'x-amzn-requestid': 'r1', date: 'now' }) })
})
afterEach(() => service.close())

const request = (more: object) => ({
  method: 'POST',
  protocol: 'http:',
  hostname: '127.0.0.1',
  port: service.port,
  path: '/',
  headers: { host: `127.0.0.1:${service.port}`, 'x-amz-target': 'TrentService.Encrypt' },
  ...more,
})

test('text and bytes arrive, and the answer has its head and body', async () => {
  for (const body of ['{"a":"ü"}', new TextEncoder().encode('{"a":"ü"}')]) {
    const { response } = await throughConnector.handle(request({ body }))
    expect(response).toMatchObject({ statusCode: 200, headers: { 'x-amzn-requestid': 'r1', date: 'now' } })
    expect(Buffer.from(response.body).toString()).toBe('{"ok":1}')
  }
  expect(service.requests.map(({ body }) => body.toString())).toEqual(['{"a":"ü"}', '{"a":"ü"}'])
  expect(service.requests[0]?.headers).toMatchObject({ 'x-amz-target': 'TrentService.Encrypt' })
})

test('a query with a name twice', async () => {
  await throughConnector.handle(
    request({ method: 'GET', path: '/federation', query: { role: ['a b', 'c'], flag: null } }),
  )
  expect(service.requests).toMatchObject([{ method: 'GET', path: '/federation?role=a%20b&role=c&flag=' }])
})

test('a redirect is an answer, and a body that is no text and no bytes is not sent', async () => {
  const canary = await startReceiver()
  service.behave(redirects(307, canary.url))
  const { response } = await throughConnector.handle(request({}))
  expect([response.statusCode, canary.connections]).toEqual([307, 0])
  await canary.close()
  await expect(throughConnector.handle(request({ body: new ReadableStream() }))).rejects.toThrow(
    'neither text nor bytes',
  )
})

test('the signal of the SDK ends it', async () => {
  service.behave({ answer: () => undefined })
  const asked = throughConnector.handle(request({}), { abortSignal: AbortSignal.timeout(100) })
  await expect(asked).rejects.toMatchObject({ code: 'NO_ANSWER' })
})
