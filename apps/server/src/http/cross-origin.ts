import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../platform/errors.ts'
import type { Limit } from './limit.ts'
import type { RateLimiter } from './rate-limit.ts'
import { limitStep } from './rate-limit-fields.ts'
import type { Route } from './route.ts'

/** Which pages may call rows that say so (CORS). */
export interface CrossOrigin {
  /** Whether pages of this origin may call at all. Whose page it is, the credential says. */
  isAllowed(origin: string): Promise<boolean>
  /** Counts the questions that browsers ask before a call. */
  limit: Limit<null>
}

/** What a page may read of a response besides its body. */
const READABLE = 'x-response-id, retry-after, ratelimit, ratelimit-policy'
/** How long a browser may remember the permission, in seconds. */
const REMEMBERED_SECONDS = '600'

type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** First of a row's steps, so that a page can read its errors too. Pages of other origins can read nothing. */
export function allowOrigin({ isAllowed }: Pick<CrossOrigin, 'isAllowed'>): Step {
  return async (request, reply) => {
    // Also without the header: a cache must not give one page what was meant for another.
    reply.header('vary', 'origin')
    const { origin } = request.headers
    if (origin === undefined || !(await isAllowed(origin))) return
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', READABLE)
  }
}

/** Responds to the question that a browser asks before it calls the row. A page that may not call finds nothing there. */
export function addPreflight(
  app: FastifyInstance,
  { path, method }: Route,
  crossOrigin: CrossOrigin & { limiter: RateLimiter },
): void {
  const { limiter, limit } = crossOrigin
  const onRequest = [limitStep(limiter, limit), allowOrigin(crossOrigin)]
  app.options(path, { onRequest }, async (request, reply) => {
    const isAllowed = reply.hasHeader('access-control-allow-origin')
    if (!isAllowed || request.headers['access-control-request-method'] !== method) {
      reply.removeHeader('access-control-allow-origin')
      throw notFound()
    }
    return reply
      .code(204)
      .header('access-control-allow-methods', method)
      .header('access-control-allow-headers', 'authorization, content-type')
      .header('access-control-max-age', REMEMBERED_SECONDS)
      .send()
  })
}
