import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { limitStep } from '../../http/rate-limit-fields.ts'
import { perDocument } from './credential.ts'

/**
 * The document by which browsers let the page of owners use passkeys of the surface's host, where it is at no host
 * below that (WebAuthn, related origins). The browser may ask then: an answer still counts by its one origin.
 */
export function serveRelatedOrigins({ origins, limiter }: { origins: readonly string[]; limiter: RateLimiter }) {
  return (app: FastifyInstance): void => {
    if (origins.length === 0) return
    const document = JSON.stringify({ origins })
    app.get('/.well-known/webauthn', { onRequest: limitStep(limiter, perDocument) }, async (_request, reply) =>
      reply.type('application/json').header('cache-control', 'no-cache').send(document),
    )
  }
}
