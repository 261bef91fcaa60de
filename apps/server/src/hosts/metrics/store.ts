import { INCIDENT_REASONS } from '@mintmark/contract'
import { int, nullable, oneOf, text, time } from '../../db/row.ts'
import { many, one } from '../../db/statement.ts'
import { LISTED, WORK_KINDS, type WorkKind } from '../../jobs/fragments.ts'

// What an operator watches over all merchants. Each looks at no more rows than `$most`, by an index of what is open: an answer costs
// the same however much was done before.

const dueOf = (kind: WorkKind | 'charge', table: string, due: string, of: string) =>
  `select '${kind}' as kind, count(*)::int as count, min(due_at) as oldest_at from (
     select ${due} as due_at from ${table} where ${of}${LISTED} and ${due} <= $at order by ${due} limit $most) first` as const

/** How much of each kind of work is due, and since when the oldest is. */
export const listDueWork = many(
  'metrics.list_due_work',
  [
    dueOf('charge', 'charges', 'work_due_at', ''),
    ...WORK_KINDS.map((kind) => dueOf(kind, 'open_work', 'due_at', `kind = '${kind}' and `)),
  ].join('\n   union all\n   ') as ReturnType<typeof dueOf>,
  { kind: text, count: int, oldestAt: nullable(time) },
)

/** Mails that wait, and since when the oldest has been there. */
export const findWaitingMails = one(
  'metrics.find_waiting_mails',
  `select count(*)::int as count, min(created_at) as oldest_at from (
     select created_at from mails where state = 'queued' order by created_at limit $most) first`,
  { count: int, oldestAt: nullable(time) },
)

/** Events without a number, and the oldest of those looked at. */
export const findUnnumbered = one(
  'metrics.find_unnumbered',
  `select count(*)::int as count, min(occurred_at) as oldest_at from (
     select occurred_at from captured_events where parked is null order by merchant_id, id limit $most) first`,
  { count: int, oldestAt: nullable(time) },
)

export const countParked = one(
  'metrics.count_parked',
  `select count(*)::int as count from (
     select 1 from captured_events where parked is not null order by merchant_id, occurred_at limit $most) first`,
  { count: int },
)

/** Purchases that an operator may end: found by their work, which is there until they have ended. */
export const countUnresolved = one(
  'metrics.count_unresolved',
  `select count(*)::int as count from (
     select 1 from open_work work
     join lateral (
       select state, unknown_since from purchases where merchant_id = work.merchant_id and charge_id = work.id offset 0) p on true
     where work.kind = 'purchase' and work.${LISTED} and (p.state = 'needs_human' or p.state = 'paying' and p.unknown_since is not null)
     limit $most) first`,
  { count: int },
)

/** Deliveries in the queue, and how many of them are of the account that has the most. */
export const findQueued = one(
  'metrics.find_queued_deliveries',
  `select coalesce(sum(waiting), 0)::int as count, coalesce(max(waiting), 0)::int as longest from (
     select merchant_id, count(*) as waiting from (
       select merchant_id from webhook_deliveries where state = 'queued'
       order by merchant_id, endpoint_id, revision, send_at limit $most) first
     group by merchant_id) account`,
  { count: int, longest: int },
)

export const countOpenIncidents = many(
  'metrics.count_open_incidents',
  `select reason, count(*)::int as count from (
     select reason from webhook_incidents where closed_at is null order by merchant_id, endpoint_id limit $most) first
   group by reason`,
  { reason: oneOf(INCIDENT_REASONS), count: int },
)
