import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { AGENT_SCOPES } from '@mintmark/contract/agents'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { perLinking } from '../agents/credential.ts'
import type { AnyLimit } from '../http/limit.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import { limitStep } from '../http/rate-limit-fields.ts'
import { checkParams } from '../http/route-chain.ts'
import { type Authorization, OAUTH_ROUTES, requestAsTaken } from '../mcp/service.ts'
import { ownAddressStep } from './own-address.ts'
import { perDocument } from './surface/credential.ts'
import { documentOf, type PlainPage, plainPageHeaders } from './surface/plain-page.ts'

interface OAuthDeps {
  authorization: Authorization
  limiter: RateLimiter
  apiUrl: string
  isSandbox: boolean
}

const REFUSED: PlainPage = {
  title: 'Start again',
  heading: 'Start again from your app',
  text: 'This was begun in another browser, or its time is over. Nothing was allowed. Close this page, and connect again from the app that you want to use.',
}

const BROKEN: PlainPage = {
  title: 'That did not work',
  heading: 'This app asked for something that it may not',
  text: 'The request that brought you here is not valid, or its time is over. Nothing was allowed. Connect again from the app that you want to use.',
}

/** What a person reads whom a client has sent with a request that does not work. */
export const oauthErrorPage = () => ({ headers: plainPageHeaders(), body: documentOf(BROKEN) })

/** The metadata of the authorization server under each name that clients ask for. */
const METADATA = '/.well-known/oauth-authorization-server'

const AUTHORIZED: readonly (readonly ['GET' | 'POST', string, AnyLimit])[] = [
  ['GET', METADATA, perDocument],
  ['GET', OAUTH_ROUTES.jwks, perDocument],
  // Any client may ask, and each request is a row.
  ['GET', OAUTH_ROUTES.authorization, perLinking],
  ['GET', `${OAUTH_ROUTES.authorization}/:uid`, perDocument],
  ['POST', OAUTH_ROUTES.registration, perLinking],
  ['POST', OAUTH_ROUTES.token, perDocument],
  ['POST', OAUTH_ROUTES.revocation, perDocument],
]

/** OAuth for the tool protocol: what the library answers, where the browser of an owner passes, and what says where all of it is. */
export function serveOAuth(deps: OAuthDeps) {
  const { authorization, limiter } = deps
  const isOwn = ownAddressStep({ ...deps })
  return async (app: FastifyInstance): Promise<void> => {
    await app.register(async (scope) => {
      // The library reads forms and JSON by itself. That their bytes are here before it is asked is what the door wants: a place is held
      // for what is worked on, and never for a body that comes slowly.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      for (const [method, url, limit] of AUTHORIZED) {
        scope.route({
          ...{ method, url, onRequest: [limitStep(limiter, limit)] },
          handler: async (request, reply) => {
            const { raw } = hijacked(reply)
            await authorization.handle(withBody(request), raw)
            request.place?.leave()
          },
        })
      }
    })
    const onRequest = [isOwn, limitStep(limiter, perDocument)]
    app.get<{ Params: { linkId: string }; Querystring: { ticket?: string } }>(
      '/oauth/links/:linkId',
      { onRequest: limitStep(limiter, perDocument) },
      async (request, reply) => goOn(authorization, request, reply),
    )
    for (const path of ['', '/mcp']) {
      app.get(`/.well-known/oauth-protected-resource${path}`, { onRequest }, async () => resourceMetadata(deps))
    }
  }
}

async function goOn(
  authorization: Authorization,
  request: FastifyRequest<{ Params: { linkId: string }; Querystring: { ticket?: string } }>,
  reply: FastifyReply,
) {
  checkParams({ ...request.params })
  const { ticket = '' } = request.query
  const step = await authorization.consent(request.raw, reply.raw, { ...request.params, ticket: String(ticket) })
  if (step.kind === 'redirect') return reply.header('referrer-policy', 'no-referrer').redirect(step.to, 303)
  return reply.code(400).headers(plainPageHeaders()).send(documentOf(REFUSED))
}

/** The request with the bytes that were read already, and with what of it is taken. */
function withBody({ raw, body }: FastifyRequest): IncomingMessage {
  const { method, rawHeaders, httpVersion, httpVersionMajor, socket } = raw
  const [type] = (raw.headers['content-type'] ?? '').split(';')
  const text = body instanceof Buffer ? body.toString('utf8') : ''
  const taken = requestAsTaken({ url: raw.url ?? '/', type: type?.trim().toLowerCase(), body: text })
  const bytes = taken.body === text && body instanceof Buffer ? body : Buffer.from(taken.body, 'utf8')
  const whole = Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false })
  const headers = {
    ...raw.headers,
    ...(raw.headers['content-length'] !== undefined && { 'content-length': String(bytes.length) }),
  }
  const head = { method, url: taken.url, headers, rawHeaders, httpVersion, httpVersionMajor, socket }
  return Object.assign(whole, head) as unknown as IncomingMessage
}

/** The library writes the response; what every response has is written before. */
function hijacked(reply: FastifyReply): FastifyReply {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
  return reply.hijack()
}

/** RFC 9728. */
function resourceMetadata({ apiUrl }: OAuthDeps) {
  return {
    resource: `${apiUrl}/mcp`,
    authorization_servers: [apiUrl],
    scopes_supported: [...AGENT_SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Mintmark',
    resource_documentation: `${apiUrl}/docs`,
  }
}
