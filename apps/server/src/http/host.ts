import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { BrandedNames, Environment } from '@mintmark/contract'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { invalidFields, noSuchRoute, type PublicError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { parseStrictJson } from '../platform/strict-json.ts'
import { type ApiReference, addApiReference } from './api-reference.ts'
import { keepBodyDigest, tenantOf } from './authenticate.ts'
import { answerSpecialRequests, createClientErrorHandler, cutStalled } from './client-error.ts'
import { COMPILERS } from './compilers.ts'
import type { CheckedCredential } from './credential.ts'
import type { CrossOrigin } from './cross-origin.ts'
import { type Door, enterAgain, enterDoor, leaveDoor, waitOutside } from './door.ts'
import type { Envelope } from './envelope.ts'
import { createErrorResponder, type ErrorPage } from './error-response.ts'
import { closedSinceRestore, MAX_BODY_BYTES, notJson, refusePart } from './errors.ts'
import { createAuthenticationGuard } from './failed-authentication.ts'
import type { ObserveRequest } from './observe.ts'
import { onlyOwnPages } from './own-pages.ts'
import { parseQuery } from './query.ts'
import type { RateLimiter } from './rate-limit.ts'
import type { Route } from './route.ts'
import { addRoute, MAX_PARAM_LENGTH } from './route-chain.ts'
import { SERIALIZER_OPTIONS, VALIDATOR_OPTIONS, validationError } from './validation.ts'

export interface HostOptions {
  /** Names the host in log lines. */
  name: string
  routes: readonly Route[]
  /** How it checks what its rows accept. A row that accepts something else fails the building of the host. */
  credentials: readonly CheckedCredential[]
  /** The shape of its response bodies. */
  envelope: Envelope
  /** What people read instead of it, on a host that they visit. */
  errorPage?: ErrorPage
  limiter: RateLimiter
  /** Which pages may call the rows that are for pages of other origins. */
  crossOrigin?: CrossOrigin
  /** Only pages of this origin change anything: for a host whose credential browsers send by themselves. */
  ownPages?: string
  /** Whether no request but a health check is let in, since a restore. */
  isClosed?: () => boolean
  /** Bounds the requests in hand; all hosts of a process share one. */
  door: Door
  log: Log
  /** Sees every request that had a readable path, when its response has gone. */
  observe?: ObserveRequest | undefined
  environment: Environment
  brand: BrandedNames
  /** Serves `/openapi.json` and `/docs`. */
  docs?: ApiReference | undefined
  /** Routes outside the table: pages and assets of a web host. They get the response id and the headers, no more. */
  extra?: (app: FastifyInstance) => void | Promise<void>
  /**
   * Addresses of the reverse proxies in front, as Fastify's `trustProxy`. Without it all clients behind a proxy share one
   * address, and with it the limits that count by address.
   */
  trustProxy?: boolean | string | string[]
  timeouts?: Partial<HostTimeouts>
  /** Runs when the host closes. */
  onClose?: () => Promise<void>
}

export interface HostTimeouts {
  headersMillis: number
  /** The whole request, body included. */
  requestMillis: number
  /** Longer than the idle time-out of common load balancers, so that they close first and never race us. */
  keepAliveMillis: number
  /** Without a byte in either direction, from a request on: longer than any request takes. A client that reads nothing is cut off. */
  stalledMillis: number
  checkMillis: number
}

const TIMEOUTS: HostTimeouts = {
  headersMillis: 10_000,
  requestMillis: 15_000,
  keepAliveMillis: 72_000,
  stalledMillis: 30_000,
  checkMillis: 1_000,
}

/**
 * Turns rows of the route table into an HTTP host. Everything a response must always have (response id, envelope,
 * security headers) is made here and nowhere else, for requests of every kind, also those that never reach a row.
 */
export async function buildHost(options: HostOptions): Promise<FastifyInstance> {
  const { limiter, credentials, envelope, brand } = options
  const app = createApp(options)
  answerSpecialRequests(app.server, options)
  cutStalled(app.server, { ...TIMEOUTS, ...options.timeouts }.stalledMillis / 2)
  addParser(app)
  app.decorateRequest('caller', null)
  app.decorateRequest('credential', null)
  app.decorateRequest('bodyDigest', null)
  app.decorateRequest('place', null)
  app.decorateRequest('boundsFound', null)
  app.decorateRequest('fullest', null)
  app.addHook('onRequest', startRequest)
  addDoor(app, options)
  if (options.ownPages !== undefined) app.addHook('preParsing', onlyOwnPages(options.ownPages))
  if (options.log.enabled('info')) app.addHook('onResponse', accessLine(options))
  const { name, observe } = options
  if (observe !== undefined) {
    app.addHook('onResponse', (request, reply, done) => {
      observe(name, request, reply)
      done()
    })
  }
  app.setErrorHandler(createErrorResponder(options))
  app.setNotFoundHandler(() => {
    throw noSuchRoute()
  })
  const rows = options.routes.filter((row) => row.environment === undefined || row.environment === options.environment)
  const { crossOrigin } = options
  const deps = { credentials, limiter, envelope, brand, guard: createAuthenticationGuard(limiter), crossOrigin }
  for (const row of rows) addRoute(app, row, deps)
  if (options.docs !== undefined) addApiReference(app, options.docs, { rows, envelope, brand, limiter })
  await options.extra?.(app)
  if (options.onClose !== undefined) app.addHook('onClose', options.onClose)
  return app
}

function createApp(options: HostOptions): FastifyInstance {
  const { trustProxy, timeouts } = options
  const { headersMillis, requestMillis, keepAliveMillis, stalledMillis, checkMillis } = { ...TIMEOUTS, ...timeouts }
  const respond = createErrorResponder(options)
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: trustProxy ?? false,
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: true,
    // While closing, requests in the pipe are responded to as usual, with `Connection: close`.
    return503OnClosing: false,
    requestTimeout: requestMillis,
    keepAliveTimeout: keepAliveMillis,
    connectionTimeout: stalledMillis / 2,
    http: {
      headersTimeout: headersMillis,
      connectionsCheckingInterval: checkMillis,
      // Node would refuse a missing Host by itself, without our headers; `startRequest` does it with them.
      requireHostHeader: false,
      insecureHTTPParser: false,
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: parseQuery },
    schemaController: { compilersFactory: COMPILERS },
    ajv: VALIDATOR_OPTIONS,
    serializerOpts: SERIALIZER_OPTIONS,
    schemaErrorFormatter: validationError,
    clientErrorHandler: createClientErrorHandler(options),
    // A path the router cannot decode meets no hook.
    frameworkErrors: (error, request, reply) => {
      writeHeaders(request, reply)
      respond(error, request, reply)
    },
  })
  // A body on a GET is judged like any other instead of being skipped.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  return app as unknown as FastifyInstance
}

/** First step of every request that has a readable path. Unknown paths end here, before a body is read. */
function startRequest(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  writeHeaders(request, reply)
  const problem = request.is404 ? noSuchRoute() : messageProblem(request.raw)
  if (problem === null) done()
  else done(problem)
}

function writeHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('x-response-id', request.id)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
}

/** Headers of which Node keeps the first and drops the others. Two readers of such a request could differ about it. */
const GIVEN_ONCE = ['host', 'authorization', 'content-type']

/** What makes a message ambiguous although Node reads it. */
function messageProblem({ httpVersion, headers, headersDistinct }: IncomingMessage): PublicError | null {
  // HTTP/2 in the clear, and a request line without a version, which is HTTP/0.9.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return refusePart(invalidFields, 'request', 'must be HTTP/1.1')
  if (headers.host === undefined && httpVersion === '1.1') return refusePart(invalidFields, 'host', 'is required')
  const repeated = GIVEN_ONCE.find((name) => (headersDistinct[name]?.length ?? 0) > 1)
  return repeated === undefined ? null : refusePart(invalidFields, repeated, 'must be given once')
}

/** One parser for every type: `checkContentHeaders` has already refused what is not JSON. */
function addParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Named as well as caught: the framework caches the look-up of named types only.
  for (const type of ['application/json', '*']) app.addContentTypeParser(type, { parseAs: 'buffer' }, parseBody)
}

function parseBody(request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void): void {
  if (body.length > 0 && request.headers['content-type'] === undefined) {
    throw notJson()
  }
  keepBodyDigest(request, body)
  done(null, parseStrictJson(body))
}

/** Health checks pass the door: a process that is busy is alive, and its supervisor must be able to see that. */
function addDoor(app: FastifyInstance, { door, routes, isClosed = () => false }: HostOptions): void {
  const probes = probesOf(routes)
  app.addHook('onRequest', (request, _reply, done) => {
    if (isClosed() && !probes.has(request.routeOptions.url ?? '')) done(closedSinceRestore)
    else done()
  })
  app.addHook(
    'onRequest',
    enterDoor(door, ({ routeOptions }) => probes.has(routeOptions.url ?? '')),
  )
  app.addHook('preParsing', waitOutside)
  app.addHook('preValidation', enterAgain(door))
  app.addHook('onSend', leaveDoor)
}

function probesOf(routes: readonly Route[]): ReadonlySet<string> {
  return new Set(routes.filter(({ limit }) => limit === null).map(({ path }) => path))
}

function accessLine({ log, name, routes }: HostOptions) {
  // Probes come every second; a line each would hide the requests in the log.
  const probes = probesOf(routes)
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const route = request.routeOptions.url
    const isQuiet = route !== undefined && probes.has(route) && reply.statusCode < 400
    if (!isQuiet) log.info('request', lineOf(request, reply, name))
    done()
  }
}

function lineOf(request: FastifyRequest, reply: FastifyReply, host: string) {
  const tenant = tenantOf(request)
  return {
    host,
    response_id: request.id,
    method: request.method,
    // The pattern, never the path: ids and secrets in links stay out of the log.
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    duration_ms: Math.round(reply.elapsedTime),
    ...(tenant !== undefined && { merchant_id: tenant }),
  }
}
