import { EVENT_TYPES, type EventType } from '@mintmark/contract'
import { EVENT_KINDS, EVENT_RESOURCES, type EventResource } from '@mintmark/contract/wire/events'
import type { Page } from './markdown.ts'
import { createTypeWriter, type Described, indented } from './sdk-writer.ts'

const writer = createTypeWriter()

/**
 * packages/node/src/event-types.ts: the kinds as plain types. The SDK is installed without the contract package, and a
 * receiver that only wants types should not install a library of schemas.
 */
export function sdkEventTypes(): Page {
  const parts = [
    '// Generated from packages/contract/src/wire/events.ts. Change the source, then run: npm run docs',
    writer.declaration('EventBody<Type extends string, Resource extends string, Data>', envelope()),
    ...EVENT_RESOURCES.map((resource) => writer.declaration(dataName(resource), merged(resource))),
    `/** The body of each kind. */\nexport interface EventsByType {\n${EVENT_TYPES.map(entry).join('\n')}\n}`,
    'export type EventType = keyof EventsByType',
    '/** Any event: `type` says which, and TypeScript then knows its `data`. */\nexport type MintmarkEvent = EventsByType[EventType]',
  ]
  return { path: 'packages/node/src/event-types.ts', text: `${indented(parts.join('\n\n'))}\n` }
}

/** The body of one kind, with a parameter in each place where kinds differ. */
function envelope(): Described {
  const schema = EVENT_KINDS['payment.succeeded'].schema as Described
  const { type, resource } = schema.properties ?? {}
  const resourceType = { ...resource?.properties?.type, $ref: 'Resource' }
  return {
    ...schema,
    description: 'What all events have in common.',
    properties: {
      ...schema.properties,
      type: { ...type, $ref: 'Type' },
      resource: { ...resource, properties: { ...resource?.properties, type: resourceType } },
      data: { $ref: 'Data', description: 'Public facts, by the resource.' },
    },
  }
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
  const description = `The \`data\` of events about a \`${resource}\`.`
  return { ...first, description, properties: Object.fromEntries(properties) }
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
    .map(([name, field]) => `${name}: ${writer.type(field)}`)
  const narrowed = narrower.length === 0 ? '' : ` & { ${narrower.join('; ')} }`
  return `/** ${description} */\n'${type}': EventBody<'${type}', '${resource}', ${dataName(resource)}${narrowed}>`
}

function dataName(resource: EventResource): string {
  const words = resource.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Data`
}
