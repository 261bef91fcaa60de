import type { BrandedNames } from '@mintmark/contract'
import type { JsonRecord } from '../platform/json.ts'
import { credentialsOf } from './credential.ts'
import { type Envelope, kindOf } from './envelope.ts'
import { IDEMPOTENCY_HEADER } from './idempotency.ts'
import { EXAMPLE_RESPONSE_ID, errorResponses } from './openapi-errors.ts'
import { createSchemaComponents, type SchemaComponents } from './openapi-schemas.ts'
import type { Route } from './route.ts'

export { statusesOf } from './openapi-errors.ts'

export interface ApiDocumentInfo {
  title: string
  version: string
  summary: string
  description: string
  contact: { name: string; url?: string }
  license: { name: string; identifier: string }
  /** The origins it is served at. */
  servers: readonly { url: string; description: string }[]
  /** What each tag of a row is about, in the order in which they are shown. */
  tags: Readonly<Record<string, string>>
}

/** What of a host its description is made from. */
export interface ApiDescription {
  rows: readonly Route[]
  envelope: Envelope
  brand: BrandedNames
}

const RESPONSE_ID = { $ref: '#/components/headers/X-Response-ID' }

/**
 * The OpenAPI 3.1 description of a route table. A row's schemas are JSON Schema already; those with a title are shared.
 */
export function buildApiDocument(about: ApiDocumentInfo, host: ApiDescription): JsonRecord {
  const { rows, envelope } = host
  const { servers, tags, ...info } = about
  const schemas = createSchemaComponents()
  schemas.add({ ...envelope.errorSchema, title: 'Error' })
  const paths: Record<string, JsonRecord> = {}
  for (const row of rows) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row, host, schemas) }
  }
  const credentials = new Set(rows.flatMap(({ auth }) => credentialsOf(auth)))
  const used = new Set(rows.map(({ tag }) => tag))
  return {
    openapi: '3.1.0',
    info,
    servers,
    // In the order of the description; the routes come as they are declared.
    tags: [...new Set([...Object.keys(tags), ...used])]
      .filter((name) => used.has(name))
      .map((name) => ({ name, ...(tags[name] !== undefined && { description: tags[name] }) })),
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
      schemas: schemas.all(),
    },
  }
}

function operation(row: Route, host: ApiDescription, schemas: SchemaComponents): JsonRecord {
  const { success } = host.envelope
  const json = (schema: unknown, example: unknown) => ({
    'application/json': { schema: schemas.add(schema), ...(example !== undefined && { example }) },
  })
  return {
    operationId: row.operationId,
    summary: row.summary,
    ...(row.description && { description: row.description }),
    tags: [row.tag],
    // Alternatives: one of them is enough.
    security: credentialsOf(row.auth).map(({ name }) => ({ [name]: [] })),
    parameters: [...pathParameters(row, schemas), ...queryParameters(row, schemas), ...keyParameter(row)],
    ...(row.body && {
      requestBody: { required: row.optionalBody !== true, content: json(row.body, row.example?.body) },
    }),
    responses: {
      [row.status]: {
        description: row.status === 201 ? 'Created' : 'Success',
        headers: { 'X-Response-ID': RESPONSE_ID },
        content: json(success?.schema(row.response, kindOf(row)) ?? row.response, responseExample(row, success)),
      },
      ...errorResponses(row, host),
    },
  }
}

/** The result of the row's example as it is sent. */
function responseExample({ example, idempotencyKey, isPaged }: Route, success: Envelope['success']): unknown {
  if (example === undefined || success === undefined) return example?.response
  const position = isPaged ? { page: 1, pageSize: 20, totalCount: 1, hasMore: false } : undefined
  return success.body(example.response, {
    responseId: EXAMPLE_RESPONSE_ID,
    idempotencyKey: idempotencyKey?.example,
    position,
  })
}

function pathParameters(row: Route, schemas: SchemaComponents): JsonRecord[] {
  return [...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    parameter(name, 'path', true, row.params?.properties[name] ?? { type: 'string' }, schemas),
  )
}

function queryParameters(row: Route, schemas: SchemaComponents): JsonRecord[] {
  if (row.query === undefined) return []
  const required: readonly string[] = row.query.required ?? []
  return Object.entries(row.query.properties).map(([name, schema]) =>
    parameter(name, 'query', required.includes(name), schema, schemas),
  )
}

function keyParameter({ idempotencyKey: format }: Route): JsonRecord[] {
  if (format === undefined) return []
  const description =
    'Your name for this request. Sent again with the same key it takes effect once, and returns what the first one did, for 24 hours.'
  const schema = { type: 'string', pattern: format.pattern.source, examples: [format.example] }
  return [{ name: IDEMPOTENCY_HEADER, in: 'header', required: !format.isOptional, description, schema }]
}

function parameter(name: string, place: string, required: boolean, schema: unknown, schemas: SchemaComponents) {
  const { description, ...rest } = schemas.add(schema)
  return { name, in: place, required, ...(description !== undefined && { description }), schema: rest }
}
