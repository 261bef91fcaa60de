import { randomUUID } from 'node:crypto'
import type { BrandedNames } from '@mintmark/contract'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { notFound, PublicError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { addApiReference } from './api-reference.ts'
import type { Authenticators } from './authenticator.ts'
import { answerSpecialRequests, createClientErrorHandler } from './client-error.ts'
import { createErrorResponder } from './error-response.ts'
import { createAuthenticationGuard } from './failed-authentication.ts'
import type { ApiDocumentInfo } from './openapi.ts'
import type { RateLimiter } from './rate-limit.ts'
import type { Route } from './route.ts'
import { addRoute, LONGEST_PARAM } from './route-chain.ts'
import { BODY_LIMIT_BYTES, parseStrictJson, unsupported } from './strict-json.ts'
import { SERIALIZER_OPTIONS, VALIDATOR_OPTIONS, validationError } from './validation.ts'

export interface HostOptions {
  /** Names the host in log lines. */
  readonly name: string
  readonly routes: readonly Route[]
  readonly authenticators: Authenticators
  readonly limiter: RateLimiter
  readonly log: Log
  readonly environment: 'sandbox' | 'production'
  readonly brand: BrandedNames
  /** Serves `/openapi.json` and `/docs`. */
  readonly docs?: ApiDocumentInfo
  /** Routes outside the table: pages and assets of a web host. They get the response id and the headers, no more. */
  readonly extra?: (app: FastifyInstance) => void | Promise<void>
  /**
   * Addresses of the reverse proxies in front, as Fastify's `trustProxy`. Without it everybody behind a proxy shares one
   * address, and with it the limits that count by address.
   */
  readonly trustProxy?: boolean | string | string[]
  readonly timeouts?: Partial<HostTimeouts>
}

export interface HostTimeouts {
  readonly headersMillis: number
  /** The whole request, body included. */
  readonly requestMillis: number
  /** Longer than the idle time-out of common load balancers, so that they close first and never race us. */
  readonly keepAliveMillis: number
  readonly checkMillis: number
}

const TIMEOUTS: HostTimeouts = {
  headersMillis: 10_000,
  requestMillis: 15_000,
  keepAliveMillis: 72_000,
  checkMillis: 1_000,
}

/**
 * Turns rows of the route table into an HTTP host. Everything a response must always have (response id, envelope,
 * security headers) is made here and nowhere else, for requests of every kind, also those that never reach a row.
 */
export async function buildHost(options: HostOptions): Promise<FastifyInstance> {
  const { brand, log } = options
  const app = createApp(options)
  answerSpecialRequests(app.server, { brand, log })
  addParser(app)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', startRequest)
  if (log.enabled('info')) app.addHook('onResponse', accessLine(options))
  app.setErrorHandler(createErrorResponder({ brand, log }))
  app.setNotFoundHandler(() => {
    throw notFound()
  })
  const rows = options.routes.filter((row) => row.environment === undefined || row.environment === options.environment)
  const deps = {
    authenticators: options.authenticators,
    limiter: options.limiter,
    guard: createAuthenticationGuard(options.limiter),
  }
  for (const row of rows) addRoute(app, row, deps)
  if (options.docs !== undefined) {
    addApiReference(app, { rows, info: options.docs, brand, limiter: options.limiter })
  }
  await options.extra?.(app)
  return app
}

function createApp({ brand, log, trustProxy, timeouts }: HostOptions): FastifyInstance {
  const { headersMillis, requestMillis, keepAliveMillis, checkMillis } = { ...TIMEOUTS, ...timeouts }
  const respond = createErrorResponder({ brand, log })
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: trustProxy ?? false,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    // While closing, requests in the pipe are answered as usual, with `Connection: close`.
    return503OnClosing: false,
    requestTimeout: requestMillis,
    keepAliveTimeout: keepAliveMillis,
    http: {
      headersTimeout: headersMillis,
      connectionsCheckingInterval: checkMillis,
      // Node would answer a missing Host by itself, without our headers; `startRequest` does it with them.
      requireHostHeader: false,
      insecureHTTPParser: false,
    },
    routerOptions: { maxParamLength: LONGEST_PARAM },
    ajv: VALIDATOR_OPTIONS,
    serializerOpts: SERIALIZER_OPTIONS,
    schemaErrorFormatter: validationError,
    clientErrorHandler: createClientErrorHandler({ brand, log }),
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
  if (request.is404) done(notFound())
  else if (request.raw.headers.host === undefined && request.raw.httpVersion === '1.1') done(missingHost())
  else done()
}

function writeHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('x-response-id', request.id)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
}

function missingHost(): PublicError {
  return new PublicError('VAL_2001', 'The request is not valid: host is required.', {
    details: { host: 'is required' },
  })
}

/** One parser for every type: `checkContentHeaders` has already refused what is not JSON. */
function addParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Named as well as caught: the framework caches the look-up of named types only.
  for (const type of ['application/json', '*']) app.addContentTypeParser(type, { parseAs: 'buffer' }, parseBody)
}

function parseBody(request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void): void {
  if (body.length > 0 && request.headers['content-type'] === undefined) {
    throw unsupported('content-type', 'must be application/json in UTF-8')
  }
  done(null, parseStrictJson(body))
}

function accessLine({ log, name, routes }: HostOptions) {
  // Probes come every second for ever; a line each would bury the requests.
  const probes = new Set(routes.filter(({ rateLimit }) => rateLimit === 'none').map(({ path }) => path))
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const route = request.routeOptions.url
    const isQuiet = route !== undefined && probes.has(route) && reply.statusCode < 400
    if (!isQuiet) log.info('request', lineOf(request, reply, name))
    done()
  }
}

function lineOf(request: FastifyRequest, reply: FastifyReply, host: string) {
  return {
    host,
    response_id: request.id,
    method: request.method,
    // The pattern, never the path: ids and launch links stay out of the log.
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    duration_ms: Math.round(reply.elapsedTime),
    merchant_id: request.caller?.merchantId,
  }
}
