import { type Static, Type } from 'typebox'
import { ENVIRONMENTS } from '../accounts.ts'
import { EVENT_RETENTION_DAYS, EVENT_SCHEMA_VERSION, EVENT_TYPES } from '../events.ts'
import { dateTime, reference } from './common.ts'
import { EVENT_RESOURCES } from './events.ts'
import { nullable, oneOf, text } from './schema.ts'

// The feed of events: `GET /v1/events`.

const EventResource = Type.Object(
  {
    type: oneOf(EVENT_RESOURCES, { description: 'What kind of thing changed.' }),
    id: text('Its id.', 'txn_06gq2w9k5v0000000000000004'),
    version: Type.Integer({ minimum: 1, description: 'Rises with each captured change of the resource.' }),
  },
  { title: 'EventResource', description: 'What changed.' },
)

/** An event of any kind. What `data` says of each is in the registry of kinds (`events.ts`). */
export const Event = Type.Object(
  {
    id: text('The event. Unique; a reader that knows it has seen the event.', 'evt_06gq2w9k5v0000000000000001'),
    type: oneOf(EVENT_TYPES, { title: 'EventType', description: 'The kind.' }),
    schema_version: text('The date of the shape of this body.', EVENT_SCHEMA_VERSION),
    occurred_at: dateTime('When it happened, UTC.'),
    environment: oneOf(ENVIRONMENTS, { description: 'Where it happened.' }),
    account_id: text('The merchant account.', 'ma_cfwwbr254g'),
    resource: EventResource,
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Public facts, by the kind: see the reference of events.',
    }),
  },
  { title: 'Event', description: 'What happened, in the bytes that were fixed when it did.' },
)
export type Event = Static<typeof Event>

export const EventPage = Type.Object(
  {
    data: Type.Array(Event, {
      description: 'In the order of the feed. May be empty with a filter, and not be the last.',
    }),
    next_cursor: nullable(
      Type.String(),
      'Where the next page begins. Null when there is nothing behind this page: keep the last one that was not null, and go on with it later.',
    ),
  },
  { title: 'EventPage', description: 'One page of the feed.' },
)
export type EventPage = Static<typeof EventPage>

const MAX_EVENTS_ON_A_PAGE = 100
export const EVENTS_ON_A_PAGE = 50

export const ListEventsQuery = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        default: '0',
        description:
          '`0` begins with the oldest event that is kept; else a `next_cursor`, however old. One from before what is kept goes on with the oldest.',
      }),
    ),
    limit: Type.Optional(
      Type.String({
        pattern: '^(?:[1-9][0-9]?|100)$',
        'x-message': `must be a whole number from 1 to ${MAX_EVENTS_ON_A_PAGE}`,
        default: String(EVENTS_ON_A_PAGE),
        description: 'How many are returned at most.',
        examples: ['50'],
      }),
    ),
    type: Type.Optional(oneOf(EVENT_TYPES, { description: 'Only events of this kind.' })),
    resource_id: Type.Optional(reference(255, 'Only events about this resource.', 'txn_06gq2w9k5v0000000000000004')),
    from: Type.Optional(dateTime('Only events that happened at this time or later.')),
    to: Type.Optional(
      dateTime(
        `Only events that happened at this time or earlier; at most ${EVENT_RETENTION_DAYS} days after \`from\`.`,
      ),
    ),
  },
  { additionalProperties: false },
)
export type ListEventsQuery = Static<typeof ListEventsQuery>

/** No rule on the form of an id: an id that is not one of ours is not found. */
export const EventParams = Type.Object({ eventId: text('The `id` of the event.') })
