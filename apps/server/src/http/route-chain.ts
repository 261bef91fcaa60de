import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { fieldErrors, notFound } from '../platform/errors.ts'
import type { Authenticators } from './authenticator.ts'
import type { AuthenticationGuard } from './failed-authentication.ts'
import type { RateLimiter } from './rate-limit.ts'
import { applyRateLimit, limitKey } from './rate-limit-fields.ts'
import type { AuthKind, Callers, RequestContext, Route } from './route.ts'
import { checkContentHeaders } from './strict-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authenticator of the row; null before, and on public routes. */
    caller: Callers[AuthKind]
  }
}

export interface ChainDeps {
  readonly authenticators: Authenticators
  readonly limiter: RateLimiter
  readonly guard: AuthenticationGuard
}

type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
type InstantStep = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Longer than any id this service hands out or accepts. */
export const LONGEST_PARAM = 255

/**
 * Registers one row. The order of steps is the guarantee: who is calling and how often is settled before a byte of the
 * body is read, and the handler sees only what the schemas allow.
 *
 *   authenticate → limit rate → check content headers → (parse body) → check params, body → (validate) → handler → (render)
 */
export function addRoute(app: FastifyInstance, row: Route, deps: ChainDeps): void {
  checkRow(row, deps.authenticators)
  app.route({
    method: row.method,
    url: row.path,
    schema: {
      ...(row.params && { params: row.params }),
      ...(row.body && { body: row.body }),
      ...(row.query && { querystring: row.query }),
      response: { [row.status]: row.response },
    },
    onRequest: [
      ...(row.auth === 'public' ? [] : [authenticate(row, deps)]),
      ...(row.rateLimit === 'none' ? [] : [limitRate(row, deps.limiter)]),
      checkHeaders,
    ],
    preValidation: checkInput(row),
    handler: handle(row),
  } as RouteOptions)
}

/** What a type cannot say about a row; found when the host is built, not when the first caller comes. */
function checkRow(row: Route, authenticators: Authenticators): void {
  const name = `Route ${row.operationId} (${row.method} ${row.path})`
  if (row.auth === 'public' && !row.publicReason) throw new Error(`${name} is public and gives no reason.`)
  if (row.auth !== 'public' && authenticators[row.auth] === undefined) {
    throw new Error(`${name} needs an authenticator for ${row.auth}, and the host has none.`)
  }
  if (row.method === 'GET' && row.body !== undefined) throw new Error(`${name} must not take a body.`)
}

function authenticate(row: Route, { authenticators, guard }: ChainDeps): Step {
  const resolve = authenticators[row.auth]
  if (resolve === undefined) throw new Error(`There is no authenticator for ${row.auth}.`)
  return async function authenticateCaller(request, reply) {
    const checking = guard.check(request, reply)
    if (checking !== undefined) await checking
    try {
      request.caller = await resolve(request.headers.authorization)
    } catch (error) {
      throw await guard.failed(request, reply, error)
    }
    guard.succeeded(request)
  }
}

function limitRate({ rateLimit }: Route, limiter: RateLimiter): Step {
  if (rateLimit === 'none') throw new Error('A row without a rate limit has no such step.')
  return (request, reply) => applyRateLimit(limiter, rateLimit, limitKey(rateLimit, request), reply)
}

const checkHeaders: InstantStep = (request, _reply, done) => {
  checkContentHeaders(request.raw.headers)
  done()
}

/** What the schemas cannot see, in one step. */
function checkInput(row: Route): InstantStep {
  const hasParams = row.path.includes(':')
  const takesQuery = row.query !== undefined
  const takesBody = row.body !== undefined
  return function checkInputOfRoute(request, _reply, done) {
    if (hasParams) checkParams(request.params as Record<string, string>)
    if (request.raw.url?.includes('?')) checkQuery(request.query as Record<string, unknown>, takesQuery)
    if (takesBody && request.body === undefined) throw fieldErrors({ body: 'is required' })
    if (!takesBody && request.body !== undefined) checkEmpty(request.body)
    done()
  }
}

/** No id contains a control character; the database would refuse U+0000 with an error of its own. */
function checkParams(params: Record<string, string>): void {
  for (const name in params) {
    const value = params[name] ?? ''
    if (value === '' || value.length > LONGEST_PARAM || /\p{Cc}/u.test(value)) throw notFound()
  }
}

function checkQuery(query: Record<string, unknown>, takesQuery: boolean): void {
  const problems = new Map<string, string>()
  for (const [name, value] of Object.entries(query)) {
    if (!takesQuery) problems.set(name.slice(0, 64), 'is not a known parameter')
    else if (/\p{Cc}/u.test(`${name}${value}`)) problems.set(name.slice(0, 64), 'must not contain control characters')
  }
  if (problems.size > 0) throw fieldErrors(Object.fromEntries(problems))
}

function checkEmpty(body: unknown): void {
  if (!isEmptyObject(body)) throw fieldErrors({ body: 'must be empty: this operation takes none' })
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

function handle(row: Route) {
  return async function handleRequest(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const context: RequestContext<AuthKind, unknown, unknown, unknown> = {
      caller: request.caller,
      params: request.params,
      query: request.query,
      body: request.body,
      responseId: request.id,
      setHeader: (name, value) => {
        reply.header(name, value)
      },
    }
    const result = await row.handler(context as RequestContext<never, never, never, never>)
    if (result === undefined) throw new TypeError(`The handler of ${row.operationId} returned nothing.`)
    if (row.status !== 200) reply.code(row.status)
    return result
  }
}
