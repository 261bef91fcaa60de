import type { BrandedNames } from '@mintmark/contract'
import { type DeclaredError, internalError, invalidFields, unavailable } from '../platform/errors.ts'
import { credentialsOf, errorsOf, isOpen } from './credential.ts'
import type { Envelope } from './envelope.ts'
import { bodyTooLarge, rateLimited, unsupportedBody } from './errors.ts'
import type { Route } from './route.ts'

export interface ApiDocumentInfo {
  title: string
  version: string
  description: string
}

/** What of a host its description is made from. */
export interface ApiDescription {
  rows: readonly Route[]
  envelope: Envelope
  brand: BrandedNames
}

type Json = { readonly [key: string]: unknown }

const RESPONSE_ID = { $ref: '#/components/headers/X-Response-ID' }

/** The OpenAPI 3.1 description of a route table. A row's schemas are JSON Schema already and go in as they are. */
export function buildApiDocument(info: ApiDocumentInfo, host: ApiDescription): Json {
  const { rows } = host
  const paths: Record<string, Record<string, Json>> = {}
  for (const row of rows) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row, host) }
  }
  const credentials = new Set(rows.flatMap(({ auth }) => credentialsOf(auth)))
  return {
    openapi: '3.1.0',
    info,
    tags: [...new Set(rows.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: Object.fromEntries([...credentials].map(({ name, scheme }) => [name, scheme])),
      headers: {
        'X-Response-ID': {
          description: 'Names this response. Quote it when asking for support.',
          required: true,
          schema: { type: 'string', format: 'uuid' },
        },
      },
      schemas: { Error: host.envelope.errorSchema },
    },
  }
}

function operation(row: Route, host: ApiDescription): Json {
  const { success } = host.envelope
  return {
    operationId: row.operationId,
    summary: row.summary,
    ...(row.description && { description: row.description }),
    tags: [row.tag],
    // Alternatives: one of them is enough.
    security: credentialsOf(row.auth).map(({ name }) => ({ [name]: [] })),
    parameters: [...pathParameters(row), ...queryParameters(row)],
    ...(row.body && { requestBody: { required: true, content: { 'application/json': { schema: row.body } } } }),
    responses: {
      [row.status]: {
        description: row.status === 201 ? 'Created' : 'Success',
        headers: { 'X-Response-ID': RESPONSE_ID },
        content: { 'application/json': { schema: success?.schema(row.response) ?? row.response } },
      },
      ...errorResponses(row, host),
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
function errorResponses(row: Route, { envelope, brand }: ApiDescription): Record<string, Json> {
  const byStatus = Map.groupBy(allErrorsOf(row), ({ status }) => status)
  const responses: Record<string, Json> = {}
  for (const [status, all] of byStatus) {
    const texts = new Map(all.map(({ code, text }) => [brand.code(code), text]))
    responses[status] = errorResponse(texts, envelope, status === rateLimited.status ? RATE_LIMIT_HEADERS : {})
  }
  return responses
}

function errorResponse(texts: ReadonlyMap<string, string>, envelope: Envelope, headers: Json): Json {
  return {
    description: [...texts].map(([code, text]) => `\`${code}\`: ${text}`).join('\n\n'),
    headers: { 'X-Response-ID': RESPONSE_ID, ...headers },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error', ...envelope.errorCodes([...texts.keys()]) },
      },
    },
  }
}

const RATE_LIMIT_HEADERS: Json = {
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } },
  RateLimit: { description: 'What is left of the limit, and until when.', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The limit.', schema: { type: 'string' } },
}

/** What the row declares, after what the steps before its handler may return in its place. */
function allErrorsOf(row: Route): readonly DeclaredError[] {
  const common = [invalidFields, ...credentialsOf(row.auth).flatMap(errorsOf)]
  if (!isOpen(row.auth) || row.limit !== null) common.push(rateLimited)
  common.push(internalError, unavailable)
  if (row.body !== undefined) common.push(bodyTooLarge, unsupportedBody)
  const declared = new Set(row.errors.map(keyOf))
  return [...common.filter((error) => !declared.has(keyOf(error))), ...row.errors]
}

function keyOf({ status, code }: DeclaredError): string {
  return `${status} ${code}`
}
