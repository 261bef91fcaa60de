import type { Client, Pool } from 'pg'
import { Type } from 'typebox'
import { createClient, endClient } from '../db/client.ts'
import { type Connection, refuseReadOnly } from '../db/pool.ts'
import { lacksSpace, tryWrite } from '../db/space.ts'
import { unavailable } from '../platform/errors.ts'
import { remembered } from '../platform/remembered.ts'
import { open } from './credential.ts'
import { closedSinceRestore } from './errors.ts'
import { type Route, route } from './route.ts'

export interface ReadinessDeps {
  /** Where the database is, as the pool was told. */
  connection: Connection
  /** Whose writes must succeed. */
  pool: Pool
  /** Jobs that do nothing but fail; none where the process runs none. */
  failingJobs: () => readonly string[]
  /** Whether the hosts let no request in, since a restore. */
  isShut?: () => boolean
  /** How long the database may take to answer. */
  pingMillis?: number
}

const PING_MILLIS = 1_000
const SETTINGS = { application_name: 'mintmark-ready', keepAlive: true }
/** Everyone may ask; a thousand requests a second are one query to the database. */
const ANSWER_LASTS_MILLIS = 1_000

const Ok = Type.Object(
  { status: Type.Literal('ok', { description: 'Always the same.' }) },
  { title: 'Health', description: 'All is well.' },
)
const EXAMPLE = { response: { status: 'ok' } } as const

/** `GET /health`: the process responds. `GET /ready`: it can also take work and write to its database. */
export function healthRoutes(readiness: Pick<Readiness, 'check'>): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      operationId: 'getHealth',
      summary: 'Is the process alive',
      description: 'Says nothing about the database: a restart would not bring it back.',
      tag: 'Health',
      auth: open('Load balancers and supervisors hold no key; the response says nothing about a caller.'),
      limit: null,
      status: 200,
      response: Ok,
      example: EXAMPLE,
      errors: [],
      // Never touches the database: a restart would not bring it back.
      handler: async () => ({ status: 'ok' as const }),
    }),
    route({
      method: 'GET',
      path: '/ready',
      operationId: 'getReadiness',
      summary: 'Can the process do its work',
      description:
        'Whether it takes work, can write to its database, and does what it runs beside: send it requests. True while it turns away what is too much.',
      tag: 'Health',
      auth: open('Load balancers hold no key; the response says nothing about a caller.'),
      limit: null,
      status: 200,
      response: Ok,
      example: EXAMPLE,
      errors: [unavailable],
      handler: async () => {
        await readiness.check()
        return { status: 'ok' as const }
      },
    }),
  ]
}

/** For the log. */
class JobsFailError extends Error {
  override readonly name = 'JobsFailError'

  constructor(jobs: readonly string[]) {
    super(`Every run of these jobs has failed for half a minute: ${jobs.join(', ')}.`)
  }
}

/** Whether to send this process work. */
export interface Readiness {
  /** Throws when it should get none. */
  check(): Promise<void>
  /** It gets none before this has ended, well or not. */
  awaits(start: Promise<unknown>): void
  /** Ends when nothing is awaited any more. */
  begun(): Promise<void>
  /** Ends its connection. From then on it should get none. */
  close(): Promise<void>
}

/**
 * Asks on a connection of its own, which it keeps: neither a pool that is busy nor a server on which others have used up
 * the connections must make the node look dead. It is opened again after each failure, because only a new one reaches a
 * new primary. The door has no say: a node that sheds what is too much does as much as it can, and where all nodes are at their limit a
 * balancer that took them out would end the service.
 */
export function createReadiness(deps: ReadinessDeps): Readiness {
  const { connection, pool, failingJobs, isShut = () => false, pingMillis = PING_MILLIS } = deps
  const settings = { ...SETTINGS, connectionTimeoutMillis: pingMillis, query_timeout: pingMillis }
  let kept: Client | undefined
  let isClosed = false
  const starts = new Set<Promise<unknown>>()
  async function ask(client: Client): Promise<void> {
    if (client !== kept) {
      await client.connect()
      kept = client
      client.once('end', () => {
        if (kept === client) kept = undefined
      })
    }
    await refuseReadOnly(client)
    if (lacksSpace(pool)) await tryWrite(pool, client)
  }
  const probe = remembered(ANSWER_LASTS_MILLIS, async () => {
    const client = kept ?? createClient(connection, settings)
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error('The database did not answer in time.')), pingMillis)
    try {
      await Promise.race([ask(client), late])
    } catch (error) {
      kept = undefined
      client.end().catch(() => {})
      throw unavailable({ cause: error, retryAfterSeconds: 1 })
    } finally {
      clearTimeout(timer)
    }
  })
  return {
    async check() {
      if (isClosed || starts.size > 0) throw unavailable({ retryAfterSeconds: 1 })
      if (isShut()) throw closedSinceRestore
      const failing = failingJobs()
      if (failing.length > 0) throw unavailable({ cause: new JobsFailError(failing), retryAfterSeconds: 1 })
      await probe()
    },
    awaits(start) {
      const ended = start.catch(() => undefined).finally(() => starts.delete(ended))
      starts.add(ended)
    },
    async begun() {
      await Promise.all(starts)
    },
    async close() {
      isClosed = true
      if (kept !== undefined) await endClient(kept)
      kept = undefined
    },
  }
}
