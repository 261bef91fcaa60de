import type { EgressFailure } from '@mintmark/contract'
import { assert, asyncProperty, nat, oneof, tuple, uint8Array } from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../test/processes/spawn.ts'
import * as does from '../../../test/receivers/behaviours.ts'
import { issue } from '../../../test/receivers/certificates.ts'
import { type Receiver, type ReceiverOptions, startReceiver } from '../../../test/receivers/receiver.ts'
import { type EgressPolicy, PUBLIC_AND_LOOPBACK, shopPolicy } from './policy.ts'
import { type SendOutcome, send } from './send.ts'

// Guarantee: whatever a receiver does costs a bounded time and memory, ends its connection, and has a name from the closed list;
// a head that has come is an answer. Over real sockets and real TLS, with the policy of a sandbox that may call its own machine.

const started: Receiver[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((receiver) => receiver.close()))
})

async function receiver(options: ReceiverOptions): Promise<Receiver> {
  const one = await startReceiver(options)
  started.push(one)
  return one
}

/** As long as a test has: a busy machine is no receiver that is slow. The contract's own budgets are tested below. */
const FOREVER_MILLIS = 300_000
const PATIENT: EgressPolicy = { ...PUBLIC_AND_LOOPBACK, connectMillis: FOREVER_MILLIS, totalMillis: FOREVER_MILLIS }

const post = (url: string, policy: EgressPolicy = PATIENT, body: string | Buffer = '{"id":"evt_1"}') =>
  send({ url, method: 'POST', headers: { 'content-type': 'application/json' }, body, policy })

/** For rows that wait for the end of a budget, and of no other one. */
const HASTY: Partial<Record<EgressFailure, EgressPolicy>> = {
  timeout: { ...PATIENT, totalMillis: 1_500 },
  connect_timeout: { ...PATIENT, connectMillis: 1_500 },
}

const categoryOf = (outcome: SendOutcome) => (outcome.kind === 'failed' ? outcome.category : outcome.status)

/** Destroyed on our side, so that nothing of a bad receiver stays. */
const isLeftAlone = (one: Receiver) => expect.poll(() => one.open).toBe(0)

describe('answers', () => {
  test.each([false, true])('a whole one, over TLS: %s', async (tls) => {
    const one = await receiver({ tls, behaviour: does.answers(200, '{"ok":true}', { 'retry-after': '120' }) })
    const outcome = await post(one.url)
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, headers: { retryAfter: '120' }, isComplete: true })
    expect(outcome.kind === 'answered' && outcome.body.toString()).toBe('{"ok":true}')
    expect(one.requests).toMatchObject([{ method: 'POST', path: '/hook', headers: { host: `localhost:${one.port}` } }])
    await isLeftAlone(one)
  })

  test('nothing of one connection is used for the next', async () => {
    const one = await receiver({ tls: true, behaviour: does.answers(200, '', { connection: 'keep-alive' }) })
    await post(one.url)
    await post(one.url)
    expect(one.connections).toBe(2)
  })

  test.each([300, 301, 302, 303, 307, 308])('a %i is not followed', async (status) => {
    const canary = await receiver({})
    const one = await receiver({ behaviour: does.redirects(status, canary.url) })
    expect(categoryOf(await post(one.url))).toBe(status)
    expect(canary.connections).toBe(0)
  })

  test('a proxy of the environment is not asked', async () => {
    const canary = await receiver({})
    const proxy = `http://127.0.0.1:${canary.port}`
    const names = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
    const env = { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: '1' }
    const before = { ...process.env }
    Object.assign(process.env, env)
    try {
      const one = await receiver({ tls: true })
      expect(categoryOf(await post(one.url))).toBe(200)
    } finally {
      for (const name of Object.keys(env)) delete process.env[name]
      Object.assign(process.env, before)
    }
    expect(canary.connections).toBe(0)
  })

  test.each([
    [4096, true],
    [4097, false],
    [5_000_000, false],
  ])('of a body of %i bytes at most 4 KiB are kept, and whole is %s', async (length, isComplete) => {
    const one = await receiver({ behaviour: does.answers(200, 'x'.repeat(length)) })
    const outcome = await post(one.url)
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, isComplete })
    expect(outcome.kind === 'answered' && outcome.body.length).toBe(4096)
    await isLeftAlone(one)
  })

  test.each([
    [1_048_576, true],
    [1_048_577, false],
  ])(
    'of a body of %i bytes a shop may send a megabyte, in one piece or in chunks, and whole is %s',
    async (length, isComplete) => {
      const body = 'x'.repeat(length)
      const chunks = body.match(/x{1,100}/g) ?? []
      const chunked = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
      const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
      const policy = {
        ...shopPolicy({ allowLoopback: true }),
        connectMillis: FOREVER_MILLIS,
        totalMillis: FOREVER_MILLIS,
      }
      for (const behaviour of [does.answers(200, body), does.says(`${head}${chunked}0\r\n\r\n`)]) {
        const one = await receiver({ behaviour })
        const outcome = await post(one.url, policy)
        expect(outcome).toMatchObject({ kind: 'answered', status: 200, isComplete })
        expect(outcome.kind === 'answered' && outcome.body.length).toBe(1_048_576)
        await isLeftAlone(one)
      }
    },
  )

  test.each<[string, does.Behaviour]>([
    ['is cut with a reset', does.closesEarly(200, 'reset')],
    ['is closed early', does.closesEarly()],
    ['is not chunked as it says', does.brokenChunks()],
    ['is a bomb of gzip', does.gzipBomb()],
    ['is a gigabyte', does.gigabyte()],
    ['never ends', does.endlessChunks()],
    ['is one chunk whose extension never ends', does.endlessExtension()],
  ])('a 200 stays accepted when its body %s', async (_name, behaviour) => {
    for (const tls of [false, true]) {
      const one = await receiver({ tls, behaviour })
      const outcome = await post(one.url)
      expect(outcome).toMatchObject({ kind: 'answered', status: 200, isComplete: false })
      await isLeftAlone(one)
    }
  })

  test('a 200 with more bytes than its length says is accepted, and so is one without a length', async () => {
    const one = await receiver({ behaviour: does.wrongLength() })
    expect(categoryOf(await post(one.url))).toBe(200)
    one.behave(does.says('HTTP/1.0 200 OK\r\n\r\n{"until":"the end"}'))
    expect(await post(one.url)).toMatchObject({ status: 200, isComplete: true })
    one.behave(does.says('HTTP/1.1 204 \r\n\r\n'))
    expect(await post(one.url)).toMatchObject({ status: 204, isComplete: true })
  })

  test('an answer that comes before the request was read is an answer', async () => {
    const one = await receiver({ behaviour: does.answersUnread(200) })
    expect(categoryOf(await post(one.url, PATIENT, Buffer.alloc(65_536, 'x')))).toBe(200)
  })

  test('a few interim answers are passed over', async () => {
    const one = await receiver({ behaviour: does.answersAfterInterim(3) })
    expect(categoryOf(await post(one.url))).toBe(200)
  })

  test('a Retry-After that is no short word is none', async () => {
    const one = await receiver({ behaviour: does.answers(503, '', { 'retry-after': '9'.repeat(65) }) })
    expect(await post(one.url)).toMatchObject({ status: 503, headers: { retryAfter: null } })
  })
})

describe('failures', () => {
  test.each<[string, EgressFailure, ReceiverOptions]>([
    ['takes the request and says nothing', 'timeout', { behaviour: does.silent() }],
    ['drips its head', 'timeout', { behaviour: does.dripsHead(20) }],
    ['closes before it answers', 'reset', { behaviour: does.closesSilently() }],
    ['resets before it answers', 'reset', { behaviour: does.resetsSilently() }],
    ['closes at once', 'reset', { behaviour: does.closesAtOnce() }],
    ['sends half a head', 'reset', { behaviour: does.says('HTTP/1.1 200 O') }],
    ['floods with interim answers', 'protocol', { behaviour: does.floodsInterim() }],
    ['floods with 100 Continue', 'protocol', { behaviour: does.floodsInterim(100) }],
    ['switches protocols', 'protocol', { behaviour: does.switchesProtocols() }],
    ['sends a header that never ends', 'protocol', { behaviour: does.endlessHeader() }],
    ['sends headers that never end', 'protocol', { behaviour: does.endlessHeaders() }],
    ['sends empty lines that never end', 'protocol', { behaviour: does.endlessEmptyLines() }],
    ['sends a head of more than 16 KiB', 'protocol', { behaviour: does.answers(200, '', { x: 'y'.repeat(16_500) }) }],
    [
      'sends a control byte in a header',
      'protocol',
      { behaviour: does.says('HTTP/1.1 200 OK\r\nx: a\u0000b\r\n\r\n') },
    ],
    ['sends a name that is no token', 'protocol', { behaviour: does.says('HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n') }],
    [
      'sends two lengths',
      'protocol',
      {
        behaviour: does.says('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
      },
    ],
    [
      'sends a length and chunks',
      'protocol',
      {
        behaviour: does.says('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
      },
    ],
    ['sends a status that is none', 'protocol', { behaviour: does.says('HTTP/1.1 999 X\r\n\r\n') }],
    ['sends a status of four digits', 'protocol', { behaviour: does.says('HTTP/1.1 2000 OK\r\n\r\n') }],
    ['speaks HTTP/2 only', 'protocol', { behaviour: does.http2Only() }],
    ['speaks HTTP/2 only, over TLS', 'protocol', { tls: true, behaviour: does.http2Only() }],
    ['speaks HTTP/0.9', 'protocol', { behaviour: does.http09() }],
    ['speaks another protocol', 'protocol', { behaviour: does.says('220 mail.example ESMTP\r\n') }],
  ])('a receiver that %s is %s', async (_name, category, options) => {
    const one = await receiver(options)
    const outcome = await post(one.url, HASTY[category])
    expect(outcome).toMatchObject({ kind: 'failed', category })
    expect(outcome.kind === 'failed' && outcome.detail).toMatch(/^[A-Z][A-Z0-9_]*$/)
    await isLeftAlone(one)
  })

  test('bytes at random, and good answers with a part exchanged, are an answer or have a name', async () => {
    const one = await receiver({})
    const good = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'
    const exchanged = tuple(nat(good.length), nat(9), uint8Array({ maxLength: 12 })).map(([at, length, bytes]) =>
      Buffer.concat([Buffer.from(good.slice(0, at)), bytes, Buffer.from(good.slice(at + length))]),
    )
    await assert(
      asyncProperty(oneof(uint8Array({ maxLength: 200 }).map(Buffer.from), exchanged), async (bytes) => {
        one.behave(does.says(bytes))
        const outcome = await post(one.url)
        if (outcome.kind === 'failed') expect(['protocol', 'reset']).toContain(outcome.category)
      }),
      { numRuns: 300 },
    )
    await isLeftAlone(one)
  })

  test('a connection that is reset as soon as it is there', async () => {
    const one = await receiver({ behaviour: does.resetsAtOnce() })
    // Which one it is depends on what the kernel tells first.
    expect(['connect', 'reset']).toContain(categoryOf(await post(one.url)))
  })

  test('nobody listens', async () => {
    expect(await post(`http://localhost:${await freePort()}/hook`)).toMatchObject({
      ...{ category: 'connect', detail: 'ECONNREFUSED' },
    })
  })

  test('the caller gives up', async () => {
    const one = await receiver({ behaviour: does.silent() })
    const giveUp = new AbortController()
    const outcome = send({
      url: one.url,
      method: 'POST',
      headers: {},
      policy: PATIENT,
      signal: giveUp.signal,
    })
    await expect.poll(() => one.requests.length).toBe(1)
    giveUp.abort()
    expect(await outcome).toMatchObject({ kind: 'failed', category: 'aborted' })
    await isLeftAlone(one)
    const late = send({ url: one.url, method: 'POST', headers: {}, policy: PATIENT, signal: giveUp.signal })
    expect(await late).toMatchObject({ category: 'aborted' })
    expect(one.connections).toBe(1)
  })
})

describe('TLS', () => {
  const names = ['localhost']
  test.each<[string, NonNullable<ReceiverOptions['tls']>, string]>([
    ['has expired', { credentials: issue({ names, endsInDays: -1 }) }, 'CERT_HAS_EXPIRED'],
    ['is not good yet', { credentials: issue({ names, endsInDays: 20 }) }, 'CERT_NOT_YET_VALID'],
    ['is of nobody', { credentials: issue({ names, isSelfSigned: true }) }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['is of another name', { credentials: issue({ names: ['other.example'] }) }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    // "CA signature digest algorithm too weak" has no code of its own in Node.js.
    ['is signed with SHA-1', { credentials: issue({ names, hash: 'sha1' }) }, 'UNSPECIFIED'],
  ])('a certificate that %s', async (_name, tls, detail) => {
    const one = await receiver({ tls })
    expect(await post(one.url)).toEqual({ kind: 'failed', category: 'tls', detail })
    expect(one.requests).toEqual([])
    await isLeftAlone(one)
  })

  test.each(['TLSv1', 'TLSv1.1'] as const)('%s', async (version) => {
    const one = await receiver({ tls: { version } })
    expect(await post(one.url)).toMatchObject({ kind: 'failed', category: 'tls' })
    expect(one.requests).toEqual([])
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is good', async (version) => {
    const one = await receiver({ tls: { version } })
    expect(categoryOf(await post(one.url))).toBe(200)
  })

  test('an environment that turns the check off is not heard', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const one = await receiver({ tls: { credentials: issue({ names, isSelfSigned: true }) } })
      expect(await post(one.url)).toMatchObject({ category: 'tls' })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })

  test.each<[string, does.Behaviour, EgressFailure]>([
    ['speaks no TLS', does.says('HTTP/1.1 400 Bad Request\r\n\r\n'), 'connect_timeout'],
    ['answers the greeting in plain text', { atOnce: (socket) => void socket.write('HTTP/1.1 400 X\r\n\r\n') }, 'tls'],
    ['closes', does.closesAtOnce(), 'tls'],
    ['resets', does.resetsOnFirstByte(), 'tls'],
    ['accepts and says nothing', { atOnce: () => undefined }, 'connect_timeout'],
  ])('a port behind https that %s', async (_name, behaviour, category) => {
    const one = await receiver({ behaviour })
    expect(await post(one.url.replace('http:', 'https:'), HASTY[category])).toMatchObject({ category })
    await isLeftAlone(one)
  })

  test('the name and the address are compared with the certificate', async () => {
    const one = await receiver({ tls: { credentials: issue({ names: ['127.0.0.1'] }) } })
    expect(categoryOf(await post(one.url))).toBe('tls')
    expect(categoryOf(await post(one.url.replace('localhost', '127.0.0.1')))).toBe(200)
  })
})

describe('time', () => {
  // The timers are moved by hand: what the contract says is compared with what is asked of them, not with a busy machine's clock.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** With one address: each of two would have its share of the time, by a clock that is not moved by hand. */
  const OWN: EgressPolicy = { ...PUBLIC_AND_LOOPBACK, resolve: async () => ['127.0.0.1'] }

  const turn = () => new Promise((resolve) => setImmediate(resolve))
  /** What is on its way in this machine arrives, in many turns of the event loop. */
  async function arrive(): Promise<void> {
    for (let turns = 0; turns < 100; turns += 1) await turn()
  }
  /** `expect.poll` would move the timers. */
  async function until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await turn()
  }

  test('3.0 seconds for name, connection and TLS, and 10.0 seconds in all', async () => {
    const handshake = await receiver({ behaviour: { atOnce: () => undefined } })
    const asked = await Promise.all([
      receiver({ tls: true, behaviour: does.dripsHead() }),
      receiver({ tls: true, behaviour: does.dripsBody() }),
      receiver({ behaviour: does.dripsBody() }),
      receiver({ behaviour: does.silent() }),
    ])
    const noName: EgressPolicy = { ...PUBLIC_AND_LOOPBACK, resolve: () => new Promise(() => undefined) }
    const outcomes: SendOutcome[] = []
    const note = async (url: string, policy: EgressPolicy) => void outcomes.push(await post(url, policy))
    const all = Promise.all([
      note(handshake.url.replace('http:', 'https:'), OWN),
      note('https://silent.example/', noName),
      ...asked.map(({ url }) => note(url, OWN)),
    ])
    await until(() => [handshake, ...asked].every((one) => one.connections === 1))
    await until(() => asked.every((one) => one.requests.length === 1))
    await arrive()
    await vi.advanceTimersByTimeAsync(2_999)
    await arrive()
    expect(outcomes).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await until(() => outcomes.length >= 2)
    expect(outcomes.map(categoryOf)).toEqual(['connect_timeout', 'connect_timeout'])
    await vi.advanceTimersByTimeAsync(6_999)
    await arrive()
    expect(outcomes).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    await all
    // A head that has come is an answer, also when its body drips.
    expect(outcomes.slice(2).map(categoryOf).sort()).toEqual([200, 200, 'timeout', 'timeout'])
    for (const outcome of outcomes) if (outcome.kind === 'answered') expect(outcome.isComplete).toBe(false)
    await until(() => asked.every((one) => one.open === 0))
  })
})

test('memory stays flat while receivers send gigabytes', async () => {
  const behaviours = [
    does.gigabyte(),
    does.endlessChunks(),
    does.gzipBomb(),
    does.endlessHeader(),
    does.floodsInterim(),
  ]
  const all = await Promise.all(
    behaviours.flatMap((behaviour) => [receiver({ behaviour }), receiver({ behaviour, tls: true })]),
  )
  const round = () => Promise.all(all.map((one) => post(one.url)))
  await round()
  const before = process.memoryUsage().rss
  let peak = 0
  for (let rounds = 0; rounds < 20; rounds += 1) {
    await round()
    peak = Math.max(peak, process.memoryUsage().rss)
  }
  // Two hundred requests. A single body that is kept would be a gigabyte; the senders are in this process too.
  expect((peak - before) / 1_048_576).toBeLessThan(150)
})
