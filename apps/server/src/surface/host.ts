import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import type { RateLimiter } from '../http/rate-limit.ts'
import { applyRateLimit, limitKey } from '../http/rate-limit-fields.ts'
import type { MerchantService } from '../merchants/service.ts'
import type { SurfacePage } from './page.ts'

interface PageDeps {
  page: SurfacePage
  merchants: MerchantService
  limiter: RateLimiter
  pool: Pool
}

/**
 * `GET /s/{merchant}/{session}`: the page, the same for everybody but for who may frame it. It shows nothing until its
 * script has traded the launch secret, which this request never carries. An unknown merchant may frame it nowhere.
 */
export function servePage({ page, merchants, limiter, pool }: PageDeps) {
  return (app: FastifyInstance): void => {
    app.get<{ Params: { merchantId: string; sessionId: string } }>(
      '/s/:merchantId/:sessionId',
      { onRequest: (request, reply) => applyRateLimit(limiter, 'document', limitKey('document', request), reply) },
      async (request, reply) => {
        const merchant = await merchants.findMerchant(pool, request.params.merchantId)
        return reply.headers(page.headers(merchant?.allowedOrigins ?? [])).send(page.html)
      },
    )
  }
}
