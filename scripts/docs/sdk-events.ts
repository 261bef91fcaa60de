import { EVENT_TYPES, type EventType } from '@mintmark/contract'
import { EVENT_KINDS, EVENT_RESOURCES, type EventResource } from '@mintmark/contract/wire/events'
import type { TSchema } from 'typebox'
import type { Page } from './markdown.ts'

/**
 * packages/node/src/event-types.ts: the kinds as plain types. The SDK is installed without the contract package, and a
 * receiver that only wants types should not install a library of schemas.
 */
export function sdkEventTypes(): Page {
  const { schema } = EVENT_KINDS['payment.succeeded']
  const parts = [
    '// Generated from packages/contract/src/wire/events.ts. Change the source, then run: npm run docs',
    `/** What all events have in common. */\nexport interface EventBody<Type extends string, Resource extends string, Data> ${envelope(schema)}`,
    ...EVENT_RESOURCES.map(
      (resource) =>
        `/** The \`data\` of events about a \`${resource}\`. */\nexport interface ${dataName(resource)} ${object(merged(resource), '')}`,
    ),
    `/** The body of each kind. */\nexport interface EventsByType {\n${EVENT_TYPES.map(entry).join('\n')}\n}`,
    'export type EventType = keyof EventsByType',
    '/** Any event: `type` says which, and TypeScript then knows its `data`. */\nexport type MintmarkEvent = EventsByType[EventType]',
  ]
  return { path: 'packages/node/src/event-types.ts', text: `${parts.join('\n\n')}\n` }
}

interface Described {
  type?: string
  description?: string
  enum?: string[]
  const?: unknown
  anyOf?: Described[]
  properties?: Record<string, Described>
  required?: string[]
}

function envelope(schema: TSchema): string {
  const { properties = {}, required = [] } = schema as Described
  const resource = properties.resource as Described
  return object(
    {
      required,
      properties: {
        ...properties,
        type: { type: 'Type', description: properties.type?.description ?? '' },
        resource: {
          ...resource,
          properties: { ...resource.properties, type: { type: 'Resource', description: 'What changed.' } },
        },
        data: { type: 'Data', description: 'Public facts, by the resource.' },
      },
    },
    '',
  )
}

/** The fields of all kinds about one resource; where they differ, by the set of values, the union of the sets. */
function merged(resource: EventResource): Described {
  const [first, ...others] = kindsAbout(resource).map((type) => EVENT_KINDS[type].data as Described)
  if (first === undefined) throw new Error(`No kind of event is about ${resource}.`)
  const properties = Object.entries(first.properties ?? {}).map(([name, field]) => {
    if (field.enum === undefined) return [name, field]
    const all = [field, ...others.map((other) => other.properties?.[name] ?? {})].flatMap((one) => one.enum ?? [])
    return [name, { ...field, enum: [...new Set(all)] }]
  })
  return { ...first, properties: Object.fromEntries(properties) }
}

function kindsAbout(resource: EventResource): EventType[] {
  return EVENT_TYPES.filter((type) => EVENT_KINDS[type].resource === resource)
}

/** One line of the map; what a kind says more narrowly than its resource stands beside the data. */
function entry(type: EventType): string {
  const { description, resource, data } = EVENT_KINDS[type]
  const whole = merged(resource).properties ?? {}
  const narrower = Object.entries((data as Described).properties ?? {})
    .filter(([name, field]) => field.enum !== undefined && field.enum.length < (whole[name]?.enum?.length ?? 0))
    .map(([name, field]) => `${name}: ${typeOf(field, '')}`)
  const narrowed = narrower.length === 0 ? '' : ` & { ${narrower.join('; ')} }`
  return `  /** ${description} */\n  '${type}': EventBody<'${type}', '${resource}', ${dataName(resource)}${narrowed}>`
}

function dataName(resource: EventResource): string {
  const words = resource.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Data`
}

function object({ properties = {}, required = [] }: Described, indent: string): string {
  const lines = Object.entries(properties).flatMap(([name, field]) => [
    `${indent}  /** ${field.description ?? `The ${name}.`} */`,
    `${indent}  ${name}${required.includes(name) ? '' : '?'}: ${typeOf(field, `${indent}  `)}`,
  ])
  return ['{', ...lines, `${indent}}`].join('\n')
}

function typeOf(schema: Described, indent: string): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ')
  if (schema.properties !== undefined) return object(schema, indent)
  return schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown')
}
