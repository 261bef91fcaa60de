import { fastify } from 'fastify'
import type { Readiness } from '../../http/health.ts'
import type { Log } from '../../platform/log.ts'
import type { MetricsRegistry } from '../../platform/metrics-registry.ts'

interface ListenerOptions {
  registry: MetricsRegistry
  readiness: Pick<Readiness, 'check'>
  host: string
  port: number
  log: Log
}

export interface MetricsListener {
  url: string
  close(): Promise<void>
}

const REQUEST_MILLIS = 5_000
/** Those who watch are few. */
const MAX_CONNECTIONS = 20

/**
 * `GET /metrics` on a port of its own, for those who run the service: it holds no secret, but is no business of others. It
 * takes no place at the door, so a process that refuses requests can still be watched. And `GET /ready`, for workers have no host of
 * their own.
 */
export async function listenForMetrics({
  registry,
  readiness,
  host,
  port,
  log,
}: ListenerOptions): Promise<MetricsListener> {
  const app = fastify({ logger: false, requestTimeout: REQUEST_MILLIS, forceCloseConnections: true })
  app.server.headersTimeout = REQUEST_MILLIS
  app.server.maxConnections = MAX_CONNECTIONS
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send())
  app.setErrorHandler((error, _request, reply) => {
    log.failure('the metrics cannot be written', error)
    return reply.code(500).send()
  })
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.render()))
  app.get('/ready', async (_request, reply) => {
    const isReady = await readiness.check().then(
      () => true,
      () => false,
    )
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready' })
  })
  const url = await app.listen({ host, port })
  return { url, close: () => app.close() }
}
