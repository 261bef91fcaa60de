import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { limitStep } from '../../http/rate-limit-fields.ts'
import { checkParams } from '../../http/route-chain.ts'
import { perDocument } from '../surface/credential.ts'
import { loadSurfacePage, type SurfacePage } from '../surface/page.ts'

const BUILT_PAGE = new URL('../../../../wallet/dist/index.html', import.meta.url)
const PATHS = ['/', '/links/:id', '/escalations/:id']

const OPERATOR = '<meta name="operator" content="Mintmark"'

/** The page as it was built, under the operator's name. */
export const loadOwnerPage = (operatorName: string): Promise<SurfacePage> =>
  loadSurfacePage(BUILT_PAGE, 'page of owners', (html) =>
    html.replace(OPERATOR, () => OPERATOR.replace('Mintmark', () => attribute(operatorName))),
  )

const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** One document at every address: it shows nothing of an owner until its script has asked. No page may frame it. */
export function serveOwnerPage({ page, limiter }: { page: SurfacePage; limiter: RateLimiter }) {
  return (app: FastifyInstance): void => {
    for (const path of PATHS) {
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
}
