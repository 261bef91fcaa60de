import { EVENTS } from '../events.ts'
import type { World } from './world.ts'

/** What is true of the database, of the network and of the shop when everything is at its end: each finds what is not so. */
const NEVER: readonly [what: string, sql: string][] = [
  ['a charge that is open', `select id, status from charges where status in ('initiated', 'minting')`],
  [
    'a report that was not confirmed',
    `select id from charges where status = 'awaiting_result' and reported_outcome is not null`,
  ],
  ['a session that is open', 'select id from sessions where closed_at is null'],
  ['an enrollment that is open', `select session_id from enrollments where status = 'open'`],
  ['a mandate that is pending', `select id from mandates where status = 'pending'`],
  [
    'a purchase that is open',
    `select charge_id, state from purchases where state not in ('paid', 'failed', 'prepare_failed')`,
  ],
  ['work that somebody holds', 'select kind, id from open_work where lease_until is not null'],
  ['a charge that somebody holds', 'select id from charges where lease_until is not null'],
  [
    'a credential of a charge that has ended',
    `select id from charges where status in ('failed', 'completed') and credential_sealed is not null`,
  ],
  [
    'a credential that waits without work to let it lapse',
    `select id from charges where status = 'awaiting_result' and attempts is null
       and not exists (select 1 from open_work where open_work.id = charges.id)`,
  ],
  [
    'another word here than at the network',
    `select c.id, c.status, n.confirmed_outcome from charges c left join simnet.mints n on n.charge_id = c.id
     where (c.status = 'completed') is distinct from (n.confirmed_outcome = 'APPROVED') and (c.status = 'completed' or n.confirmed_outcome = 'APPROVED')`,
  ],
  [
    'a credential that could be spent, of a charge that failed',
    `select c.id, c.failure_code from charges c join simnet.mints n on n.charge_id = c.id
     where c.status = 'failed' and n.credential_state = 'open' and n.confirmed_outcome is null and n.valid_until > $1`,
  ],
  [
    'more charged to a mandate here than there',
    `select m.id, m.charge_count, i.charge_count from mandates m join simnet.instructions i on i.mandate_id = m.id
     where not m.per_checkout and m.status in ('active', 'paused') and m.charge_count <> i.charge_count`,
  ],
  [
    'a mandate that ended here alone',
    `select m.id from mandates m join simnet.instructions i on i.mandate_id = m.id where m.status = 'cancelled' and i.state = 'active'
       and not exists (select 1 from charges c where c.mandate_id = m.id and c.status = 'awaiting_result' and c.credential_sealed is not null)`,
  ],
  [
    'a live mandate of a deleted card',
    `select m.id from mandates m join cards c on c.id = m.card_id where c.status = 'deleted' and m.status in ('active', 'paused')`,
  ],
  [
    'a token of a card that was deleted',
    `select t.card_id, c.status from simnet.tokens t join cards c on c.id = split_part(t.card_id, '.', 1)
     where t.state <> 'deleted' and (c.status = 'deleted' or c.status = 'active' and t.token_ref is distinct from c.network_token_ref)`,
  ],
  [
    'a number without its card',
    `select id from vault_records v where added_by <> 'merchant' and not exists (select 1 from cards c where c.vault_record_id = v.id)`,
  ],
  [
    'two cards by default, or none',
    `select customer_id from cards where status = 'active' and once_sessions is null group by customer_id
     having count(*) filter (where is_default) <> 1`,
  ],
  ['a subject that was approved twice', 'select subject_id from approvals group by 1 having count(*) > 1'],
  [
    'a quote that was used twice',
    'select quote_id from charges where quote_id is not null group by 1 having count(*) > 1',
  ],
  ['an event without a number', 'select id from captured_events'],
  ['a gap in a feed', 'select merchant_id from events group by 1 having count(*) <> max(feed_pos) - min(feed_pos) + 1'],
  [
    'two events of one version',
    `select resource_id, resource_version from ${EVENTS} e group by resource_type, 1, 2 having count(*) > 1`,
  ],
  [
    'an end without its one event',
    `select c.id, c.status from charges c where c.status in ('completed', 'failed') and 1 <> (
       select count(*) from ${EVENTS} e where (e.resource_id = c.id or e.resource_id = c.opened_by)
         and e.type in ('session.revoked', case c.status when 'failed' then 'payment.failed' else 'payment.succeeded' end))`,
  ],
  [
    'a setup without the one event of its end',
    `select m.id, m.status from mandates m where not per_checkout and 1 <> (
       select count(*) from ${EVENTS} e where e.resource_id in (m.id, m.session_id)
         and (e.type like 'mandate.creat%' or e.type = 'session.revoked'))`,
  ],
]

/** What is not as it should be, in words; nothing, if all is well. */
export async function problemsOf({ own, shop, alarms, nodes: [{ clock }] }: World): Promise<string[]> {
  const problems: string[] = []
  const note = (what: string, rows: readonly object[]) => {
    if (rows.length > 0) problems.push(`${what}: ${rows.length}, the first is ${JSON.stringify(rows[0])}`)
  }
  for (const [what, sql] of NEVER) note(what, (await own.query(sql, sql.includes('$1') ? [clock.now()] : [])).rows)
  note(
    'rows that nobody has edited',
    alarms.map((line) => JSON.parse(line)),
  )
  const atShop = [...shop.purchases].map(([id, { state, payments }]) => ({ id, state, payments }))
  note(
    'paid twice at the shop',
    atShop.filter(({ payments }) => payments > 1),
  )
  note(
    'held at the shop for ever',
    atShop.filter(({ state }) => state === 'open'),
  )
  const paid = atShop.filter(({ state }) => state === 'paid').map(({ id }) => id)
  const unpaid = await own.query(`select id, status from charges where id = any($1) and status <> 'completed'`, [paid])
  note('paid at the shop, and not here', unpaid.rows)
  const { rows } = await own.query('select deadlocks::int from pg_stat_database where datname = current_database()')
  note(
    'deadlocks',
    rows.filter(({ deadlocks }) => deadlocks > 0),
  )
  return problems
}

/** How many charges have come to either end: what is looked at above was there. */
export async function endsOf({ own }: World): Promise<{ completed: number; failed: number }> {
  const { rows } = await own.query(
    `select count(*) filter (where status = 'completed')::int as completed, count(*) filter (where status = 'failed')::int as failed from charges`,
  )
  return rows[0]
}
