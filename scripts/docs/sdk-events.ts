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
    ['/** Every kind that this version knows. */', `export const EVENT_TYPES = [`]
      .concat(EVENT_TYPES.map((type) => `  '${type}',`))
      .concat('] as const')
      .join('\n'),
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

const LONGEST_LINE = 120

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
    .map(([name, field]) => `${name}: ${membersOf(field, '').join(' | ')}`)
  const narrowed = narrower.length === 0 ? '' : ` & { ${narrower.join('; ')} }`
  const body = `EventBody<'${type}', '${resource}', ${dataName(resource)}${narrowed}>`
  const line = `  '${type}': ${body}`
  const wrapped = `  '${type}': EventBody<\n    '${type}',\n    '${resource}',\n    ${dataName(resource)}${narrowed}\n  >`
  return `  /** ${description} */\n${line.length <= LONGEST_LINE ? line : wrapped}`
}

function dataName(resource: EventResource): string {
  const words = resource.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Data`
}

function object({ properties = {}, required = [] }: Described, indent: string): string {
  const lines = Object.entries(properties).flatMap(([name, field]) => [
    `${indent}  /** ${field.description ?? `The ${name}.`} */`,
    member(
      `${indent}  ${name}${required.includes(name) ? '' : '?'}:`,
      membersOf(field, `${indent}  `),
      `${indent}    `,
    ),
  ])
  return ['{', ...lines, `${indent}}`].join('\n')
}

/** A union that is too long for its line stands on lines of its own, as the formatter wants it. */
function member(name: string, union: string[], indent: string): string {
  const line = `${name} ${union.join(' | ')}`
  const isLong = union.length > 1 && line.split('\n').some(({ length }) => length > LONGEST_LINE)
  return isLong ? [name, ...union.map((one) => `${indent}| ${one}`)].join('\n') : line
}

function membersOf(schema: Described, indent: string): string[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => membersOf(one, indent))
  if (schema.const !== undefined) return [JSON.stringify(schema.const)]
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`)
  if (schema.properties !== undefined) return [object(schema, indent)]
  return [schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown')]
}
