import { EVENT_RETENTION_DAYS } from '@mintmark/contract'
import { dayOf } from '../db/partitions.ts'
import type { StoredEvent } from '../events/service.ts'
import { addSeconds } from '../platform/clock.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'
import * as store from './events-store.ts'

const PAGE = 50
/** Behind every position of a feed. */
const NEWEST = 9_223_372_036_854_775_807n
const MAX_SENT = 200
const KEPT_SECONDS = EVENT_RETENTION_DAYS * 24 * 60 * 60

export type ListedEvent = Awaited<ReturnType<typeof store.listEvents>>[number]

/** The newest first, below a position. */
export async function listEvents(
  { pool, clock }: ConsoleDeps,
  { merchantId }: ConsoleCaller,
  before: bigint = NEWEST,
): Promise<{ events: ListedEvent[]; before: bigint | null }> {
  const fromDay = dayOf(addSeconds(clock.now(), -KEPT_SECONDS))
  const rows = await store.listEvents(pool, { merchantId, before, fromDay, limit: PAGE + 1 })
  const events = rows.slice(0, PAGE)
  return { events, before: rows.length > PAGE ? (events.at(-1)?.feedPos ?? null) : null }
}

/** With where it went. `NOT_FOUND`: it has no number yet, or is not kept any more. */
export async function readEvent(
  { feed, pool }: ConsoleDeps,
  { merchantId }: ConsoleCaller,
  eventId: string,
): Promise<{ event: StoredEvent; sent: store.SentRow[] }> {
  const event = await feed.find({ merchantId, eventId })
  return { event, sent: await store.listSent(pool, { merchantId, eventIds: [eventId], limit: MAX_SENT }) }
}
