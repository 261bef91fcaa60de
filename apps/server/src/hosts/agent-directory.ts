import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOwnAuthority, type OwnAddress } from '../agents/claim.ts'
import type { AgentDirectory, SignedDocument } from '../agents/directory.ts'
import { agentsHeldSinceRestore } from '../http/errors.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import { limitStep } from '../http/rate-limit-fields.ts'
import { checkParams } from '../http/route-chain.ts'
import { notFound } from '../platform/errors.ts'
import { perDocument } from './surface/credential.ts'

interface DirectoryDeps extends Omit<OwnAddress, 'clock'> {
  directory: AgentDirectory
  /** Whether a restore holds agents: one that was revoked since would be shown again. */
  isHeld: () => boolean
  limiter: RateLimiter
}

/** Public, and old after half a minute: an agent that is revoked or taken back is gone from every cache within a minute. */
const HEADERS = { 'cache-control': 'public, max-age=30', 'access-control-allow-origin': '*' }
const DIRECTORY_TYPE = 'application/http-message-signatures-directory+json'

/**
 * The directory of agents (draft-ietf-webbotauth-httpsig-protocol) and their cards (draft-meunier-webbotauth-registry). They have media types
 * of their own and are signed, so they are no rows of the table.
 */
export function serveAgentDirectory({ directory, limiter, isHeld, ...own }: DirectoryDeps) {
  const host = new URL(own.apiUrl).host
  const onRequest = [
    limitStep(limiter, perDocument),
    (_request: unknown, _reply: unknown, done: (error?: Error) => void) =>
      done(isHeld() ? agentsHeldSinceRestore : undefined),
  ]

  function send(request: FastifyRequest, reply: FastifyReply, { body, digest, signedFor }: SignedDocument) {
    const asked = request.headers.host ?? ''
    const etag = `"${digest.slice('sha-256=:'.length, -1)}"`
    // Only for names of this server: with another one, its owner could show these keys as their own.
    const signature = signedFor(isOwnAuthority(asked, own) ? asked.toLowerCase() : host)
    reply.headers({ ...HEADERS, etag, 'content-digest': digest, ...signature })
    const isKnown = request.headers['if-none-match']?.split(',').some((known) => known.trim() === etag) ?? false
    // As bytes, or a charset would be added to the type.
    return isKnown ? reply.code(304).send() : reply.send(Buffer.from(body))
  }

  return (app: FastifyInstance): void => {
    app.get('/.well-known/http-message-signatures-directory', { onRequest }, async (request, reply) =>
      send(request, reply.type(DIRECTORY_TYPE), await directory.read()),
    )
    app.get<{ Params: { agentId: string } }>('/v1/agents/:agentId/card', { onRequest }, async (request, reply) => {
      checkParams(request.params)
      const card = await directory.card(request.params.agentId)
      if (card === null) throw notFound()
      return send(request, reply.type('application/json; charset=utf-8'), card)
    })
  }
}
