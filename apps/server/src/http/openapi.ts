import type { BrandedNames, ErrorCode } from '@mintmark/contract'
import { type DeclaredError, declareError, internalError, invalidFields, unavailable } from '../platform/errors.ts'
import type { AuthKind, Route } from './route.ts'

export interface ApiDocumentInfo {
  readonly title: string
  readonly version: string
  readonly description: string
}

type Json = { readonly [key: string]: unknown }

const SCHEMES: Readonly<Record<Exclude<AuthKind, 'public'>, Json>> = {
  secret_key: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key: `sk_test_…` in sandbox, `sk_live_…` in production.',
  },
  session_token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of one session.' },
}

const invalidCredential = declareError('AUTH_1001', 'The credential is missing, unknown or of the other environment.')
const invalidHeader = declareError('AUTH_1002', 'The Authorization header is missing or is not a bearer credential.')
const expired = declareError('AUTH_1003', 'The session has expired.')
const revoked = declareError('AUTH_1004', 'The session was revoked.')
const rateLimited = declareError('RATE_LIMITED', 'Too many requests. Try again later.')

const RESPONSE_ID = { $ref: '#/components/headers/X-Response-ID' }

/** The OpenAPI 3.1 description of a route table. A row's schemas are JSON Schema already and go in as they are. */
export function buildApiDocument(rows: readonly Route[], info: ApiDocumentInfo, brand: BrandedNames): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const row of rows) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row, brand) }
  }
  const kinds = new Set(rows.map(({ auth }) => auth))
  return {
    openapi: '3.1.0',
    info,
    tags: [...new Set(rows.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: Object.fromEntries(Object.entries(SCHEMES).filter(([kind]) => kinds.has(kind as AuthKind))),
      headers: {
        'X-Response-ID': {
          description: 'Names this response. Quote it when asking for support.',
          required: true,
          schema: { type: 'string', format: 'uuid' },
        },
      },
      schemas: { Error: ERROR_SCHEMA },
    },
  }
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'Stable; branch on this.' },
        message: { type: 'string', description: 'For people; may change.' },
        details: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Path of each failing field and what is wrong with it.',
        },
      },
    },
  },
}

function operation(row: Route, brand: BrandedNames): Json {
  return {
    operationId: row.operationId,
    summary: row.summary,
    ...(row.description && { description: row.description }),
    tags: [row.tag],
    security: row.auth === 'public' ? [] : [{ [row.auth]: [] }],
    parameters: [...pathParameters(row), ...queryParameters(row)],
    ...(row.body && { requestBody: { required: true, content: { 'application/json': { schema: row.body } } } }),
    responses: {
      [row.status]: {
        description: row.status === 201 ? 'Created' : 'Success',
        headers: { 'X-Response-ID': RESPONSE_ID },
        content: { 'application/json': { schema: row.response } },
      },
      ...errorResponses(row, brand),
    },
  }
}

function pathParameters(row: Route): Json[] {
  return [...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: row.params?.properties[name] ?? { type: 'string' },
  }))
}

function queryParameters(row: Route): Json[] {
  if (row.query === undefined) return []
  const required: readonly string[] = row.query.required ?? []
  return Object.entries(row.query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** One response a status; its codes are named in the description and in the schema. */
function errorResponses(row: Route, brand: BrandedNames): Record<string, Json> {
  const byStatus = Map.groupBy(errorsOf(row), (declared) => declared().status)
  const responses: Record<string, Json> = {}
  for (const [status, all] of byStatus) {
    const texts = new Map(all.map((declared) => [brand.code(declared.code), declared().message]))
    responses[status] = errorResponse(texts, status === 429 ? RATE_LIMIT_HEADERS : {})
  }
  if (row.body !== undefined) {
    const unread = (text: string) => errorResponse(new Map([[invalidFields.code, text]]))
    responses['413'] = unread('The body is larger than 64 KiB.')
    responses['415'] = unread('The body is not JSON in UTF-8.')
  }
  return responses
}

function errorResponse(texts: ReadonlyMap<string, string>, headers: Json = {}): Json {
  return {
    description: [...texts].map(([code, text]) => `\`${code}\`: ${text}`).join('\n\n'),
    headers: { 'X-Response-ID': RESPONSE_ID, ...headers },
    content: {
      'application/json': {
        schema: {
          $ref: '#/components/schemas/Error',
          properties: { error: { properties: { code: { enum: [...texts.keys()] } } } },
        },
      },
    },
  }
}

const RATE_LIMIT_HEADERS: Json = {
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } },
  RateLimit: { description: 'What is left of the limit, and until when.', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The limit.', schema: { type: 'string' } },
}

/** What the row declares, after what the builder itself may answer in its place. */
function errorsOf(row: Route): readonly DeclaredError[] {
  const common: DeclaredError[] = [invalidFields]
  if (row.auth !== 'public') common.push(invalidCredential, invalidHeader)
  if (row.auth === 'session_token') common.push(expired, revoked)
  if (row.auth !== 'public' || row.rateLimit !== 'none') common.push(rateLimited)
  common.push(internalError, unavailable)
  const declaredCodes = new Set<ErrorCode>(row.errors.map(({ code }) => code))
  return [...common.filter(({ code }) => !declaredCodes.has(code)), ...row.errors]
}
