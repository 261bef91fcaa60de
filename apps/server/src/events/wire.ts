import { EVENTS_ON_A_PAGE, type ListEventsQuery } from '@mintmark/contract/wire/feed'
import { RawJson } from '../http/raw-json.ts'
import { bodyOf, type StoredEvent } from './body.ts'
import type { FeedPage, FeedQuery } from './feed.ts'

export function fromWireQuery(merchantId: string, query: ListEventsQuery): FeedQuery {
  const { cursor, limit, type, resource_id: resourceId, from, to } = query
  return {
    merchantId,
    cursor,
    types: type === undefined ? undefined : [type],
    resourceId,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
    limit: limit === undefined ? EVENTS_ON_A_PAGE : Number(limit),
  }
}

/** The bodies as they were fixed, byte for byte: they are not parsed and written again. */
export function toWirePage({ events, nextCursor }: FeedPage): RawJson {
  return new RawJson(`{"data":[${events.map(bodyOf).join()}],"next_cursor":${JSON.stringify(nextCursor)}}`)
}

export function toWireEvent(event: StoredEvent): RawJson {
  return new RawJson(bodyOf(event))
}
