import type { EventType } from '@mintmark/contract'
import type { Pool } from 'pg'
import { type CommandDeps, command } from '../../db/command.ts'
import type { Clock } from '../../platform/clock.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { secret } from '../../platform/secret.ts'
import { ManualClock } from '../../platform/testing/manual-clock.ts'
import { bodyOf } from '../body.ts'
import type { EventDeps, OnNumbered } from '../deps.ts'
import { createEventService, createEventSink } from '../service.ts'

/** An event to capture; what is left out is made up. */
export interface Given {
  merchantId?: string
  type?: EventType
  resourceId?: string
  version?: number
  data?: Record<string, string>
}

interface WorldOptions {
  clock?: Clock
  log?: Log
  onNumbered?: OnNumbered[]
}

export const MERCHANT = 'ma_0000000001'
export const OTHER = 'ma_0000000002'

/** The service of events on a database, and a way to capture. */
export function eventWorld(pool: Pool, options: WorldOptions = {}) {
  const { clock = new ManualClock(), log = createLog({ level: 'silent' }), onNumbered = [] } = options
  const sink = createEventSink({ environment: 'sandbox', log })
  const cursorKey = secret(Buffer.alloc(32, 9))
  const deps: EventDeps = { pool, clock, events: sink, log, cursorKey, onNumbered }
  return { deps, clock, events: createEventService(deps), capture: (given?: Given) => capture(deps, given) }
}

let resources = 0

/** The captured event of `given`, for `emit`. */
export function captured({ merchantId = MERCHANT, type = 'payment.failed', version = 1, ...given }: Given = {}) {
  resources += 1
  const { resourceId = `txn_${String(resources).padStart(26, '0')}`, data = { of: resourceId } } = given
  return { merchantId, type, resource: { type: 'payment', id: resourceId, version }, data }
}

/** Captures one event in a transaction of its own. Returns its id. */
export async function capture(deps: CommandDeps, given: Given = {}): Promise<string> {
  const event = captured(given)
  await command(deps, { name: 'toys.paint', events: [event.type] }, async ({ emit }) => emit(event))
  const { rows } = await deps.pool.query<{ id: string }>(
    `select id from captured_events where merchant_id = $1 and resource_id = $2 and resource_version = $3`,
    [event.merchantId, event.resource.id, event.resource.version],
  )
  return rows[0]?.id ?? 'numbered already'
}

/** What the feed of a merchant has, as its columns stand. */
export async function feedOf(pool: Pool, merchantId: string = MERCHANT) {
  const { rows } = await pool.query<{ position: bigint; id: string; resource: string; version: number }>(
    `select feed_pos as position, id, resource_id as resource, resource_version as version
     from events where merchant_id = $1 order by feed_pos`,
    [merchantId],
  )
  return rows
}

/** Reads a feed from a cursor to its end: bodies, and the last cursor that was not null. */
export async function readOn(
  { events }: Pick<ReturnType<typeof eventWorld>, 'events'>,
  query: Partial<Parameters<typeof events.list>[0]> = {},
) {
  const bodies: string[] = []
  let cursor = query.cursor
  let pages = 0
  for (;;) {
    const page = await events.list({ ...ALL, ...query, cursor })
    pages += 1
    bodies.push(...page.events.map(bodyOf))
    if (page.nextCursor === null) return { bodies, cursor, pages, ids: bodies.map((body) => JSON.parse(body).id) }
    cursor = page.nextCursor
  }
}

const ALL = {
  merchantId: MERCHANT,
  cursor: undefined,
  types: undefined,
  resourceId: undefined,
  from: undefined,
  to: undefined,
  limit: 50,
}
