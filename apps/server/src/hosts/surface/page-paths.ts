import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { limitStep } from '../../http/rate-limit-fields.ts'
import { checkParams } from '../../http/route-chain.ts'
import { perDocument } from './credential.ts'
import type { BuiltPage } from './page.ts'

/** One document at several addresses, which no page may frame. */
export function servePaths(
  app: FastifyInstance,
  paths: readonly string[],
  { page, limiter }: { page: BuiltPage; limiter: RateLimiter },
): void {
  for (const path of paths) {
    app.get<{ Params: Record<string, string> }>(
      path,
      { onRequest: limitStep(limiter, perDocument) },
      async (request, reply) => {
        checkParams(request.params)
        const { body, headers } = page.encoded(request.headers['accept-encoding'])
        return reply.headers({ ...page.headers([]), ...headers }).send(body)
      },
    )
  }
}
