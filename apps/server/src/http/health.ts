import { Client, type ClientConfig } from 'pg'
import { Type } from 'typebox'
import { unavailable } from '../platform/errors.ts'
import { open } from './credential.ts'
import { type Route, route } from './route.ts'

export interface HealthDeps {
  /** Where the database is, as the pool was told. */
  connection: string | ClientConfig
}

const PING_TIMEOUT_MILLIS = 1_000
/** Everyone may ask; a thousand requests a second are one query to the database. */
const ANSWER_LASTS_MILLIS = 1_000

const Ok = Type.Object({ status: Type.Literal('ok') })

/** `GET /health`: the process responds. `GET /ready`: it can also reach its database, so traffic may be sent to it. */
export function healthRoutes({ connection }: HealthDeps): readonly Route[] {
  const ping = remembered(() => pingDatabase(connection))
  return [
    route({
      method: 'GET',
      path: '/health',
      operationId: 'getHealth',
      summary: 'Is the process alive',
      tag: 'Health',
      auth: open('Load balancers and supervisors hold no key; the response says nothing about a caller.'),
      limit: null,
      status: 200,
      response: Ok,
      errors: [],
      // Never touches the database: a restart would not bring it back.
      handler: async () => ({ status: 'ok' as const }),
    }),
    route({
      method: 'GET',
      path: '/ready',
      operationId: 'getReadiness',
      summary: 'Can the process do its work',
      tag: 'Health',
      auth: open('Load balancers hold no key; the response says nothing about a caller.'),
      limit: null,
      status: 200,
      response: Ok,
      errors: [unavailable],
      handler: async () => {
        await ping()
        return { status: 'ok' as const }
      },
    }),
  ]
}

/** A connection of its own: a pool that is busy or full must not make the node look dead. */
async function pingDatabase(connection: string | ClientConfig): Promise<void> {
  const target = typeof connection === 'string' ? { connectionString: connection } : connection
  const client = new Client({
    ...target,
    application_name: 'mintmark-ready',
    connectionTimeoutMillis: PING_TIMEOUT_MILLIS,
    query_timeout: PING_TIMEOUT_MILLIS,
  })
  // Without a listener a connection lost between the calls below would end the process.
  client.on('error', () => {})
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The database did not answer in time.')), PING_TIMEOUT_MILLIS)
  try {
    await Promise.race([client.connect().then(() => client.query('select 1')), late])
  } catch (error) {
    throw unavailable({ cause: error, retryAfterSeconds: 1 })
  } finally {
    clearTimeout(timer)
    client.end().catch(() => {})
  }
}

/** One call at a time, and its outcome serves all requests within a second. */
function remembered(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null
  let staleAt = 0
  return () => {
    if (current === null || performance.now() > staleAt) {
      staleAt = Number.POSITIVE_INFINITY
      current = work().finally(() => {
        staleAt = performance.now() + ANSWER_LASTS_MILLIS
      })
    }
    return current
  }
}
