import type { IncomingHttpHeaders } from 'node:http'
import type { BrandedNames } from '@mintmark/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { StoredResponse } from '../db/respond-once.ts'
import {
  type DeclaredError,
  type ErrorDetails,
  fieldErrors,
  MAX_DETAILS,
  notFound,
  PublicError,
} from '../platform/errors.ts'
import { authenticate, type Checks, checkBodyProof, checksOf, spendCredential } from './authenticate.ts'
import { checkContentHeaders } from './content-headers.ts'
import { WithCookie } from './cookie.ts'
import { type CheckedCredential, challengesOf, isOpen } from './credential.ts'
import { addPreflight, allowPage, type CrossOrigin, varyByOrigin } from './cross-origin.ts'
import { type Envelope, kindOf } from './envelope.ts'
import type { AuthenticationGuard } from './failed-authentication.ts'
import { keyOf, keyProblems } from './idempotency.ts'
import { cutToBounds } from './input-bounds.ts'
import { keyedRequest } from './keyed-request.ts'
import { Page, type PagePosition } from './page.ts'
import type { RateLimiter } from './rate-limit.ts'
import { givingBack, limitStep } from './rate-limit-fields.ts'
import { RawJson } from './raw-json.ts'
import { countingRefusals, type Refusals } from './refusals.ts'
import type { RequestContext, Route } from './route.ts'
import { IS_REQUIRED } from './validation-words.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What was cut out of the body before it was validated; null when nothing was. */
    boundsFound: ErrorDetails | null
  }
  interface FastifyContextConfig {
    /** What a 401 of the row says in `WWW-Authenticate`. */
    challenges?: string
  }
}

export interface ChainDeps {
  credentials: readonly CheckedCredential[]
  limiter: RateLimiter
  guard: AuthenticationGuard
  envelope: Envelope
  brand: BrandedNames
  crossOrigin?: CrossOrigin | undefined
}

type InstantStep = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** UTF-16 units: the longest ids are names that merchants give, of up to 255 characters, which may be two units each. */
export const MAX_PARAM_LENGTH = 510

/**
 * Registers one row. The order of steps is the guarantee: the caller and how often they call are settled before a byte
 * of the body is read, and the handler sees only what the schemas allow.
 *
 *   authenticate → limit rate → use up the credential → check content headers → (parse body) → check the credential's body digest
 *     → check params, query, sizes → (validate) → refuse → handler → (render)
 */
export function addRoute(app: FastifyInstance, row: Route, deps: ChainDeps): void {
  checkRow(row)
  const checks = checksOf(row, deps.credentials)
  app.route({
    method: row.method,
    url: row.path,
    config: {
      ...{ begins: row.begins === true, goesOn: row.goesOn === true, challenges: challengesOf(row.auth) },
      ...(checks !== null && { shownBy: shownOf(checks) }),
    },
    schema: {
      ...(row.params && { params: row.params }),
      ...(row.body && { body: row.body }),
      ...(row.query && { querystring: row.query }),
      response: { [row.status]: deps.envelope.success?.schema(row.response, kindOf(row)) ?? row.response },
    },
    onRequest: [
      ...(row.crossOrigin === true ? [varyByOrigin] : []),
      ...(checks === null ? [] : [authenticate(checks, deps.guard)]),
      ...(row.crossOrigin === true ? [allowPage] : []),
      ...(row.limit === null ? [] : [limitStep(deps.limiter, row.limit, row.refusals?.limits)]),
      ...(checks?.some(({ spend }) => spend !== undefined)
        ? [spendCredential(deps.guard, givingBack(deps.limiter, row.limit))]
        : []),
      checkHeaders,
    ],
    preValidation: [
      ...(checks?.some(({ checkBody }) => checkBody !== undefined) ? [checkBodyProof(deps.guard)] : []),
      checkInput(row),
    ],
    // The error is put together with what the steps around it found.
    attachValidation: true,
    preHandler: refuseInput(row),
    handler: handle(row, deps),
  } as RouteOptions)
  if (row.crossOrigin === true) addPreflight(app, row, { ...crossOriginOf(row, deps), limiter: deps.limiter })
}

const shownOf =
  (checks: Checks) =>
  ({ headers, ip }: { headers: IncomingHttpHeaders; ip: string }) => {
    const credential = checks.find((check) => check.credential.applies(headers))?.credential
    const value = credential?.shown(headers, ip) ?? null
    return credential === undefined || value === null ? null : { name: credential.name, value }
  }

function crossOriginOf({ operationId }: Route, { crossOrigin }: ChainDeps): CrossOrigin {
  if (crossOrigin !== undefined) return crossOrigin
  throw new Error(`Route ${operationId} is for pages of other origins, and this host allows none.`)
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
  return function checkInputOfRoute(request, _reply, done) {
    if (hasParams) checkParams(request.params as Record<string, string>)
    // What an operation does not read it ignores: clients add parameters of their own against caches.
    if (takesQuery && request.raw.url?.includes('?')) checkQuery(request.query as Record<string, unknown>)
    if (row.body === undefined) checkEmpty(request.body)
    else request.boundsFound = cutBody(row, row.body, request)
    done()
  }
}

function cutBody(row: Route, schema: TSchema, request: FastifyRequest): ErrorDetails | null {
  // Where missing fields have an error of their own, a missing body misses them all.
  const mayBeAbsent = row.optionalBody === true || row.missing !== undefined
  if (request.body === undefined && mayBeAbsent) request.body = {}
  if (request.body === undefined) throw fieldErrors({ body: 'is required' })
  const found = cutToBounds(schema, request.body)
  const count = Object.keys(found).length
  if (count >= MAX_DETAILS) throw fieldErrors(found)
  return count === 0 ? null : found
}

/** Everything that is wrong with the input, in one response. */
function refuseInput({ check, body: schema, missing, idempotencyKey }: Route): InstantStep {
  return function refuseInvalidInput({ boundsFound, validationError, body, raw }, _reply, done) {
    if (validationError !== undefined && !(validationError instanceof PublicError)) throw validationError
    const checked = check === undefined || schema === undefined ? {} : check(body)
    const ofKey = idempotencyKey === undefined ? {} : keyProblems(raw, idempotencyKey)
    // What was found first about a field stays. A map: a field may be called `__proto__`.
    const details = new Map<string, string>()
    for (const found of [ofKey, boundsFound ?? {}, validationError?.details ?? {}, checked]) {
      for (const [path, problem] of Object.entries(found)) {
        if (details.size < MAX_DETAILS && !details.has(path)) details.set(path, problem)
      }
    }
    if (details.size > 0) throw inputError(details, missing)
    done()
  }
}

function inputError(found: ReadonlyMap<string, string>, missing: DeclaredError | undefined): PublicError {
  const details = Object.fromEntries(found)
  const isMissing = missing !== undefined && [...found.values()].includes(IS_REQUIRED)
  if (!isMissing) return fieldErrors(details)
  return missing({ message: `The request is not valid: ${[...found.keys()].join(', ')}.`, details })
}

/** No id contains a control character; the database would refuse U+0000 with an error of its own. */
export function checkParams(params: Record<string, string>): void {
  for (const name in params) {
    const value = params[name] ?? ''
    if (value === '' || value.length > MAX_PARAM_LENGTH || /\p{Cc}/u.test(value)) throw notFound()
  }
}

function checkQuery(query: Record<string, unknown>): void {
  const problems = new Map<string, string>()
  for (const [name, value] of Object.entries(query)) {
    if (/\p{Cc}/u.test(`${name}${value}`)) problems.set(name.slice(0, 64), 'must not contain control characters')
  }
  if (problems.size > 0) throw fieldErrors(Object.fromEntries(problems))
}

function checkEmpty(body: unknown): void {
  if (body !== undefined && !isEmptyObject(body))
    throw fieldErrors({ body: 'must be empty: this operation takes none' })
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

function handle(row: Route, deps: ChainDeps) {
  const { refusals } = row
  const { limiter } = deps
  return async function handleRequest(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const context = { ...contextOf(request), ...keyContext(row, deps, request, reply) }
    const work = () => row.handler(context as RequestContext<never, never, never, never, never, never>)
    const result = await (refusals === undefined ? work() : counted(limiter, refusals, request, work))
    if (result === undefined) throw new TypeError(`The handler of ${row.operationId} returned nothing.`)
    if (result instanceof StoredResponse) return sendStored(reply, result)
    if (row.status !== 200) reply.code(row.status)
    if (result instanceof WithCookie) {
      reply.header('set-cookie', result.header)
      return wrapped(deps, request, result.result)
    }
    if (result instanceof RawJson) return sendRaw(reply, result, deps.envelope.success)
    return result instanceof Page
      ? wrapped(deps, request, result.result, result.position)
      : wrapped(deps, request, result)
  }
}

function contextOf({ caller, params, query, body }: FastifyRequest) {
  return { caller, params, query, body }
}

function keyContext(row: Route, deps: ChainDeps, request: FastifyRequest, reply: FastifyReply) {
  if (row.idempotencyKey === undefined) return { idempotencyKey: undefined, once: undefined }
  const key = keyOf(request.headers, row.idempotencyKey)
  return { idempotencyKey: key, once: keyedRequest(key, row, deps, request, reply) }
}

function wrapped(
  { envelope }: ChainDeps,
  { id: responseId }: FastifyRequest,
  result: unknown,
  position?: PagePosition,
) {
  return envelope.success === undefined ? result : envelope.success.body(result, { responseId, position })
}

/** A response that was written before, header and body: a caller who quotes its id names the request that had the effect. */
function sendStored(reply: FastifyReply, stored: StoredResponse): StoredResponse {
  reply.code(stored.status).header('x-response-id', stored.responseId)
  if (stored.isReplay) reply.header('idempotent-replayed', 'true')
  reply.type('application/json; charset=utf-8').serializer((response: unknown) => (response as StoredResponse).body)
  return stored
}

function sendRaw(reply: FastifyReply, result: RawJson, success: Envelope['success']): RawJson {
  if (success !== undefined) throw new TypeError('A body that is written already fits into no envelope.')
  reply.header('content-type', 'application/json; charset=utf-8').serializer(textOf)
  return result
}
const textOf = (result: unknown): string => (result as RawJson).text

function counted<T>(limiter: RateLimiter, refusals: Refusals<never>, request: FastifyRequest, work: () => Promise<T>) {
  const { errors, limits } = refusals
  const keys = limits.map((limit) => [limit, limit.by(request.caller as never, request)] as const)
  return countingRefusals(limiter, { errors, keys }, request.fullest, work)
}
