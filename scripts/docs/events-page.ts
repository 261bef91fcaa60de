import {
  EVENT_SCHEMA_VERSION,
  EVENT_TYPES,
  type EventType,
  OUTCOME_SOURCES,
  type OutcomeSource,
} from '@mintmark/contract'
import { EVENT_KINDS, EVENT_RESOURCES, type EventResource } from '@mintmark/contract/wire/events'
import type { TObject, TSchema } from 'typebox'
import { code, type Page, page, table } from './markdown.ts'

/** Keyed by the resource, so that a new one does not compile until it is explained here. */
const RESOURCE_TEXTS: Readonly<Record<EventResource, string>> = {
  payment:
    'Its id is the `txn_id` of the payment result, or the `transactionId` of the charge. The error codes are the [payment failures](declines.md#payment-failures); how it stands is explained with the [states](states.md#transaction-and-line-item).',
  session: 'Its id is the session. What it was for has ended with it.',
  card_enrollment:
    'Its id is the session. What they say is what the [status](states.md#enrollment-of-a-card) says then. Which rule refused a card is in the status alone.',
  mandate_setup: 'Its id is the session that sets up the mandate.',
  mandate: 'Its id is the mandate. See how a [mandate](states.md#mandate) stands.',
  card: 'Its id is the card.',
  customer: 'Its id is the customer, `cus_…`.',
}

const SOURCE_TEXTS: Readonly<Record<OutcomeSource, string>> = {
  service_issued: 'The service: it issued a credential, or ended the payment.',
  merchant_reported: 'Your report.',
  merchant_observed:
    'The shop at which the service itself bought what was quoted: it said that it was paid, or refused.',
  network_observed: 'The card network, which has seen the payment. Nobody had to report it.',
}

const INTRODUCTION = `An event is captured in the database transaction of its cause: one event for each committed change, and
none for a change that was rolled back. Its bytes are fixed then, and are the same each time it is read. \`GET /v1/events\` pages
through the events of the last 30 days ([guide](../guides/events.md)).`

/** docs/reference/events.md: every kind with its schema's fields and its example, from the registry. */
export function eventsPage(): Page {
  const { schema } = EVENT_KINDS['payment.succeeded']
  return page('docs/reference/events.md', 'packages/contract/src/wire/events.ts', [
    '# Events',
    INTRODUCTION,
    table(
      ['Kind', 'When'],
      EVENT_TYPES.map((type) => [code(type), EVENT_KINDS[type].description]),
    ),
    '## Body',
    `The schema version is ${code(EVENT_SCHEMA_VERSION)}. A body never has a credential, card number, CVV, vault reference, email, address or message of the card network in it.`,
    fieldTable({ ...schema, properties: { ...schema.properties, data: { description: DATA_TEXT } } }),
    ...EVENT_RESOURCES.flatMap(resourceParts),
    '## Outcome sources',
    table(
      ['`outcome_source`', 'Who says that the payment stands so'],
      OUTCOME_SOURCES.map((source) => [code(source), SOURCE_TEXTS[source]]),
    ),
  ])
}

const DATA_TEXT = 'Public facts, by the resource: see below.'

function resourceParts(resource: EventResource): string[] {
  const types = EVENT_TYPES.filter((type) => EVENT_KINDS[type].resource === resource)
  const [first] = types
  if (first === undefined) throw new Error(`No kind of event is about ${resource}.`)
  return [
    `## Of a ${resource.replaceAll('_', ' ')}`,
    `The resource is the ${code(resource)}. ${RESOURCE_TEXTS[resource]}`,
    fieldTable(EVENT_KINDS[first].data, `data.`),
    ...types.flatMap((type) => [`### ${type}`, exampleBlock(type)]),
  ]
}

function exampleBlock(type: EventType): string {
  return ['```json', JSON.stringify(EVENT_KINDS[type].example, null, 2), '```'].join('\n')
}

/** The fields of an object, and of the objects in it, by their paths. */
function fieldTable(schema: TSchema, prefix = ''): string {
  return table(
    ['Field', 'Meaning'],
    fieldsOf(schema, prefix).map(({ path, meaning }) => [code(path), meaning]),
  )
}

export function fieldsOf(schema: TSchema, prefix = ''): { path: string; meaning: string }[] {
  const { properties = {} } = objectIn(schema) ?? {}
  return Object.entries(properties).flatMap(([name, field]) => {
    const { description } = field as { description?: string }
    if (description === undefined) throw new Error(`The field ${prefix}${name} of events has no description.`)
    const path = prefix + name
    return [{ path, meaning: description }, ...fieldsOf(field, `${path}.`)]
  })
}

/** The object that a schema is, or is unless it is null. */
function objectIn(schema: TSchema): TObject | undefined {
  const members = 'anyOf' in schema ? (schema.anyOf as TSchema[]) : [schema]
  return members.find((member): member is TObject => 'properties' in member)
}
