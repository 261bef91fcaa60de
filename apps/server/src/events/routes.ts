import { EVENT_KINDS } from '@mintmark/contract/wire/events'
import { Event, EventPage, EventParams, ListEventsQuery } from '@mintmark/contract/wire/feed'
import { type Route, route } from '../http/route.ts'
import { perMerchant, secretKey } from '../merchants/credential.ts'
import { notFound } from '../platform/errors.ts'
import type { EventService } from './service.ts'
import { fromWireQuery, toWireEvent, toWirePage } from './wire.ts'

export function eventRoutes(events: EventService): Route[] {
  return [listRoute(events), readRoute(events)]
}

const COMMON = { tag: 'Events', auth: [secretKey], limit: perMerchant, status: 200, noStore: true } as const
const EXAMPLE = EVENT_KINDS['payment.succeeded'].example

function listRoute(events: EventService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/events',
    operationId: 'listEvents',
    summary: 'Read the feed of events',
    description:
      'Every committed event of the last 30 days, once and in a fixed order; none ever appears behind a `next_cursor` that was given out. Save a `next_cursor` when its page is processed. A filter may leave a page empty that is not the last.',
    query: ListEventsQuery,
    response: EventPage,
    example: { response: { data: [EXAMPLE], next_cursor: null } },
    errors: [],
    async handler({ caller: { merchantId }, query }) {
      return toWirePage(await events.list(fromWireQuery(merchantId, query)))
    },
  })
}

function readRoute(events: EventService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/events/:eventId',
    operationId: 'getEvent',
    summary: 'Read an event',
    description: 'The same bytes as in the feed and in every delivery, for 30 days.',
    params: EventParams,
    response: Event,
    example: { response: EXAMPLE },
    errors: [notFound],
    async handler({ caller: { merchantId }, params: { eventId } }) {
      return toWireEvent(await events.find({ merchantId, eventId }))
    },
  })
}
