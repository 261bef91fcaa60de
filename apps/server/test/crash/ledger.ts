import type { Pool } from 'pg'
import { expect } from 'vitest'
import { EVENTS } from '../events.ts'

/** One session with all that hangs on it, at the service and at the simulated network. */
interface Ledger {
  /** The cardholder can still do something with the session. */
  open: boolean
  charge: string
  mandate: string | null
  credential: boolean
  /** An open network call that must still be driven to its end. */
  open_call: boolean
  /** There is open work on the charge: for an open call, or to let the credential lapse. */
  open_work: boolean
  approvals: number
  events: string[]
  /** Captured changes and versions of the payment are one to one. */
  event_a_version: boolean
  minted: number
  counted: number
  spent: number
  confirmed: string | null
}

const READ = `
  select s.closed_at is null as open, c.status as charge, m.status as mandate, c.credential_sealed is not null as credential,
    c.status = 'minting' or c.status = 'awaiting_result' and c.reported_outcome is not null as open_call,
    c.attempts is not null as open_work,
    (select count(*)::int from approvals a where a.merchant_id = s.merchant_id and a.subject_id = s.id) as approvals,
    array(select e.type from ${EVENTS} e where e.merchant_id = s.merchant_id and e.resource_id = c.id
      order by e.resource_version) as events,
    array(select e.resource_version from ${EVENTS} e where e.merchant_id = s.merchant_id and e.resource_id = c.id
      order by e.resource_version) = array(select generate_series(2, c.version)) as event_a_version,
    (select count(*)::int from simnet.mints n where n.state = 'minted' and (n.mandate_id = m.id or n.charge_id = c.id))
      as minted,
    coalesce((select i.charge_count from simnet.instructions i where i.mandate_id = m.id), 0) as counted,
    coalesce((select sum(w.spent_minor)::int from simnet.windows w where w.mandate_id = m.id), 0) as spent,
    (select n.confirmed_outcome from simnet.mints n where n.charge_id = c.id) as confirmed
  from sessions s
  join charges c on c.merchant_id = s.merchant_id and c.id = s.charge_id
  left join mandates m on m.merchant_id = s.merchant_id and m.id = c.mandate_id
  where s.id = $1`

export async function readLedger(pool: Pool, sessionId: string): Promise<Ledger> {
  const { rows } = await pool.query<Ledger>(READ, [sessionId])
  const [ledger] = rows
  if (ledger === undefined || rows.length > 1) throw new Error(`There are ${rows.length} sessions ${sessionId}.`)
  return ledger
}

const UNTOUCHED: Ledger = {
  open: true,
  charge: 'initiated',
  mandate: null,
  credential: false,
  open_call: false,
  open_work: false,
  approvals: 0,
  events: [],
  event_a_version: true,
  minted: 0,
  counted: 0,
  spent: 0,
  confirmed: null,
}
const MINTED: Ledger = {
  ...UNTOUCHED,
  open: false,
  charge: 'awaiting_result',
  mandate: 'active',
  credential: true,
  open_work: true,
  approvals: 1,
  events: ['payment.credentials_ready'],
  minted: 1,
  counted: 1,
  spent: 4000,
}
const REPORTED = { ...MINTED, credential: false, open_work: false }
/** Where a payment of 40.00 may rest, and everything that is then true together. */
export const AT_REST: Readonly<Record<'pending' | 'awaiting_result' | 'completed' | 'failed', Ledger>> = {
  pending: UNTOUCHED,
  awaiting_result: MINTED,
  completed: {
    ...REPORTED,
    charge: 'completed',
    mandate: 'consumed',
    events: ['payment.credentials_ready', 'payment.succeeded'],
    confirmed: 'APPROVED',
  },
  // The declined amount is back, once.
  failed: {
    ...REPORTED,
    charge: 'failed',
    mandate: 'cancelled',
    events: ['payment.credentials_ready', 'payment.failed'],
    counted: 0,
    spent: 0,
    confirmed: 'DECLINED',
  },
}

/** Rows that belong to no session of the ledger: nothing was ever made twice or left over. */
export async function expectNoStrays(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ what: string }>(`
    select 'mint of an unknown charge' as what from simnet.mints n
      where not exists (select 1 from charges c where c.id = n.charge_id)
    union all select 'two mints for one mandate' from simnet.mints where state = 'minted'
      group by mandate_id having count(*) > 1
    union all select 'failed charge whose credential still buys' from charges c
      join simnet.mints n on n.charge_id = c.id and n.state = 'minted' and n.credential_state = 'open'
      join simnet.instructions i on i.mandate_id = n.mandate_id and i.state = 'active', sandbox_clock t
      where c.status = 'failed' and n.valid_until > clock_timestamp() + t.offset_seconds * interval '1 second'
    union all select 'event of an unknown payment' from ${EVENTS} e
      where e.resource_type = 'payment' and not exists (select 1 from charges c where c.id = e.resource_id)
    union all select 'open work on a charge that waits for nothing' from charges c
      where c.attempts is not null and c.status not in ('minting', 'awaiting_result')
    union all select 'open work on a mandate of a checkout that has not ended, or on one that nothing awaits' from open_work w
      where w.kind = 'mandate' and not exists (
        select 1 from mandates m where m.merchant_id = w.merchant_id and m.id = w.id
          and (m.status = 'cancelled' or m.status = 'expired' and m.per_checkout or not m.per_checkout and (m.status = 'active' or m.status = 'pending' and m.seal is not null)))
    union all select 'charge that waits, and nobody knows' from charges c
      where c.status in ('minting', 'awaiting_result') and c.attempts is null
    union all select 'approved mandate that waits, and nobody knows' from mandates m
      where not m.per_checkout and m.status in ('pending', 'active') and m.seal is not null and not exists (
        select 1 from open_work w where w.merchant_id = m.merchant_id and w.kind = 'mandate' and w.id = m.id)
    union all select 'charge of an unknown session' from charges c
      where not exists (select 1 from sessions s where s.merchant_id = c.merchant_id and s.charge_id = c.id)`)
  expect(rows).toEqual([])
}
