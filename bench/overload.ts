import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type BenchedService, startService } from './service.ts'
import { SESSION_BODY, USER_PLACEHOLDER } from './workload.ts'

// node bench/overload.ts                       about a minute
// node bench/overload.ts --seconds 60 --times 5
//
// Finds how many whole approvals (create, complete, payment result) a second the service carries, offers several times
// as many, and looks whether it goes on doing what it can. Callers give up after ten seconds and never try again.

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, times: { type: 'string', default: '5' } },
})
const SECONDS = Number(options.seconds)
const TIMES = Number(options.times)
const AT_ONCE = 32
const MOST_OPEN = 3_000
const GIVE_UP_MILLIS = 10_000

interface Called {
  /** Zero: the caller gave up, or the connection broke. */
  status: number
  millis: number
  body: string
}

/** What came of the calls in one phase. */
interface Tally {
  statuses: Map<number, number>
  /** Of `complete`, where it was done. */
  latencies: number[]
  approvals: number
}

class Shop {
  readonly tally: Tally = { statuses: new Map(), latencies: [], approvals: 0 }
  readonly #service: BenchedService
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MOST_OPEN })
  #user = 0

  constructor(service: BenchedService) {
    this.#service = service
  }

  /** One purchase from creation to result. False: refused or lost on the way. */
  async buy(): Promise<boolean> {
    this.#user += 1
    const body = SESSION_BODY.replace(USER_PLACEHOLDER, `user-${performance.now()}-${this.#user}`)
    const created = await this.#call('POST', '/v1/sessions', body)
    if (created.status !== 201) return false
    const { session_id: id } = JSON.parse(created.body) as { session_id: string }
    const completed = await this.#call('POST', `/v1/test_helpers/sessions/${id}/complete`, '{}')
    if (completed.status !== 200) return false
    this.tally.approvals += 1
    this.tally.latencies.push(completed.millis)
    return (await this.#call('GET', `/v1/sessions/${id}/payment-result`)).status === 200
  }

  async #call(method: string, path: string, body?: string): Promise<Called> {
    const called = await send(this.#service, this.#agent, method, path, body)
    this.tally.statuses.set(called.status, (this.tally.statuses.get(called.status) ?? 0) + 1)
    return called
  }

  close(): void {
    this.#agent.destroy()
  }
}

function send(service: BenchedService, agent: Agent, method: string, path: string, body?: string): Promise<Called> {
  const start = performance.now()
  const headers = {
    authorization: `Bearer ${service.secretKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve) => {
    const lost = () => resolve({ status: 0, millis: performance.now() - start, body: '' })
    const sent = request(service.url + path, { method, headers, agent, timeout: GIVE_UP_MILLIS }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('error', lost)
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, millis: performance.now() - start, body: text })
      })
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', lost).end(body)
  })
}

/** As fast as `AT_ONCE` callers go, each waiting for the one before. */
async function capacity(service: BenchedService, seconds: number): Promise<number> {
  const shop = new Shop(service)
  const until = performance.now() + seconds * 1000
  const callers = Array.from({ length: AT_ONCE }, async () => {
    while (performance.now() < until) await shop.buy()
  })
  await Promise.all(callers)
  shop.close()
  return shop.tally.approvals / seconds
}

interface Overload {
  tally: Tally
  residentMegabytes: number[]
  ready: number[]
  health: number[]
  /** From the end of the load to the first of ten purchases in a row that all went well; null: never. */
  wellAfterMillis: number | null
}

async function overload(service: BenchedService, perSecond: number): Promise<Overload> {
  const shop = new Shop(service)
  const seen: Omit<Overload, 'tally' | 'wellAfterMillis'> = { residentMegabytes: [], ready: [], health: [] }
  const looker = new Agent({ keepAlive: true })
  const looking = setInterval(async () => {
    seen.residentMegabytes.push(await service.residentMegabytes())
    seen.ready.push((await send(service, looker, 'GET', '/ready')).status)
    seen.health.push((await send(service, looker, 'GET', '/health')).status)
  }, 1_000)
  const start = performance.now()
  let begun = 0
  let open = 0
  while (performance.now() - start < SECONDS * 1000) {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond)
    for (; begun < due; begun += 1) {
      if (open >= MOST_OPEN) continue
      open += 1
      void shop.buy().then(() => {
        open -= 1
      })
    }
    await delay(2)
  }
  const tally = { ...shop.tally, statuses: new Map(shop.tally.statuses), latencies: [...shop.tally.latencies] }
  const wellAfterMillis = await untilWell(service)
  clearInterval(looking)
  looker.destroy()
  while (open > 0) await delay(10)
  shop.close()
  return { tally, wellAfterMillis, ...seen }
}

async function untilWell(service: BenchedService): Promise<number | null> {
  const shop = new Shop(service)
  const start = performance.now()
  let first = start
  for (let inRow = 0; performance.now() - start < 60_000; ) {
    if (inRow === 0) first = performance.now()
    const begun = performance.now()
    const isWell = (await shop.buy()) && performance.now() - begun < 1_000
    inRow = isWell ? inRow + 1 : 0
    if (inRow < 10) continue
    shop.close()
    return first - start
  }
  shop.close()
  return null
}

function part(sorted: readonly number[], share: number): string {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return value === undefined ? '-' : `${Math.round(value)}`
}

function counted(values: readonly number[]): string {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `${value} × ${count}`).join(', ')
}

function report(carried: number, { tally, residentMegabytes, ready, health, wellAfterMillis }: Overload): string {
  const sorted = tally.latencies.toSorted((one, other) => one - other)
  const count = (status: number) => tally.statuses.get(status) ?? 0
  const goodput = tally.approvals / SECONDS
  const rows: [string, string][] = [
    ['capacity, approvals/s', carried.toFixed(0)],
    ['offered, sessions/s', (carried * TIMES).toFixed(0)],
    ['approvals/s while overloaded', `${goodput.toFixed(0)} (${((goodput / carried) * 100).toFixed(0)} %)`],
    ['`complete` p50 / p99 / max, ms', `${part(sorted, 0.5)} / ${part(sorted, 0.99)} / ${part(sorted, 1)}`],
    ['503 / 429 / 500 / given up', `${count(503)} / ${count(429)} / ${count(500)} / ${count(0)}`],
    [
      'resident memory, MB',
      `${Math.min(...residentMegabytes).toFixed(0)} to ${Math.max(...residentMegabytes).toFixed(0)}`,
    ],
    ['`/health`', counted(health)],
    ['`/ready`', counted(ready)],
    ['well again after the end, ms', wellAfterMillis === null ? 'never' : wellAfterMillis.toFixed(0)],
  ]
  return ['| | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n')
}

const home = await mkdtemp(join(tmpdir(), 'mintmark-overload-'))
const service = await startService({ home, profileDirectory: null })
try {
  console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
  await capacity(service, 3)
  const carried = await capacity(service, Math.max(5, SECONDS / 2))
  console.log(report(carried, await overload(service, carried * TIMES)))
} finally {
  await service.stop()
  await rm(home, { recursive: true, force: true })
}
