import type { FastifyInstance } from 'fastify'
import { CARD_ART_PATH, drawArt } from '../cards/art.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import { limitStep } from '../http/rate-limit-fields.ts'
import { checkParams } from '../http/route-chain.ts'
import { notFound } from '../platform/errors.ts'
import { perDocument } from './surface/credential.ts'

/**
 * What is drawn never changes: the address says all of it. Any page may show it, and as a document it may do nothing.
 */
const HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}

/** The art of cards: pictures, and so no rows of the table. */
export function serveCardArt({ limiter }: { limiter: RateLimiter }) {
  return (app: FastifyInstance): void => {
    app.get<{ Params: { file: string } }>(
      `${CARD_ART_PATH}/:file`,
      { onRequest: limitStep(limiter, perDocument) },
      async (request, reply) => {
        checkParams(request.params)
        const [, name = ''] = /^(.*)\.svg$/.exec(request.params.file) ?? []
        const drawing = drawArt(name)
        if (drawing === null) throw notFound()
        return reply.headers(HEADERS).send(drawing)
      },
    )
  }
}
