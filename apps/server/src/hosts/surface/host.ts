import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { limitStep } from '../../http/rate-limit-fields.ts'
import { checkParams } from '../../http/route-chain.ts'
import type { MerchantService } from '../../merchants/service.ts'
import { noSuchRoute } from '../../platform/errors.ts'
import { perDocument } from './credential.ts'
import type { SurfacePage } from './page.ts'

/** The name has the version in it, so they never change. */
const OF_WORDS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'accept-encoding',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}

interface PageDeps {
  page: SurfacePage
  merchants: MerchantService
  limiter: RateLimiter
}

/**
 * `GET /s/{merchant}/{session}`: the page, the same for every cardholder but for its language and who may frame it. It
 * shows nothing until its script has traded the launch secret, which this request never carries. An unknown merchant
 * may frame it nowhere. The session's own language is not looked up: a stranger with an address must not learn what is
 * behind it. The page asks for those words itself.
 */
export function servePage({ page, merchants, limiter }: PageDeps) {
  return (app: FastifyInstance): void => {
    app.get<{ Params: { merchantId: string; sessionId: string } }>(
      '/s/:merchantId/:sessionId',
      { onRequest: limitStep(limiter, perDocument) },
      async (request, reply) => {
        checkParams(request.params)
        const merchant = await merchants.findMerchant(request.params.merchantId)
        const document = page.document(request.headers['accept-language'])
        const { body, headers } = document.encoded(request.headers['accept-encoding'])
        return reply.headers({ ...document.headers(merchant?.allowedOrigins ?? []), ...headers }).send(body)
      },
    )
    // The same for every caller, whoever is named: it shows nothing before a passkey was asked for. No page frames it.
    app.get<{ Params: { merchantId: string } }>(
      '/permissions/:merchantId',
      { onRequest: limitStep(limiter, perDocument) },
      async (request, reply) => {
        checkParams(request.params)
        const document = page.permissions(request.headers['accept-language'])
        const { body, headers } = document.encoded(request.headers['accept-encoding'])
        return reply.headers({ ...document.headers([]), ...headers }).send(body)
      },
    )
    app.get<{ Params: { name: string } }>(
      '/texts/:name',
      { onRequest: limitStep(limiter, perDocument) },
      async ({ params, headers: asked }, reply) => {
        checkParams(params)
        const words = page.words(params.name)
        if (words === undefined) throw noSuchRoute()
        const { body, headers } = words(asked['accept-encoding'])
        return reply.headers({ ...OF_WORDS, ...headers }).send(body)
      },
    )
  }
}
