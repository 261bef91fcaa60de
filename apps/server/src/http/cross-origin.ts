import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../platform/errors.ts'
import type { Limit } from './limit.ts'
import type { RateLimiter } from './rate-limit.ts'
import { limitStep } from './rate-limit-fields.ts'
import type { Route } from './route.ts'

/** Which pages may call rows that say so (CORS). */
export interface CrossOrigin {
  /** Whether pages of this origin may call at all. The credential says which page it is. */
  isAllowed(origin: string): Promise<boolean>
  /** Counts the questions that browsers ask before a call. */
  limit: Limit<null>
}

/** What a page may read of a response besides its body. */
const READABLE = 'x-response-id, retry-after, ratelimit, ratelimit-policy'
/** How long a browser may remember the permission, in seconds. */
const REMEMBERED_SECONDS = '600'

type InstantStep = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void

/**
 * First of a row's steps: also without a header for the page a cache must not give one page what was meant for another.
 */
export const varyByOrigin: InstantStep = (_request, reply, done) => {
  reply.header('vary', 'origin')
  done()
}

/**
 * Right after the credential, so that a page can read what is refused later. A page of another account, or with a wrong
 * key, can read nothing: not even that it was refused.
 */
export const allowPage: InstantStep = ({ credential, headers: { origin } }, reply, done) => {
  if (credential?.credential.isOfPage === true && origin !== undefined) allow(reply, origin)
  done()
}

function allow(reply: FastifyReply, origin: string): void {
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', READABLE)
}

/**
 * Responds to the question that a browser asks before it calls the row. A page that may not call finds nothing there.
 */
export function addPreflight(
  app: FastifyInstance,
  { path, method }: Route,
  { isAllowed, limit, limiter }: CrossOrigin & { limiter: RateLimiter },
): void {
  const onRequest = [varyByOrigin, limitStep(limiter, limit)]
  app.options(path, { onRequest }, async ({ headers }, reply) => {
    const { origin, 'access-control-request-method': wanted } = headers
    if (origin === undefined || wanted !== method || !(await isAllowed(origin))) throw notFound()
    allow(reply, origin)
    return reply
      .code(204)
      .header('access-control-allow-methods', method)
      .header('access-control-allow-headers', 'authorization, content-type')
      .header('access-control-max-age', REMEMBERED_SECONDS)
      .send()
  })
}
