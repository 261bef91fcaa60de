import type { FastifyInstance, FastifyReply } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { limitStep } from '../../http/rate-limit-fields.ts'
import { checkParams } from '../../http/route-chain.ts'
import type { MerchantService } from '../../merchants/service.ts'
import { noSuchRoute } from '../../platform/errors.ts'
import { perDocument } from './credential.ts'

interface LogoDeps {
  merchants: MerchantService
  limiter: RateLimiter
  /** The operator's own, by its path. */
  operatorLogo: { path: string; image: Buffer } | null
}

/** The images that pages of the surface show. They are pictures and nothing else: a visitor who opens one alone gets no page of this origin. */
export function serveLogos({ merchants, limiter, operatorLogo }: LogoDeps) {
  return (app: FastifyInstance): void => {
    app.get<{ Params: { owner: string; name: string } }>(
      '/logos/:owner/:name',
      { onRequest: limitStep(limiter, perDocument) },
      async ({ params, url }, reply) => {
        checkParams(params)
        if (operatorLogo !== null && url === operatorLogo.path) return send(reply, operatorLogo.image)
        const image = await merchants.findLogo(params.owner, params.name)
        if (image === null) throw noSuchRoute()
        return send(reply, image)
      },
    )
  }
}

function send(reply: FastifyReply, image: Buffer) {
  return reply
    .headers({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-disposition': 'inline; filename="logo.png"',
    })
    .send(image)
}
