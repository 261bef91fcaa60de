// Guarantee: `listen` forwards every event from the moment it says so, signed as a delivery is, also after the service
// was away; `trigger` makes no event up. The real program, against the real service, over real HTTP.
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { EVENT_TYPES, type EventType, verifyWebhook } from '@mintmark/node'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runCommandLine } from '../../../apps/server/src/commands/command-line.ts'
import { approvedSession } from '../../../apps/server/test/flows.ts'
import {
  eventually,
  type Program,
  runProgram,
  startProgram,
  temporaryHome,
} from '../../../apps/server/test/processes/program.ts'
import { PATIENT, startTestService, type TestService } from '../../../apps/server/test/service.ts'
import { TRIGGERS } from './journeys.ts'
import type { Terminal } from './terminal.ts'
import { trigger } from './trigger.ts'

/** Nothing listens there, and fetch does not refuse the port by its number. */
const NOWHERE = 'http://127.0.0.1:59'

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

let service: TestService
let home: string
let workers: Promise<void>
let isOver = false
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  home = await temporaryHome()
  // The workers of a service that runs.
  workers = (async () => {
    while (!isOver) {
      await service.runJobs()
      await delay(50)
    }
  })()
})
afterAll(async () => {
  isOver = true
  await workers
  await service?.close()
})

const environment = (changes: Record<string, string> = {}) => ({
  ...{ MINTMARK_API_URL: service.apiUrl, MINTMARK_SECRET_KEY: service.merchant.secretKey },
  ...changes,
})
const mintmark = (words: string[], env = environment()) => runProgram(words, { home, env })

async function listening(words: string[] = [], env = environment()): Promise<Program> {
  const program = startProgram(['listen', ...words], { home, env })
  await shows(program, 'Ready.')
  return program
}

function shows(program: Program, text: string | RegExp): Promise<true> {
  const isThere = () => (typeof text === 'string' ? program.output().includes(text) : text.test(program.output()))
  return eventually(async () => {
    if (isThere()) return true
    if (!program.isRunning()) throw new Error(`The program ended:\n${program.output()}`)
    return undefined
  }, 30_000)
}

async function stop(program: Program): Promise<string> {
  expect(await program.stop('SIGINT')).toEqual({ code: 0, signal: null })
  return program.output()
}

const secretIn = (program: Program) => /whsec_[A-Za-z0-9+/=]+/.exec(program.output())?.[0] ?? ''

/** The event of a session, once it has been numbered in the feed: until then it is still to come for who listens. */
function inFeed(sessionId: string): Promise<{ resource: { id: string } }> {
  const headers = { authorization: `Bearer ${service.merchant.secretKey}` }
  return eventually(async () => {
    const page = await fetch(`${service.apiUrl}/v1/events?cursor=0&limit=100`, { headers })
    const { data } = (await page.json()) as { data: { resource: { id: string }; data: { session_id?: string } }[] }
    return data.find((event) => event.data.session_id === sessionId)
  })
}

/** A receiver on this machine. */
async function withReceiver<T>(
  status: (received: Received[]) => number,
  use: (url: string, received: Received[]) => Promise<T>,
): Promise<T> {
  const received: Received[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    received.push({ headers: incoming.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(status(received)).end('a \u001b[31mreason\n of ours')
  })
  const url = `http://127.0.0.1:${await open(server)}/webhooks`
  try {
    return await use(url, received)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function open(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

describe('listen', { timeout: 90_000 }, () => {
  test('forwards what happens from now on, signed as a delivery, byte for byte', async () => {
    const earlier = await inFeed((await approvedSession(service.merchant)).id)
    await withReceiver(
      () => 204,
      async (url, received) => {
        const program = await listening(['--forward-to', url])
        const triggered = await mintmark(['trigger', 'payment.succeeded'])
        expect(triggered).toMatchObject({
          code: 0,
          output: expect.stringMatching(/^payment\.succeeded {2}evt_\w{26}$/m),
        })
        await eventually(async () => received.length >= 2 || undefined)
        const secret = secretIn(program)
        for (const { headers, body } of received) {
          const event = verifyWebhook(body, headers, secret)
          expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event)
          const kept = await fetch(`${service.apiUrl}/v1/events/${event.id}`, {
            headers: { authorization: `Bearer ${service.merchant.secretKey}` },
          })
          expect(await kept.text()).toBe(body)
        }
        const types = received.map(({ body }) => JSON.parse(body).type)
        expect(types).toEqual(['payment.credentials_ready', 'payment.succeeded'])
        await shows(program, /payment\.succeeded .*→ 204 in \d+ ms/)
        const output = await stop(program)
        expect(output).not.toContain(earlier.resource.id)
        expect(output).toContain('2 events, 2 acknowledged, 0 not.')
        expect(output).not.toContain(service.merchant.secretKey)
      },
    )
  })

  test('signs with the same secret at every start, or with the one it is given', async () => {
    const [first, second] = [await listening(['--forward-to', NOWHERE]), await listening(['--forward-to', NOWHERE])]
    expect(secretIn(first)).toMatch(/^whsec_.{44}$/)
    expect(secretIn(second)).toBe(secretIn(first))
    await Promise.all([stop(first), stop(second)])
    const given = `whsec_${randomBytes(32).toString('base64')}`
    await withReceiver(
      () => 200,
      async (url, received) => {
        const program = await listening(['--forward-to', url], environment({ MINTMARK_WEBHOOK_SECRET: given }))
        await approvedSession(service.merchant)
        const [one] = await eventually(async () => (received.length > 0 ? received : undefined))
        expect(verifyWebhook(one?.body ?? '', one?.headers ?? {}, given)).toMatchObject({
          type: 'payment.credentials_ready',
        })
        expect(await stop(program)).not.toContain(given)
      },
    )
  })

  test('says of each event what the receiver answered, and goes on', async () => {
    await withReceiver(
      (received) => (received.length === 1 ? 500 : 200),
      async (url) => {
        const program = await listening(['--forward-to', url])
        await mintmark(['trigger', 'payment.succeeded'])
        await shows(program, /payment\.credentials_ready .*✗ 500 in \d+ ms: a \[31mreason of ours$/m)
        await shows(program, /payment\.succeeded .*→ 200/)
        expect(await stop(program)).toContain('1 acknowledged, 1 not.')
      },
    )
    const program = await listening(['--forward-to', `${NOWHERE}/x`])
    await approvedSession(service.merchant)
    await shows(program, '✗ nothing listens at 127.0.0.1:59')
    await stop(program)
  })

  test('shows some kinds only, from a time or a cursor on', async () => {
    await mintmark(['trigger', 'payment.failed'])
    const program = await listening(['--events', 'payment.failed,mandate.*', '--since', '1h'])
    await shows(program, 'payment.failed')
    const output = await stop(program)
    expect(output).not.toContain('payment.credentials_ready')
    expect(output).not.toContain('whsec_')
    const [, last = ''] = / (evt_\w{26}) .*\n\n\d+ events?\./.exec(output) ?? []
    const again = await listening(['--cursor', '0', '--events', 'payment.failed'])
    await shows(again, last)
    await stop(again)
  })

  test('goes on where it was after the service was away', async () => {
    const proxy = await startProxy()
    const program = await listening([], environment({ MINTMARK_API_URL: proxy.url }))
    proxy.breakDown()
    await shows(program, 'Trying until there is.')
    const { id } = await approvedSession(service.merchant)
    proxy.repair()
    await shows(program, 'Connected again.')
    await shows(program, 'payment.credentials_ready')
    const result = await service.merchant.get(`/v1/sessions/${id}/payment-result`)
    expect(await stop(program)).toContain(result.body.transactions[0].txn_id)
    proxy.close()
  })
})

describe('with --json', { timeout: 60_000 }, () => {
  const answersIn = (output: string) =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))

  test('each event is a line, with what the receiver answered to it', async () => {
    const program = await listening(['--json', '--events', 'payment.credentials_ready', '--forward-to', NOWHERE])
    const { id } = await approvedSession(service.merchant)
    await eventually(async () => program.output().includes(id) || undefined)
    expect(answersIn(await stop(program))).toEqual([
      {
        event: expect.objectContaining({ type: 'payment.credentials_ready' }),
        delivery: { acknowledged: false, outcome: 'nothing listens at 127.0.0.1:59' },
      },
    ])
  })

  test('what was triggered is said, and why it was not', async () => {
    const { output } = await mintmark(['trigger', 'session.revoked', '--json'])
    expect(answersIn(output)).toEqual([{ type: 'session.revoked', event_id: expect.stringMatching(/^evt_\w{26}$/) }])
    const failed = await mintmark(['trigger', 'mandate.expired', '--json'])
    expect(failed.code).toBe(1)
    expect(answersIn(failed.output)).toEqual([
      { error: { code: 'FAILED', message: expect.stringContaining('cannot be triggered') } },
    ])
  })
})

describe('what is wrong is said in one line', { timeout: 60_000 }, () => {
  /** In this process: neither the settings of the service nor its database are looked at. */
  const failureOf = async (words: string[], env: Record<string, string>): Promise<string> => {
    for (const [name, value] of Object.entries(environment({ MINTMARK_HOME: home, ...env }))) vi.stubEnv(name, value)
    const never = () => Promise.reject(new Error('A developer needs no service of their own.'))
    const failed = await runCommandLine(words, { loadConfig: never, runUntilStopped: never }).catch(
      (error: Error) => error,
    )
    vi.unstubAllEnvs()
    return failed?.message ?? ''
  }

  test.each<[string, string[], Record<string, string>, string | RegExp]>([
    ['no service', ['listen'], { MINTMARK_API_URL: NOWHERE }, /^No answer from .*ECONNREFUSED.*npm start/],
    ['another key', ['listen'], { MINTMARK_SECRET_KEY: 'sk_test_x' }, /answered 401 AUTH_1001: .*MINTMARK_SECRET_KEY/],
    [
      'a key of production',
      ['trigger', 'card.deleted'],
      { MINTMARK_SECRET_KEY: 'sk_live_x' },
      'of production (sk_live_…)',
    ],
    ['a publishable key', ['listen'], { MINTMARK_SECRET_KEY: 'pk_test_x' }, 'is no secret key of a sandbox'],
    [
      'no key',
      ['listen'],
      { MINTMARK_SECRET_KEY: '' },
      /^There is no .*dev\.json\. Start a sandbox.* set MINTMARK_SECRET_KEY\.$/,
    ],
    [
      'nothing at all',
      ['listen'],
      { MINTMARK_SECRET_KEY: '', MINTMARK_API_URL: '' },
      /or set MINTMARK_SECRET_KEY and MINTMARK_API_URL\.$/,
    ],
    ['no address', ['listen'], { MINTMARK_API_URL: 'localhost' }, 'MINTMARK_API_URL is no URL'],
    ['an address without its scheme', ['listen'], { MINTMARK_API_URL: 'localhost:4000' }, 'MINTMARK_API_URL is no URL'],
    [
      'a key of two lines',
      ['listen'],
      { MINTMARK_SECRET_KEY: 'sk_test_x\nsk_test_y' },
      'is no secret key of a sandbox',
    ],
    ['no signing secret', ['listen'], { MINTMARK_WEBHOOK_SECRET: 'x' }, 'MINTMARK_WEBHOOK_SECRET is no signing secret'],
    [
      'a cursor that is none',
      ['listen', '--cursor', 'x'],
      {},
      /answered 400 VAL_2001: .+ cursor must be 0, or a next_cursor/,
    ],
    ['no event', ['trigger'], {}, 'event is missing'],
    ['no event, but a word of the language', ['trigger', 'toString'], {}, 'there is no event "toString"'],
    ['no such event', ['trigger', 'payment.paid'], {}, 'there is no event "payment.paid". There are: payment.'],
    ['no such events', ['listen', '--events', 'card.deleted,x.*'], {}, 'there is no event "x.*"'],
    ['no URL', ['listen', '--forward-to', 'localhost:80'], {}, '--forward-to must be a URL that begins with http'],
    ['a password', ['listen', '--forward-to', 'http://a:b@localhost'], {}, 'must not hold a name and a password'],
    ['no time', ['listen', '--since', 'yesterday'], {}, '--since must be like 10m'],
    ['only time brings it', ['trigger', 'mandate.expired'], {}, /cannot be triggered\. Only time .*clock\/advance/],
    ['only a person does it', ['trigger', 'mandate.creation_cancelled'], {}, /cannot be triggered\. .* press Cancel/],
  ])('%s', async (_name, words, env, expected) => {
    const message = await failureOf(words, env)
    expect(message.split('\n')[0]).toMatch(expected)
    expect(message).not.toContain(service.merchant.secretKey)
  })

  test('and the program ends with 1, without a trace of the code', async () => {
    const { code, output } = await mintmark(['listen'], environment({ MINTMARK_API_URL: NOWHERE }))
    expect([code, output.split('\n')]).toEqual([1, [expect.stringMatching(/^mintmark: No answer from/), '']])
  })

  test('without the environment the sandbox of dev.json is used', async () => {
    await mkdir(home, { recursive: true })
    const dev = { api_url: service.apiUrl, secret_key: service.merchant.secretKey }
    await writeFile(`${home}/dev.json`, JSON.stringify(dev))
    expect(await mintmark(['trigger', 'session.revoked'], {} as never)).toMatchObject({ code: 0 })
    await writeFile(`${home}/dev.json`, '{')
    expect((await mintmark(['listen'], {} as never)).output).toMatch(/^mintmark: .*dev\.json is not JSON/)
  })

  test('colours are for people who want them', async () => {
    const coloured = await mintmark(['trigger', 'session.revoked'], environment({ FORCE_COLOR: '1' }))
    expect(coloured.output).toContain('\u001b[32msession.revoked')
    for (const env of [{ NO_COLOR: '1' }, {}])
      expect((await mintmark(['trigger', 'session.revoked'], environment(env))).output).not.toContain('\u001b')
  })

  test('help lists what can be triggered, and needs nothing', async () => {
    const { code, output } = await runProgram(['trigger', '--help'], { home: '/nonexistent' })
    expect(code).toBe(0)
    for (const type of EVENT_TYPES) expect(output).toContain(`\n  ${type}\n`)
  })
})

describe('trigger', () => {
  const lines: string[] = []
  const terminal: Terminal = {
    env: {},
    say: (line) => lines.push(line),
    paint: (_style, text) => text,
    stopped: new AbortController().signal,
  }
  const CAN = EVENT_TYPES.filter((type) => typeof TRIGGERS[type] !== 'string')

  test.each(CAN)('%s: it is in the feed, as the service captured it', { timeout: 60_000 }, async (type: EventType) => {
    lines.length = 0
    await trigger(type, { ...terminal, env: environment() })
    const id = /evt_\w{26}/.exec(lines.at(-1) ?? '')?.[0]
    const { body } = await service.merchant.get(`/v1/events/${id}`)
    expect(body).toMatchObject({ id, type })
    expect(body).not.toHaveProperty('test')
  })
})

/** The service behind a connection that can break. */
async function startProxy() {
  let isBroken = false
  const server = createServer((incoming, response) => {
    if (isBroken) return incoming.socket.destroy()
    const { hostname, port } = new URL(service.apiUrl)
    const { method, url: path, headers } = incoming
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => incoming.socket.destroy())
    incoming.pipe(onward)
  })
  const url = `http://127.0.0.1:${await open(server)}`
  return {
    url,
    breakDown() {
      isBroken = true
      server.closeAllConnections()
    },
    repair() {
      isBroken = false
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
