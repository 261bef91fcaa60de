import { apiDocument } from '../../apps/server/src/hosts/api-document.ts'
import { PLAIN_ENVELOPE } from '../../apps/server/src/http/envelope.ts'
import { buildApiDocument } from '../../apps/server/src/http/openapi.ts'
import type { Route } from '../../apps/server/src/http/route.ts'
import type { Page } from './markdown.ts'
import { BRAND, sdkRoutes } from './routes.ts'
import { createTypeWriter, type Described, indented } from './sdk-writer.ts'

/** The envelope of errors is `MintmarkApiError`. Events have a file of types that knows the data of each kind. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  Error: '',
  ErrorContent: '',
  EventResource: '',
  Event: 'MintmarkEvent',
  EventType: 'EventType',
}
const RENAMED: Readonly<Record<string, string>> = { ...ELSEWHERE, EventPage: 'EventList' }

/** packages/node/src/api-types.ts: what the description of the API says, as plain types. So the SDK spells no field a second time. */
export function sdkApiTypes(): Page {
  const rows = sdkRoutes()
  const info = apiDocument({ apiUrl: 'https://api.mintmark.example', environment: 'sandbox' })
  const document = buildApiDocument(info, { rows, envelope: PLAIN_ENVELOPE, brand: BRAND }) as unknown as Document
  return { path: 'packages/node/src/api-types.ts', text: `${indented(types(rows, document))}\n` }
}

interface Document {
  components: { schemas: Record<string, Described> }
  paths: Record<string, Record<string, Operation>>
}
interface Operation {
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Described }[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: Described } } }
  responses: Record<string, { content: { 'application/json': { schema: Described } } }>
}

function types(rows: readonly Route[], { components, paths }: Document): string {
  const brand = BRAND.confirmationField.split('_')[0] ?? ''
  const writer = createTypeWriter({ renamed: RENAMED, brand, takesUndefined: true })
  const named = Object.entries(components.schemas)
    .filter(([name]) => !(name in ELSEWHERE))
    .map(([name, schema]) => writer.declaration(RENAMED[name] ?? name, schema))
  const calls = rows.map((row) => {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
    return `/** ${row.summary}. */\n${row.operationId}: ${inputs(row, paths[path]?.[row.method.toLowerCase()], writer)}`
  })
  return [
    '// Generated from the routes of the main API and the schemas of packages/contract/src/wire. Change the source, then run: npm run docs',
    `import type { EventType, MintmarkEvent } from './event-types.ts'`,
    ...named,
    `/** What each operation takes and returns. */\nexport interface Operations {\n${calls.join('\n')}\n}`,
    '/** An operation of the main API, by its `operationId`. */\nexport type OperationId = keyof Operations',
  ].join('\n\n')
}

function inputs(row: Route, operation: Operation | undefined, writer: ReturnType<typeof createTypeWriter>): string {
  if (operation === undefined) throw new Error(`${row.operationId} is not described.`)
  const of = (place: string) => operation.parameters.filter((parameter) => parameter.in === place)
  const fields = (place: string) =>
    of(place).length === 0
      ? 'undefined'
      : writer.object({
          required: of(place).flatMap(({ name, required }) => (required ? [name] : [])),
          properties: Object.fromEntries(
            of(place).map(({ name, description, schema }) => [
              name,
              { ...asValue(schema), ...(description && { description }) },
            ]),
          ),
        })
  const body = operation.requestBody?.content['application/json'].schema
  const response = operation.responses[row.status]?.content['application/json'].schema ?? {}
  const params = of('path').map(({ name }) => `${name}: string`)
  const parts = [
    `params: ${params.length === 0 ? 'undefined' : `{ ${params.join('; ')} }`}`,
    `query: ${fields('query')}`,
    `body: ${body ? writer.type(body) : 'undefined'}`,
    `response: ${writer.type(response)}`,
  ]
  return `{\n${parts.join('\n')}\n}`
}

/** A query is text; what of it is a number or yes and no in a program is written as such there, and made a text when it is sent. */
function asValue(schema: Described): Described {
  if (schema.enum?.join() === 'true,false') return { type: 'boolean' }
  return schema.pattern !== undefined && /^\^\(\?:\[1-9\]/.test(schema.pattern) ? { type: 'integer' } : schema
}
