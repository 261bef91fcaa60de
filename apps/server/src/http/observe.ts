import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../platform/metrics.ts'

export type ObserveRequest = (host: string, request: FastifyRequest, reply: FastifyReply) => void

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx']

/**
 * Declares how long requests take. The route is its pattern, as in the log: what a caller wrote into a path or as a
 * method is no label. What takes the labels is looked up once a route and status.
 */
export function observeRequests(metrics: Metrics): ObserveRequest {
  const durations = metrics.durations({
    name: 'http_request_seconds',
    help: 'How long requests took, by host, route and class of status.',
    labels: ['host', 'route', 'status'],
  })
  const known = new Map<string, (seconds: number) => void>()
  return (host, request, reply) => {
    const pattern = request.routeOptions.url
    const route = pattern === undefined ? 'unknown' : `${request.method} ${pattern}`
    const status = CLASSES[Math.floor(reply.statusCode / 100) - 1] ?? '5xx'
    const key = `${host} ${route} ${status}`
    let observe = known.get(key)
    if (observe === undefined) {
      observe = durations({ host, route, status })
      known.set(key, observe)
    }
    observe(reply.elapsedTime / 1000)
  }
}
