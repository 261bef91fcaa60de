import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { fieldErrors, notFound } from '../platform/errors.ts'
import { authenticate, checkBodyProof, checksOf } from './authenticate.ts'
import { type CheckedCredential, isOpen } from './credential.ts'
import type { Envelope } from './envelope.ts'
import type { AuthenticationGuard } from './failed-authentication.ts'
import type { RateLimiter } from './rate-limit.ts'
import { limitStep } from './rate-limit-fields.ts'
import type { RequestContext, Route } from './route.ts'
import { checkContentHeaders } from './strict-json.ts'

export interface ChainDeps {
  credentials: readonly CheckedCredential[]
  limiter: RateLimiter
  guard: AuthenticationGuard
  envelope: Envelope
}

type InstantStep = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Longer than any id this service hands out or accepts. */
export const LONGEST_PARAM = 255

/**
 * Registers one row. The order of steps is the guarantee: who is calling and how often is settled before a byte of the
 * body is read, and the handler sees only what the schemas allow.
 *
 *   authenticate → limit rate → check content headers → (parse body) → check the credential's body digest
 *     → check params, body → (validate) → handler → (render)
 */
export function addRoute(app: FastifyInstance, row: Route, deps: ChainDeps): void {
  checkRow(row)
  const checks = checksOf(row, deps.credentials)
  app.route({
    method: row.method,
    url: row.path,
    schema: {
      ...(row.params && { params: row.params }),
      ...(row.body && { body: row.body }),
      ...(row.query && { querystring: row.query }),
      response: { [row.status]: deps.envelope.success?.schema(row.response) ?? row.response },
    },
    onRequest: [
      ...(checks === null ? [] : [authenticate(checks, deps.guard)]),
      ...(row.limit === null ? [] : [limitStep(deps.limiter, row.limit)]),
      checkHeaders,
    ],
    preValidation: [
      ...(checks?.some(({ checkBody }) => checkBody !== undefined) ? [checkBodyProof(deps.guard)] : []),
      checkInput(row),
    ],
    handler: handle(row, deps.envelope),
  } as RouteOptions)
}

/** What a type cannot say about a row; found when the host is built, not when the first caller comes. */
function checkRow(row: Route): void {
  const name = `Route ${row.operationId} (${row.method} ${row.path})`
  if (isOpen(row.auth) && row.auth.reason === '') throw new Error(`${name} is open and gives no reason.`)
  if (row.method === 'GET' && row.body !== undefined) throw new Error(`${name} must not take a body.`)
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

function handle(row: Route, { success }: Envelope) {
  return async function handleRequest(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { caller, params, query, body } = request
    const context: RequestContext<unknown, unknown, unknown, unknown> = { caller, params, query, body }
    const result = await row.handler(context as RequestContext<never, never, never, never>)
    if (result === undefined) throw new TypeError(`The handler of ${row.operationId} returned nothing.`)
    if (row.status !== 200) reply.code(row.status)
    return success === undefined ? result : success.body(result, request.id)
  }
}
