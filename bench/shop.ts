import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { BenchedService } from './service.ts'
import { SESSION_BODY, USER_PLACEHOLDER } from './workload.ts'

const GIVE_UP_MILLIS = 10_000

export interface Called {
  /** Zero: the caller gave up, or the connection broke. */
  status: number
  millis: number
  body: string
}

export const STEPS = ['creation', 'complete', 'result'] as const
export type Step = (typeof STEPS)[number]

/** What came of the calls in one phase. */
export interface Tally {
  statuses: Map<number, number>
  /** By step: a payment that is refused at a later step has cost all the earlier ones. */
  refusals: Record<Step, number>
  /** Milliseconds that each step took, where it was done. */
  latencies: Record<Step, number[]>
  /** Created, completed and read. */
  payments: number
}

export interface ShopOptions {
  /** The keys of its merchants, who take turns; unless given, the key of the service's own merchant. */
  secretKeys?: readonly string[]
  /** How many connections it has at most, and whether it keeps them. */
  most: number
  keepsConnections?: boolean
  /** Between the creation and what follows: none, as of a program, or as long as a person takes. */
  pauseMillis?: number
}

interface Created {
  session_id: string
  iframe_url: string
}

/** A merchant that sells, and counts what came of it. It never tries again. */
export class Shop {
  readonly tally: Tally = {
    statuses: new Map(),
    refusals: { creation: 0, complete: 0, result: 0 },
    latencies: { creation: [], complete: [], result: [] },
    payments: 0,
  }
  readonly #service: BenchedService
  readonly #agent: Agent
  readonly #secretKeys: readonly string[]
  readonly #pauseMillis: number
  #turn = 0

  constructor(service: BenchedService, options: ShopOptions) {
    const { secretKeys = [service.secretKey], most, keepsConnections = true, pauseMillis = 0 } = options
    this.#service = service
    this.#agent = new Agent({ keepAlive: keepsConnections, maxSockets: most })
    this.#secretKeys = secretKeys
    this.#pauseMillis = pauseMillis
  }

  /** One purchase from creation to result. False: refused or lost on the way. */
  async buy(): Promise<boolean> {
    const secretKey = this.#nextKey()
    const created = await this.create(secretKey)
    if (created === undefined) return false
    const { session_id: id } = created
    if (this.#pauseMillis > 0) await delay(this.#pauseMillis)
    const completed = await this.#call('complete', secretKey, 'POST', `/v1/test_helpers/sessions/${id}/complete`, '{}')
    if (completed.status !== 200) return false
    const read = await this.#call('result', secretKey, 'GET', `/v1/sessions/${id}/payment-result`)
    if (read.status !== 200) return false
    this.tally.payments += 1
    return true
  }

  /** The new session. */
  async create(secretKey = this.#nextKey()): Promise<Created | undefined> {
    const body = SESSION_BODY.replace(USER_PLACEHOLDER, `user-${performance.now()}-${this.#turn}`)
    const created = await this.#call('creation', secretKey, 'POST', '/v1/sessions', body)
    return created.status === 201 ? JSON.parse(created.body) : undefined
  }

  #nextKey(): string {
    this.#turn += 1
    return this.#secretKeys[this.#turn % this.#secretKeys.length] ?? this.#service.secretKey
  }

  async #call(step: Step, secretKey: string, method: string, path: string, body?: string): Promise<Called> {
    const authorization = `Bearer ${secretKey}`
    const sent = { agent: this.#agent, authorization, method, path, ...(body === undefined ? {} : { body }) }
    const called = await send(this.#service, sent)
    if (called.status === 503) this.tally.refusals[step] += 1
    if (called.status >= 200 && called.status < 300) this.tally.latencies[step].push(called.millis)
    this.tally.statuses.set(called.status, (this.tally.statuses.get(called.status) ?? 0) + 1)
    return called
  }

  close(): void {
    this.#agent.destroy()
  }
}

interface Sent {
  agent: Agent
  /** A path of the API, or a whole URL. */
  path: string
  method?: string
  /** The header; null: none. */
  authorization: string | null
  body?: string
}

export function send(service: BenchedService, sent: Sent): Promise<Called> {
  const { agent, path, method = 'GET', authorization, body } = sent
  const start = performance.now()
  const headers = {
    ...(authorization === null ? {} : { authorization }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve) => {
    const lost = () => resolve({ status: 0, millis: performance.now() - start, body: '' })
    const asked = request(
      new URL(path, service.url),
      { method, headers, agent, timeout: GIVE_UP_MILLIS },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('error', lost)
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, millis: performance.now() - start, body: text })
        })
      },
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', lost).end(body)
  })
}
