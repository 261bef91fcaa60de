import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type BenchedService, withService } from './service.ts'
import { Shop, STEPS, send, type Tally } from './shop.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'
import { SESSION_BODY } from './workload.ts'

// node bench/neighbours.ts                      about two minutes
// node bench/neighbours.ts --before FOLDER      and the program of another checkout, in turn
// node bench/neighbours.ts --connections 600 --noisy 5
//
// What a quiet merchant, who makes some payments a second, has of a service that others keep busy without a pause.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rate: { type: 'string', default: '20' },
    connections: { type: 'string', default: '100' },
    noisy: { type: 'string', default: '1' },
    before: { type: 'string' },
  },
})
const SECONDS = Number(options.seconds)
/** Payments that the quiet merchant begins in a second. */
const RATE = Number(options.rate)
/** All the noisy merchants together have so many. */
const CONNECTIONS = Number(options.connections)
/** So many merchants share them. */
const NOISY = Number(options.noisy)
const AFTER_REFUSAL_MILLIS = 100
/** All come from one address. */
const UNLIMITED = { RATE_LIMIT_SURFACE: '100000000', RATE_LIMIT_FAILED_AUTHENTICATION: '100000000' }

/** Asks for one thing; false: refused. */
type Ask = () => Promise<boolean>

interface Neighbours {
  service: BenchedService
  agent: Agent
  /** The secret keys of the noisy merchants. */
  keys: readonly string[]
}

/** What the noisy ones do: an ask, or some that take turns. */
const NOISES: Record<string, (neighbours: Neighbours) => Promise<Ask[]>> = {
  nobody: async () => [],
  'lists of mandates': async (neighbours) =>
    neighbours.keys.map((key) => reading(neighbours, '/v1/mandates?limit=100', () => `Bearer ${key}`)),
  'one result': (neighbours) => results(neighbours, (key) => `Bearer ${key}`),
  'the same, the key written in many ways': (neighbours) =>
    results(neighbours, (key) => `${respelled('bearer')}${' '.repeat(1 + Math.random() * 200)}${key}`),
  'sessions of cardholders': async (neighbours) => {
    const { service, agent, keys } = neighbours
    const launched = Array.from({ length: CONNECTIONS }, async (_, at) => {
      const { iframe_url } = await created(service, keys[at % keys.length])
      const { origin, pathname, hash } = new URL(iframe_url)
      const [, , merchant_id, session_id] = pathname.split('/')
      const body = JSON.stringify({ merchant_id, session_id, launch_secret: hash.slice(1) })
      const { session_token } = JSON.parse(
        (await send(service, { agent, path: `${origin}/api/launch`, method: 'POST', authorization: null, body })).body,
      )
      return reading(neighbours, `${origin}/api/session`, () => `Bearer ${session_token}`)
    })
    return Promise.all(launched)
  },
  creations: async ({ service, keys }) =>
    keys.map((secretKey) => {
      const shop = new Shop(service, { secretKeys: [secretKey], most: CONNECTIONS })
      return async () => (await shop.create()) !== undefined
    }),
  'creations with made up keys': async ({ service, agent }) => {
    const creation = { agent, path: '/v1/sessions', method: 'POST', body: SESSION_BODY }
    const made = () => `Bearer sk_test_${randomBytes(18).toString('base64url')}`
    return [async () => (await send(service, { ...creation, authorization: made() })).status !== 503]
  },
  // They ask for a session that there is, with a secret that they make up.
  strangers: async ({ service, agent }) => {
    const { session_id, iframe_url } = await created(service)
    const path = new URL('/api/launch', iframe_url).href
    const body = JSON.stringify({ merchant_id: service.merchantId, session_id, launch_secret: 'a'.repeat(32) })
    const launch = { agent, path, method: 'POST', authorization: null, body }
    return [async () => (await send(service, launch)).status !== 503]
  },
}

async function created(service: BenchedService, secretKey = service.secretKey) {
  const shop = new Shop(service, { secretKeys: [secretKey], most: 1 })
  const session = await shop.create()
  shop.close()
  if (session === undefined) throw new Error('No session was created.')
  return session
}

const reading =
  ({ service, agent }: Neighbours, path: string, authorization: () => string): Ask =>
  async () =>
    (await send(service, { agent, path, authorization: authorization() })).status !== 503

function results(neighbours: Neighbours, written: (key: string) => string): Promise<Ask[]> {
  const asks = neighbours.keys.map(async (key) => {
    const path = `/v1/sessions/${(await created(neighbours.service, key)).session_id}/payment-result`
    return reading(neighbours, path, () => written(key))
  })
  return Promise.all(asks)
}

const respelled = (word: string) =>
  [...word].map((letter) => (Math.random() < 0.5 ? letter : letter.toUpperCase())).join('')

interface Beside {
  tally: Tally
  /** Asks of all the noisy merchants together that were not refused, a second. */
  done: number
}

async function quietBeside(neighbours: Neighbours, asks: readonly Ask[]): Promise<Beside> {
  let isOver = false
  let done = 0
  const noisy = Array.from({ length: asks.length === 0 ? 0 : CONNECTIONS }, async (_, at) => {
    const ask = asks[at % asks.length] as Ask
    while (!isOver) {
      if (await ask()) done += 1
      else await delay(AFTER_REFUSAL_MILLIS)
    }
  })
  // Until they are all on their way.
  await delay(1_000)
  done = 0
  const shop = new Shop(neighbours.service, { most: RATE * SECONDS })
  const payments: Promise<boolean>[] = []
  const start = performance.now()
  while (payments.length < RATE * SECONDS) {
    payments.push(shop.buy())
    await delay(Math.max(0, start + (payments.length * 1_000) / RATE - performance.now()))
  }
  const perSecond = done / SECONDS
  await Promise.all(payments)
  isOver = true
  await Promise.all(noisy)
  shop.close()
  return { tally: shop.tally, done: perSecond }
}

const latency = (tally: Tally, part: number) =>
  STEPS.map((step) =>
    tally.latencies[step].length === 0 ? '-' : quantile(tally.latencies[step], part).toFixed(0),
  ).join(' / ')

async function run(service: BenchedService): Promise<string[][]> {
  const keys = await service.addMerchants(NOISY)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const neighbours = { service, agent, keys }
  const lines: string[][] = []
  await quietBeside(neighbours, [])
  for (const [noise, asksOf] of Object.entries(NOISES)) {
    const { tally, done } = await quietBeside(neighbours, await asksOf(neighbours))
    const refused = STEPS.map((step) => tally.refusals[step]).join(' / ')
    lines.push([noise, `${tally.payments}`, refused, latency(tally, 0.5), latency(tally, 0.99), done.toFixed(0)])
  }
  agent.destroy()
  return lines
}

const HEAD = ['beside', `of ${RATE * SECONDS} paid`, 'refused', 'p50, ms', 'p99, ms', 'noisy, a second']
console.log(`load average ${loadavg()[0]?.toFixed(2)}; refused and times: ${STEPS.join(' / ')}`)
for (const checkout of options.before === undefined ? [undefined] : [options.before, undefined]) {
  const home = await mkdtemp(join(tmpdir(), 'mintmark-neighbours-'))
  try {
    const service = { home, profileDirectory: null, env: UNLIMITED, ...(checkout === undefined ? {} : { checkout }) }
    const lines = await withService(service, run)
    console.log(
      `\n${checkout === undefined ? 'this checkout' : 'before'}\n${alignColumns([HEAD, ...lines]).join('\n')}`,
    )
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
