import { RECOVERY_STATES } from '@mintmark/contract'
import { bigint, columns, int, nullable, oneOf, text, time } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { overdueRows } from '../../jobs/overdue.ts'
import { originList } from '../../platform/states.ts'
import { RECOVERY_TRANSITIONS } from './states.ts'

const RECOVERY = {
  id: text,
  endpointId: text,
  revision: int,
  fromAt: time,
  toAt: time,
  state: oneOf(RECOVERY_STATES),
  queuedCount: int,
  createdAt: time,
  finishedAt: nullable(time),
}
const PLACE = { afterAt: time, afterId: text, lastPos: bigint }

/** Those with pages left. A page is one transaction and no call outside: one of several workers makes it. */
export const runningRecoveries = overdueRows('recoveries', {
  table: 'webhook_recoveries',
  due: 'created_at',
  where: `state = 'running'`,
})

/** The newest position of a merchant's feed. What is being numbered at this moment is queued by who numbers it. */
export const findHead = one(
  'recoveries.find_head',
  'select feed_pos from event_heads where merchant_id = $merchantId',
  { feedPos: bigint },
)

/** How many of an account began after `$after`, at most `$limit`, and the first of them. */
export const countRecent = one(
  'recoveries.count_recent',
  `select count(*)::int as count, min(id) as first from (
     select id from webhook_recoveries where merchant_id = $merchantId and id > $after order by id desc limit $limit) recent`,
  { count: int, first: nullable(text) },
)

/** The unique index refuses a second one that runs for the endpoint. Zero rows: there is one. */
export const insertRecovery = execute(
  'recoveries.insert',
  `insert into webhook_recoveries (merchant_id, id, endpoint_id, revision, from_at, to_at, after_at, after_id, last_pos,
     queued_count, state, created_at)
   values ($merchantId, $recoveryId, $endpointId, $revision, $fromAt, $toAt, $fromAt, '', $lastPos, 0, 'running', $at)
   on conflict (merchant_id, endpoint_id) where state = 'running' do nothing`,
)

export const findRecovery = one(
  'recoveries.find',
  `select ${columns(RECOVERY)} from webhook_recoveries where merchant_id = $merchantId and id = $recoveryId`,
  RECOVERY,
)
export type RecoveryRow = NonNullable<Awaited<ReturnType<typeof findRecovery>>>

/** None: it is over, or another worker makes its next page. */
export const lockRunning = one(
  'recoveries.lock',
  `select ${columns({ ...RECOVERY, ...PLACE })} from webhook_recoveries
   where merchant_id = $merchantId and id = $recoveryId and state = 'running' for update skip locked`,
  { ...RECOVERY, ...PLACE },
)

/** The next events of the range, in the order of their times. */
export const listEvents = many(
  'recoveries.list_events',
  `select id, type, occurred_at from events
   where merchant_id = $merchantId and day >= $fromDay::date and day <= $toDay::date
     and occurred_at >= $afterAt and occurred_at <= $toAt and (occurred_at, id) > ($afterAt, $afterId)
     and feed_pos <= $lastPos
   order by occurred_at, id limit $limit`,
  { id: text, type: text, occurredAt: time },
)

export const updatePage = execute(
  'recoveries.update_page',
  `update webhook_recoveries set after_at = $afterAt, after_id = $afterId, queued_count = queued_count + $queued
   where merchant_id = $merchantId and id = $recoveryId and state = 'running'`,
)

export const updateOver = execute(
  'recoveries.update_over',
  `update webhook_recoveries set state = $state, finished_at = $at
   where merchant_id = $merchantId and id = $recoveryId
     and state in (${originList(RECOVERY_TRANSITIONS, 'completed')})`,
)
