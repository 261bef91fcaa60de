import { types } from 'node:util'
import { MintmarkApiError } from './api-error.ts'
import type { EventType, MintmarkEvent } from './event-types.ts'
import { pause } from './repeat.ts'
import { type RequestOptions, readJson } from './request.ts'

export interface FeedOptions extends RequestOptions {
  /** The one that you saved last. Default: `0`, the oldest event that is kept. */
  cursor?: string
  /** Only events of this kind. */
  type?: EventType
  /** About one resource only. */
  resourceId?: string
  /** Only events that happened then or later. */
  from?: Date
  /** Only events that happened then or earlier: at most 30 days after `from`. */
  to?: Date
  /** Events a page, at most 100. Default: 50. */
  limit?: number
  /** Goes on for ever, and asks again after a pause whenever it is caught up. Default: ends there. */
  follow?: boolean
  /** The pause of `follow`. Default: 1000. */
  pollMillis?: number
}

/** Some events, oldest first. */
export interface EventPage {
  /** None of them was in an earlier page of the same reader. May be empty. */
  events: MintmarkEvent[]
  /** Save it when the events are safe, and begin with it next time. */
  cursor: string
  /** There is nothing newer at present. */
  caughtUp: boolean
}

const POLL_MILLIS = 1_000

/**
 * Reads the feed from a cursor on, page by page. Process a page durably, then save its `cursor`: whatever happens in between,
 * no event is lost. After a restart the newest events come again, so deduplicate by id as for deliveries.
 *
 * Throws `MintmarkApiError` when a page was refused, or not answered in all attempts, the reason of `signal` when that ends it, and a
 * `TypeError` for an address or a key that nothing can be sent with, and for a time that is no `Date`.
 */
export async function* events(options: FeedOptions): AsyncGenerator<EventPage, void, void> {
  const { follow = false, pollMillis = POLL_MILLIS, signal } = options
  let cursor = options.cursor ?? '0'
  // The service gives no cursor for a page that is not full, so the events after the last cursor are read again.
  let known = new Set<string>()
  let wasCaughtUp = false
  for (;;) {
    const { data, next_cursor } = await readPage(cursor, options)
    const page = data.filter(({ id }) => !known.has(id))
    for (const { id } of page) known.add(id)
    if (next_cursor !== null) {
      cursor = next_cursor
      known = new Set()
    }
    const caughtUp = next_cursor === null
    if (page.length > 0 || caughtUp !== wasCaughtUp) yield { events: page, cursor, caughtUp }
    wasCaughtUp = caughtUp
    if (!caughtUp) continue
    if (!follow) return
    await pause(pollMillis, signal)
  }
}

interface WirePage {
  data: MintmarkEvent[]
  next_cursor: string | null
}

async function readPage(cursor: string, options: FeedOptions): Promise<WirePage> {
  const { type, resourceId, from, to, limit } = options
  const query = new URLSearchParams({ cursor })
  const add = (name: string, value: string | undefined) => value !== undefined && query.set(name, value)
  add('type', type)
  add('resource_id', resourceId)
  add('from', timeText('from', from))
  add('to', timeText('to', to))
  add('limit', limit?.toString())
  const page = (await readJson(`/v1/events?${query}`, options)) as Partial<WirePage> | null
  if (Array.isArray(page?.data) && page.next_cursor !== undefined) return page as WirePage
  const message = `${options.apiUrl} answered, but with no page of events. Is it the address of the main API?`
  throw new MintmarkApiError(message, { status: 200, code: null, responseId: null })
}

/** In plain JavaScript a text is passed as easily: it is named, where its missing method would not be understood. */
function timeText(name: 'from' | 'to', time: Date | null | undefined): string | undefined {
  if (time === undefined || time === null) return undefined
  if (types.isDate(time) && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new TypeError(`${name} is no time: it must be a Date, as new Date('2026-01-31T12:00:00Z').`)
}
