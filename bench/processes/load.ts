import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import autocannon from 'autocannon'
import { type Request, requestsOf, type Workload } from '../workload.ts'
import { cpuMillis } from './cpu.ts'
import { serveTasks } from './tasks.ts'

/**
 * `rate` null: as fast as the connections allow. Otherwise that many a second, evenly, however long the responses take.
 */
export interface LoadTask {
  readonly url: string
  /** The process under test, whose processor time is counted. */
  readonly pid: number
  readonly workload: Workload
  readonly seconds: number
  readonly connections: number
  readonly rate: number | null
}

export interface LoadAnswer {
  /** Answered 2xx. */
  readonly perSecond: number
  /** Turned away by the door (503). The service may do that when it must; every other failure ends the benchmark. */
  readonly refused: number
  /** Processor time of the answering process, a request; null where the system does not tell. */
  readonly cpuMicros: number | null
  /** From the moment the request was due, in milliseconds; empty at full speed. */
  readonly latencies: readonly number[]
}

/** Made before the clock starts. Connections that use theirs up begin again. */
const MIN_REQUESTS_A_CONNECTION = 1_000
const MAX_REQUESTS_A_SECOND = 4_000
const REFUSED = 503

serveTasks<LoadTask, LoadAnswer>((task) => (task.rate === null ? fullSpeed(task) : steady(task, task.rate)))

async function fullSpeed({ url, pid, workload, seconds, connections }: LoadTask): Promise<LoadAnswer> {
  const each = Math.max(MIN_REQUESTS_A_CONNECTION, Math.ceil((seconds * MAX_REQUESTS_A_SECOND) / connections))
  const requests = requestsOf(workload, connections * each, url)
  let clients = 0
  const cpuBefore = await cpuMillis(pid)
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 100,
    setupClient(client) {
      // Each connection has requests of its own, or all would add the same customer at the same time.
      const mine = clients++
      client.setRequests(requests.filter((_, index) => index % connections === mine))
    },
  })
  const cpuAfter = await cpuMillis(pid)
  const refused = result.statusCodeStats[REFUSED]?.count ?? 0
  const bad = result.non2xx - refused + result.errors + result.timeouts
  if (bad > 0)
    throw new Error(`${bad} of ${result['2xx'] + bad} requests to ${workload.paths[0]} were not answered 2xx`)
  const cpuMicros = cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) * 1000) / result['2xx']
  return { perSecond: result['2xx'] / result.duration, refused, cpuMicros, latencies: [] }
}

/**
 * An open loop of our own: autocannon spends a second's quota in one burst at the second's begin. A request that has to
 * wait for a connection, or for a late timer, has waited, and its latency says so.
 */
async function steady({ url, workload, seconds, connections }: LoadTask, rate: number): Promise<LoadAnswer> {
  const total = Math.floor(rate * seconds)
  const requests = requestsOf(workload, total, url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections * 4 })
  const startedAt = performance.now()
  const sent: Promise<number | null>[] = []
  let failure: unknown
  while (sent.length < total && failure === undefined) {
    const elapsed = performance.now() - startedAt
    const due = Math.min(total, Math.floor((elapsed / 1000) * rate) + 1)
    for (let index = sent.length; index < due; index += 1) {
      const dueAt = startedAt + (index / rate) * 1000
      const answered = send(url, requests[index], agent).then((done) => (done ? performance.now() - dueAt : null))
      answered.catch((error: unknown) => {
        failure ??= error
      })
      sent.push(answered)
    }
    await delay(1)
  }
  const latencies = (await Promise.all(sent)).filter((millis) => millis !== null)
  const perSecond = latencies.length / ((performance.now() - startedAt) / 1000)
  agent.destroy()
  return { perSecond, refused: total - latencies.length, cpuMicros: null, latencies }
}

/** False: the door turned it away. */
function send(url: string, asked: Request | undefined, agent: Agent): Promise<boolean> {
  if (asked === undefined) throw new Error('There are fewer requests than due.')
  const { method, path, headers, body } = asked
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, (response) => {
      const { statusCode = 0 } = response
      response.resume().on('error', reject)
      response.on('end', () => {
        if (statusCode >= 200 && statusCode < 300) resolve(true)
        else if (statusCode === REFUSED) resolve(false)
        else reject(new Error(`${method} ${path} was answered ${statusCode}`))
      })
    })
    sent.on('error', reject).end(body)
  })
}
