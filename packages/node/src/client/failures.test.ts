// Guarantee: whatever happens on the way, a change is sent again only where that is safe, always under the same name, and what is not known
// is never called a failure.
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../apps/server/test/processes/spawn.ts'
import { Mintmark, MintmarkAgent, MintmarkApiError, OutcomeUnknownError } from '../index.ts'
import { OPERATIONS } from '../operations.ts'

type Script = (request: IncomingMessage, response: ServerResponse) => void

/** What the server does with each request, in order; with those after the last, what it did with that one. */
let script: Script[] = []
let requests: { method: string; path: string; headers: IncomingMessage['headers']; body: string; at: number }[] = []
let apiUrl: string
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path, headers, body, at: performance.now() })
    const next = script.length > 1 ? script.shift() : script[0]
    next?.(request, response)
  })
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  // The client has seen it by then.
  await delay(10)
  ;[script, requests] = [[], []]
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const OK = { mandateId: 'mdt_1', transactionId: 'txn_1', status: 'awaiting_result' }
const answer =
  (status: number, body: unknown = OK, headers: Record<string, string> = {}): Script =>
  (_request, response) =>
    void response
      .writeHead(status, { 'x-response-id': 'r-1', connection: 'close', ...headers })
      .end(JSON.stringify(body))
const refusal = (status: number, code: string, headers = {}, details?: object) =>
  answer(status, { error: { code, message: 'No.', ...(details && { details }) } }, headers)
const cut: Script = (request) => request.socket.destroy()
const halfSent: Script = (request, response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"status":')
  setImmediate(() => request.socket.destroy())
}
const silent: Script = () => undefined
const proxyPage: Script = (_request, response) => void response.writeHead(200, { connection: 'close' }).end('<html>')

const merchant = (changes: object = {}) =>
  new Mintmark({ apiUrl, secretKey: 'sk_test_1', backoffMillis: 1, timeoutMillis: 60_000, ...changes })
const charge = (changes: object = {}, options = {}) =>
  merchant(options).charges.create('mdt_1', { amount: '1.00', ...changes })
const thrownBy = async (call: Promise<unknown>): Promise<OutcomeUnknownError> =>
  call.then(
    () => expect.unreachable('It came back.'),
    (error) => error,
  )
const references = () => new Set(requests.map(({ body }) => JSON.parse(body).reference))

describe('a charge', () => {
  test.each([
    ['a broken connection', cut],
    ['half an answer', halfSent],
    ['a network that is not heard', refusal(500, 'NO_TOKEN')],
    ['a gateway', answer(502, '')],
    ['a database that is away', refusal(503, 'SERVICE_UNAVAILABLE')],
    ['an overload', refusal(429, 'RATE_LIMITED')],
  ])('is sent again after %s, as the same charge', async (_name, failure) => {
    script = [failure, failure, answer(200)]
    const made = await charge()
    expect(made).toMatchObject({ transactionId: 'txn_1', reference: expect.stringMatching(/^sdk-[0-9a-f-]{36}$/) })
    expect(requests).toHaveLength(3)
    expect([...references()]).toEqual([made.reference])
  })

  test.each([
    ['broken connections', cut],
    ['silence', silent],
    ['errors of the service', refusal(500, 'INTERNAL_ERROR')],
    ['the page of a proxy', proxyPage],
  ])('is unknown after %s, and the error has the reference', async (_name, failure) => {
    script = [failure]
    // Silence ends with it. Long enough for one of the two to be sent by a process that stood still.
    const timeoutMillis = failure === silent ? 1_000 : 60_000
    const error = await thrownBy(charge({}, { retries: 1, timeoutMillis }))
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toBeInstanceOf(MintmarkApiError)
    expect(error.operation).toBe('chargeMandate')
    expect([...references()]).toEqual([error.reference])
    expect(error.message).toContain(error.reference)
    expect(error.message).not.toContain('sk_test')
    script = [answer(200)]
    expect(await charge({ reference: error.reference })).toMatchObject({ reference: error.reference })
  })

  test('stays unknown when what comes after says nothing of it', async () => {
    script = [cut, refusal(401, 'AUTH_1001')]
    expect(await thrownBy(charge())).toMatchObject({ name: 'OutcomeUnknownError', status: 401, code: 'AUTH_1001' })
    script = [cut, refusal(429, 'RATE_LIMITED')]
    expect(await thrownBy(charge({}, { retries: 2 }))).toMatchObject({ name: 'OutcomeUnknownError' })
    script = [cut, refusal(409, 'MANDATE_NOT_ACTIVE')]
    expect(await thrownBy(charge())).toMatchObject({ name: 'MintmarkApiError', code: 'MANDATE_NOT_ACTIVE' })
  })

  test.each([
    [400, 'VAL_2001'],
    [401, 'AUTH_1001'],
    [403, 'MANDATE_FORBIDDEN'],
    [409, 'MANDATE_NOT_ACTIVE'],
    [429, 'TRIES_EXHAUSTED'],
    [500, 'CONFIG_ERROR'],
    [501, 'NOT_IMPLEMENTED'],
  ])('that is refused with %i %s is refused, and not sent again', async (status, code) => {
    script = [refusal(status, code)]
    expect(await thrownBy(charge())).toMatchObject({ name: 'MintmarkApiError', status, code, responseId: 'r-1' })
    expect(requests).toHaveLength(1)
  })

  test('is not unknown where nobody listens', async () => {
    const [closed, never] = [`http://127.0.0.1:${await freePort()}`, 'http://127.0.0.1:9']
    for (const address of [closed, never]) {
      const error = await thrownBy(charge({}, { apiUrl: address, retries: 1 }))
      expect(error).toMatchObject({ name: 'MintmarkApiError', status: null })
    }
  })

  test('ends with the signal of its caller, and is unknown by then', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    script = [() => controller.abort(reason)]
    const started = merchant().charges.create('mdt_1', { amount: '1.00' }, { signal: controller.signal })
    const error = await thrownBy(started)
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', reference: expect.stringMatching(/^sdk-/) })
    const before = await thrownBy(charge({}, { signal: AbortSignal.abort(reason) }))
    expect(before).toBe(reason)
    const read = merchant({ signal: AbortSignal.timeout(50) }).mandates.get('mdt_1')
    expect(await thrownBy(read)).toMatchObject({ name: 'TimeoutError' })
  })
})

describe('a pause', () => {
  test('is as long as the service asks for, and is told', async () => {
    script = [refusal(429, 'RATE_LIMITED', { 'retry-after': '1' }), answer(200)]
    const notices: unknown[] = []
    await charge({}, { onRetry: (notice: unknown) => notices.push(notice) })
    const [first, second] = requests
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990)
    expect(notices).toEqual([expect.objectContaining({ attempt: 1, status: 429 })])
  })

  test('that would be too long is the caller’s to make', async () => {
    script = [refusal(429, 'RATE_LIMITED', { 'retry-after': '600' })]
    expect(await thrownBy(charge())).toMatchObject({ name: 'MintmarkApiError', retryAfterSeconds: 600 })
    expect(requests).toHaveLength(1)
  })
})

const QUOTED = { purchase_context: { quote: true, quote_id: 'qte_1' } } as never
const NEAR = { key: generateKeyPairSync('ed25519').privateKey, backoffMillis: 1, timeoutMillis: 60_000 }

describe('other changes', () => {
  test('with an Idempotency-Key keep it', async () => {
    const endpoint = { name: 'a', url: 'https://a.example', events: [] }
    script = [cut, refusal(409, 'IDEMPOTENCY_IN_PROGRESS'), answer(201, { endpoint: {} })]
    await merchant().webhookEndpoints.create(endpoint)
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    script = [cut]
    const failed = merchant({ retries: 0 }).webhookEndpoints.create(endpoint, { idempotencyKey: 'my-endpoint' })
    expect(await thrownBy(failed)).toMatchObject({ name: 'OutcomeUnknownError', idempotencyKey: 'my-endpoint' })
  })

  test.each([
    ['a session', () => merchant().sessions.create({} as never)],
    ['one that a quote describes', () => merchant().sessions.create(QUOTED)],
    ['an enrollment', () => merchant().enrollments.create({} as never)],
    ["an agent's session", () => new MintmarkAgent({ ...NEAR, apiUrl }).sessions.create({} as never)],
  ])('that create %s are sent again, each time by the key that was made', async (_name, create) => {
    script = [cut, refusal(500, 'SESSION_CREATE_ERROR'), refusal(409, 'IDEMPOTENCY_IN_PROGRESS'), answer(201)]
    await create()
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']))
    expect([requests.length, [...keys]]).toEqual([4, [expect.stringMatching(/^[0-9a-f-]{36}$/)]])
    await create()
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
    script = [cut]
    const key = requests[4]?.headers['idempotency-key']
    expect(await thrownBy(create())).toMatchObject({
      name: 'OutcomeUnknownError',
      idempotencyKey: expect.not.stringMatching(`^${key}$`),
    })
  })

  test('that would be refused, or done twice, are not sent again when they may have happened', async () => {
    script = [cut]
    for (const once of [() => merchant().mandates.pause('mdt_1'), () => merchant().sessions.revoke('sess_1')]) {
      requests = []
      expect(await thrownBy(once())).toMatchObject({ name: 'OutcomeUnknownError', reference: null })
      expect(requests).toHaveLength(1)
    }
    requests = []
    script = [refusal(429, 'RATE_LIMITED'), answer(200)]
    await merchant().mandates.pause('mdt_1')
    expect(requests).toHaveLength(2)
  })

  test('reads have no outcome', async () => {
    script = [refusal(503, 'SERVICE_UNAVAILABLE')]
    expect(await thrownBy(merchant({ retries: 2 }).mandates.get('mdt_1'))).toMatchObject({ name: 'MintmarkApiError' })
    expect(requests).toHaveLength(3)
  })
})

describe('an agent', () => {
  const agent = () =>
    new MintmarkAgent({
      apiUrl,
      key: generateKeyPairSync('ed25519').privateKey,
      backoffMillis: 1,
      timeoutMillis: 60_000,
    })
  const nonces = () => requests.map(({ headers }) => /nonce="([^"]+)"/.exec(String(headers['signature-input']))?.[1])

  test('signs anew whatever it sends again, and keeps the reference', async () => {
    script = [
      cut,
      refusal(503, 'SERVICE_UNAVAILABLE'),
      refusal(401, 'AUTH_REQUIRED', {}, { reason: 'nonce_replayed' }),
      answer(200),
    ]
    await agent().charges.create('mdt_1', { amount: '1.00' })
    expect(new Set(nonces()).size).toBe(4)
    expect(references().size).toBe(1)
  })

  test('is told the reference of a charge after which it was revoked', async () => {
    script = [cut, refusal(401, 'AUTH_REQUIRED', {}, { reason: 'key_unknown' })]
    const error = await thrownBy(agent().charges.create('mdt_1', { amount: '1.00', reference: 'order-7' }))
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', reference: 'order-7' })
  })
})

describe('what cannot be sent is a TypeError, before anything is', () => {
  test.each<[string, () => unknown]>([
    ['an address without a scheme', () => merchant({ apiUrl: 'localhost:4000' })],
    ['a key that is none', () => merchant({ secretKey: undefined })],
    ['a key of another kind', () => new MintmarkAgent({ apiUrl, key: generateKeyPairSync('x25519').privateKey })],
    ['an id that is empty', () => merchant().mandates.get('')],
    ['an id that climbs', () => merchant().mandates.get('..')],
  ])('%s', async (_name, attempt) => {
    await expect((async () => attempt())()).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  })

  test('what is in an id stays there', async () => {
    script = [answer(200)]
    await merchant().mandates.get('../a?b#c/%2e')
    expect(requests[0]?.path).toBe('/v1/mandates/..%2Fa%3Fb%23c%2F%252e')
  })
})

test('every operation has a name in the clients, and every name an operation', async () => {
  script = [answer(200, {})]
  const key = generateKeyPairSync('ed25519').privateKey
  const agent = new MintmarkAgent({ apiUrl, key })
  const mintmark = merchant()
  // Whatever its arguments are, they name something, and a list ends after a page.
  const resources = [...Object.values(mintmark), ...Object.values(agent)].filter((value) => typeof value === 'object')
  for (const [name, method] of resources.flatMap((resource) => Object.entries(resource))) {
    if (/^(?:all|searchAll|feed|wait|waitForResult)$/.test(name)) continue
    // biome-ignore lint/suspicious/noExplicitAny: whatever takes what it does not look at.
    await (method as any)('x', name === 'changeKey' ? {} : 'x', {}).catch(() => undefined)
  }
  await agent.me.changeKey({ key: generateKeyPairSync('ed25519').privateKey })
  const matches = (row: { method: string; path: string }) => {
    const pattern = new RegExp(`^${row.path.replaceAll(/:\w+/g, '[^/]+')}(?:\\?|$)`)
    return requests.some(({ method, path }) => method === row.method && pattern.test(path))
  }
  const missing = Object.entries(OPERATIONS).filter(([, row]) => !matches(row))
  // `events.feed` reads it, with its own way to go on.
  expect(missing.map(([name]) => name)).toEqual(['listEvents'])
})
