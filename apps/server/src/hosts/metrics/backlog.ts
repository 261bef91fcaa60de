import type { Pool } from 'pg'
import { bounded } from '../../platform/bounds.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { remembered } from '../../platform/remembered.ts'
import { CLAIMS_A_SECOND } from '../../webhooks/delivery/pace.ts'
import * as store from './store.ts'

interface Deps {
  pool: Pool
  clock: Clock
  log: Log
  monotonicMillis?: () => number
}

/** More is said as this many. */
const MAX_COUNTED = 10_000
/** What was read serves everyone who asks within this time. */
const KEPT_MILLIS = 5_000
const WITHIN_MILLIS = 2_000

/** What waits in the database, looked at together. */
async function look({ pool, clock }: Deps) {
  const at = clock.now()
  const [work, mails, unnumbered, parked, unresolved, incidents, queued] = await Promise.all([
    store.listDueWork(pool, { at, most: MAX_COUNTED }),
    store.findWaitingMails(pool, { most: MAX_COUNTED }),
    store.findUnnumbered(pool, { most: MAX_COUNTED }),
    store.countParked(pool, { most: MAX_COUNTED }),
    store.countUnresolved(pool, { most: MAX_COUNTED }),
    store.countOpenIncidents(pool, { most: MAX_COUNTED }),
    store.findQueued(pool, { most: MAX_COUNTED }),
  ])
  return { at, work, mails, unnumbered, parked, unresolved, incidents, queued }
}
type Backlog = Awaited<ReturnType<typeof look>>

/** Seconds since then; zero when nothing waits. */
function secondsSince(at: Date, since: Date | null | undefined): number {
  return since == null ? 0 : Math.max(0, (at.getTime() - since.getTime()) / 1000)
}

/** Declares what each look at the metrics reads from the database. Without the database these are missing, and nothing else is. */
export function addBacklog(metrics: Metrics, deps: Deps): void {
  const read = reader(deps)
  const gauge = (name: string, help: string, value: (backlog: Backlog) => number) =>
    metrics.gauge({ name, help, labels: [] }, async () => {
      const backlog = await read()
      return backlog === null ? [] : [{ labels: {}, value: value(backlog) }]
    })
  metrics.gauge({ name: 'database_up', help: 'Whether the database answered.', labels: [] }, async () => [
    { labels: {}, value: (await read()) === null ? 0 : 1 },
  ])
  metrics.gauge({ name: 'work_due', help: 'Work that is due and waits for a worker.', labels: ['kind'] }, async () =>
    ((await read())?.work ?? []).map(({ kind, count }) => ({ labels: { kind }, value: count })),
  )
  const oldest = 'How long the oldest due work has been due. Of `endpoint`: how late deliveries of webhooks are.'
  metrics.gauge({ name: 'work_oldest_due_seconds', help: oldest, labels: ['kind'] }, async () => {
    const backlog = await read()
    if (backlog === null) return []
    return backlog.work.map(({ kind, oldestAt }) => ({ labels: { kind }, value: secondsSince(backlog.at, oldestAt) }))
  })
  gauge('mails_waiting', 'Mails in the outbox.', ({ mails }) => mails?.count ?? 0)
  gauge('mails_oldest_seconds', 'How long the oldest mail has been in the outbox.', ({ at, mails }) =>
    secondsSince(at, mails?.oldestAt),
  )
  gauge(
    'events_unnumbered',
    'Events that are captured and not in the feed yet.',
    ({ unnumbered }) => unnumbered?.count ?? 0,
  )
  gauge('events_sequencer_lag_seconds', 'How long the oldest of them has waited.', ({ at, unnumbered }) =>
    secondsSince(at, unnumbered?.oldestAt),
  )
  gauge(
    'events_parked',
    'Events that cannot be in the feed: an operator has to look.',
    ({ parked }) => parked?.count ?? 0,
  )
  gauge(
    'purchases_unresolved',
    'Purchases that need a person, or whose payment their shop is silent about.',
    ({ unresolved }) => unresolved?.count ?? 0,
  )
  gauge('webhook_deliveries_queued', 'Deliveries in the queues of all accounts.', ({ queued }) => queued?.count ?? 0)
  gauge(
    'webhook_queue_seconds',
    'How long the longest queue of an account takes at least, at the pace of deliveries.',
    ({ queued }) => (queued?.longest ?? 0) / CLAIMS_A_SECOND,
  )
  metrics.gauge(
    { name: 'webhook_incidents_open', help: 'Endpoints with an open incident.', labels: ['reason'] },
    async () => ((await read())?.incidents ?? []).map(({ reason, count }) => ({ labels: { reason }, value: count })),
  )
}

/** Null: there was no answer. */
function reader(deps: Deps): () => Promise<Backlog | null> {
  const ask = () => {
    const bounds = { endsAtMillis: performance.now() + WITHIN_MILLIS, isGone: false, awayMillis: 0 }
    return bounded(bounds, () => look(deps)).catch((error: unknown) => {
      deps.log.failure('the metrics of the database cannot be read', error)
      return null
    })
  }
  return remembered(KEPT_MILLIS, ask, deps.monotonicMillis)
}
