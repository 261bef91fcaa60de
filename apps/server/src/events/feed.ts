import { EVENT_RETENTION_DAYS, type EventType } from '@mintmark/contract'
import { dayOf } from '../db/partitions.ts'
import { addSeconds } from '../platform/clock.ts'
import { type ErrorDetails, fieldErrors, notFound } from '../platform/errors.ts'
import type { StoredEvent } from './body.ts'
import { type Cursor, createCursors } from './cursor.ts'
import type { EventDeps } from './deps.ts'
import * as store from './feed-store.ts'
import { type EventRef, eventDay, eventTime } from './ref.ts'
import { keptFrom } from './retention.ts'

type FeedDeps = Pick<EventDeps, 'pool' | 'clock' | 'cursorKey'>

export interface FeedQuery {
  merchantId: string
  /** `0` or undefined: the oldest event kept. */
  cursor: string | undefined
  types: readonly EventType[] | undefined
  resourceId: string | undefined
  from: Date | undefined
  to: Date | undefined
  limit: number
}

export interface FeedPage {
  events: StoredEvent[]
  /** Null: there is nothing behind this page. */
  nextCursor: string | null
}

/**
 * How many positions one page looks at, or events of one resource. With a filter that few events pass a page may be empty and not be the last: what a page
 * costs does not depend on what it finds.
 */
const WINDOW = 2_000n

/**
 * Events are numbered nearly in the order of their times: one that happened earlier may come this much later, because its
 * transaction took as long. No transaction lasts longer.
 */
const DISORDER_SECONDS = 300

/** One page of a merchant's feed: numbered events only, in their one order. */
export async function list(deps: FeedDeps, query: FeedQuery): Promise<FeedPage> {
  const { merchantId, limit, resourceId } = query
  const cursors = createCursors(deps.cursorKey)
  const cursor = readCursor(cursors.decode, query)
  const time = timeOf(deps, query)
  const bounds = await findBounds(deps, merchantId, time)
  // What is past its time, or before the time that is asked for, is passed in one step.
  const after = greatest(bounds.before, positionOf(cursor, bounds))
  const range = { merchantId, fromDay: dayOf(time.from), after, upTo: bounds.last }
  const upTo = await reachOf(deps, range, query)
  const values = { ...range, ...time, upTo, types: query.types ?? null, limit }
  const events = after < upTo ? await listBetween(deps, values, resourceId) : []
  const position = events.length === limit ? (events.at(-1)?.feedPos ?? upTo) : upTo
  const isLast = position >= bounds.last
  return { events, nextCursor: isLast ? null : cursors.encode(merchantId, { epoch: bounds.epoch, position }) }
}

/** The time that is asked for, as far as it is kept. Callers may name any; the database is asked about those that it knows. */
function timeOf(deps: FeedDeps, { from, to }: FeedQuery): { from: Date; to: Date } {
  const oldest = keptFrom(deps)
  return { from: within(oldest, from ?? oldest, LATEST), to: within(EARLIEST, to ?? LATEST, LATEST) }
}

/**
 * Before and after all events, and far enough from the ends of the calendar to be moved by `DISORDER_SECONDS`: PostgreSQL has no year 0,
 * and cannot read how JavaScript writes the year 10000 (`+010000-01-01`).
 */
const EARLIEST = new Date(0)
const LATEST = new Date('9999-12-01T00:00:00.000Z')

function within(first: Date, time: Date, last: Date): Date {
  if (time < first) return first
  return time > last ? last : time
}

interface Bounds {
  head: bigint
  epochStart: bigint
  epoch: bigint
  previous: bigint | null
  /** Greater than this is every position of the time that is asked for. */
  before: bigint
  /** None of them is greater than this. */
  last: bigint
}

async function findBounds(deps: FeedDeps, merchantId: string, time: { from: Date; to: Date }): Promise<Bounds> {
  const [from, after] = [addSeconds(time.from, -DISORDER_SECONDS), addSeconds(time.to, DISORDER_SECONDS)]
  const place = { merchantId, from, fromDay: dayOf(from), after, afterDay: dayOf(after) }
  const bounds = await store.findBounds(deps.pool, place)
  if (bounds === undefined) throw new Error('The feed has no epoch.')
  return { ...bounds, before: bounds.before ?? bounds.head, last: bounds.last ?? bounds.head }
}

/** The position that this page looks up to. Events of one resource have few of them, and are counted instead. */
async function reachOf(
  { pool }: FeedDeps,
  range: { merchantId: string; fromDay: string; after: bigint; upTo: bigint },
  { resourceId, types }: FeedQuery,
): Promise<bigint> {
  const { after, upTo } = range
  if (resourceId === undefined) return least(upTo, after + WINDOW)
  if (types === undefined || after >= upTo) return upTo
  const reach = await store.findReach(pool, { ...range, resourceId, most: Number(WINDOW) })
  return reach?.count === Number(WINDOW) ? (reach.position ?? upTo) : upTo
}

type PageValues = Parameters<typeof store.listPage>[1]

function listBetween({ pool }: FeedDeps, values: PageValues, resourceId: string | undefined) {
  if (resourceId === undefined) return store.listPage(pool, values)
  return store.listPageOfResource(pool, { ...values, resourceId })
}

/**
 * A restored database gives positions again, from the head it was restored with: a reader of the epoch before goes on there, or
 * where it was if that is before. Nothing is known of older epochs but that what is kept is safe.
 */
function positionOf({ epoch: of, position }: Cursor, { head, epochStart, epoch, previous }: Bounds): bigint {
  if (of === FROM_THE_START) return 0n
  if (of === epoch && position <= head) return position
  if (of === previous) return least(position, epochStart)
  if (of < epoch) return 0n
  throw fieldErrors({ cursor: CURSOR_PROBLEM })
}

const CURSOR_PROBLEM = 'must be 0, or a next_cursor of this account'
const FROM_THE_START = -1n

function readCursor(decode: (merchantId: string, text: string) => Cursor | undefined, query: FeedQuery): Cursor {
  const { merchantId, cursor: text = '0' } = query
  const cursor = text === '0' ? { epoch: FROM_THE_START, position: 0n } : decode(merchantId, text)
  const details: ErrorDetails = {
    ...(cursor === undefined && { cursor: CURSOR_PROBLEM }),
    ...rangeProblem(query),
  }
  if (cursor === undefined || Object.keys(details).length > 0) throw fieldErrors(details)
  return cursor
}

const MAX_RANGE_MILLIS = EVENT_RETENTION_DAYS * 24 * 60 * 60 * 1000

function rangeProblem({ from, to }: FeedQuery): ErrorDetails {
  if (from === undefined || to === undefined) return {}
  if (to < from) return { to: 'must not be before from' }
  if (to.getTime() - from.getTime() <= MAX_RANGE_MILLIS) return {}
  return { to: `must be at most ${EVENT_RETENTION_DAYS} days after from` }
}

/** One event that can still be read. Not found: there is none, it has no number yet, or it is another merchant's. */
export async function find(deps: FeedDeps, { merchantId, eventId }: EventRef): Promise<StoredEvent> {
  const [occurredAt, day] = [eventTime(eventId), eventDay(eventId)]
  if (occurredAt === undefined || day === undefined || occurredAt < keptFrom(deps)) throw notFound()
  const event = await store.findEvent(deps.pool, { merchantId, eventId, day, occurredAt })
  if (event === undefined) throw notFound()
  return event
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)
const greatest = (one: bigint, other: bigint) => (one > other ? one : other)
