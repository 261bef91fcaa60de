import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { limitStep } from '../../http/rate-limit-fields.ts'
import { checkParams } from '../../http/route-chain.ts'
import type { MerchantService } from '../../merchants/service.ts'
import { perDocument } from './credential.ts'
import type { SurfacePage } from './page.ts'

interface PageDeps {
  page: SurfacePage
  merchants: MerchantService
  limiter: RateLimiter
}

/**
 * `GET /s/{merchant}/{session}`: the page, the same for every cardholder but for who may frame it. It shows nothing until its
 * script has traded the launch secret, which this request never carries. An unknown merchant may frame it nowhere.
 */
export function servePage({ page, merchants, limiter }: PageDeps) {
  return (app: FastifyInstance): void => {
    app.get<{ Params: { merchantId: string; sessionId: string } }>(
      '/s/:merchantId/:sessionId',
      { onRequest: limitStep(limiter, perDocument) },
      async (request, reply) => {
        checkParams(request.params)
        const merchant = await merchants.findMerchant(request.params.merchantId)
        const { body, headers } = page.encoded(request.headers['accept-encoding'])
        return reply.headers({ ...page.headers(merchant?.allowedOrigins ?? []), ...headers }).send(body)
      },
    )
  }
}
