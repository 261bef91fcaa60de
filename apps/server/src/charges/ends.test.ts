// Guarantee: an end is written once, by who holds the charge as it still is, and does to its mandate what the table of the docs says.
import { readFileSync } from 'node:fs'
import type { Pool, PoolClient } from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { undone } from '../../test/undone.ts'
import { createEventSink } from '../events/service.ts'
import { chargeRow, standingMandate, startWithOwner } from '../mandates/testing/standing.ts'
import { addSeconds } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import type { ChargeDeps } from './deps.ts'
import { ENDS, type HeldCharge, record } from './ends.ts'

const { service, owner, close } = await startWithOwner()
afterAll(close)
const { merchantId } = owner.merchant
const at = service.clock.now()
const [lapsesAt, nextDueAt] = [addSeconds(at, 60), addSeconds(at, 120)]

type Kind = 'checkout' | 'standing'
type Name = keyof typeof ENDS
const NAMES = Object.keys(ENDS) as Name[]
const KINDS = ['checkout', 'standing'] as const
const CASES = NAMES.flatMap((name) =>
  KINDS.filter((kind) => ENDS[name][kind] !== undefined).map((kind) => [name, kind] as const),
)

/** The table of `docs/flows/payments.md`: the cells of each end. */
const page = readFileSync(new URL('../../../../docs/flows/payments.md', import.meta.url), 'utf8')
const TABLE = new Map(
  [...page.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)].map(([, name = '', cells = '']) => {
    const [from, event, failure, checkout = '', standing = ''] = cells
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
    return [name, { from, event, failure, checkout, standing }]
  }),
)
/** What becomes of the mandate, by the words of the table. Only a charge of a standing one has a reference. */
const MANDATE_AFTER: Record<string, object> = {
  active: { mandate: 'active', count: 1, spent: 2500, freed: false },
  cancelled: { mandate: 'cancelled', count: 1, spent: 2500, freed: false },
  consumed: { mandate: 'consumed', count: 1, spent: 2500, freed: false },
  'as it was': { mandate: 'active', count: 1, spent: 2500, freed: false },
  'given back': { mandate: 'active', count: 0, spent: 0, freed: true, today: 0 },
}
const OVER = { work: null, open: 0 }
const AFTER = {
  'payment.credentials_ready': { status: 'awaiting_result', sealed: 'sealed', work: lapsesAt, open: 1, today: 2500 },
  'payment.succeeded': { status: 'completed', confirmation: 'SUCCESS', ...OVER, today: 2500 },
  'payment.failed': { status: 'failed', sealed: null, ...OVER },
  'charge.report_overdue': { status: 'awaiting_result', overdue: true, work: nextDueAt, open: 1, today: 2500 },
}

const MANDATE = {
  standing: await standingMandate(service, owner, { frequency: 'one_time' }),
  checkout: owner.mandateId,
}
const CHARGE = { standing: await chargeRow(service, owner, MANDATE.standing), checkout: owner.chargeId }

const REPORTED: Partial<Record<Name, 'APPROVED' | 'DECLINED'>> = {
  paid: 'APPROVED',
  paidLast: 'APPROVED',
  declined: 'DECLINED',
}

/** The charge as it is before the end, in hand; a standing one is an agent's. */
async function held(tx: PoolClient, name: Name, kind: Kind): Promise<HeldCharge> {
  const { from } = ENDS[name]
  const [id, mandateId] = [CHARGE[kind], MANDATE[kind]]
  const reportedOutcome = REPORTED[name] ?? null
  // There is no such agent.
  await tx.query('set local session_replication_role = replica')
  const sealed = from === 'awaiting_result' && reportedOutcome === null ? Buffer.from('before') : null
  await tx.query(
    `update charges set status = $2, reported_outcome = $3, network_confirmation = null, failure_code = null, version = 7,
       amount_minor = 2500, reference = $9, credential_sealed = $4, credential_key_id = $5, created_at = $6,
       window_started_at = (select window_started_at from mandates where id = $7), agent_id = $8,
       work_due_at = $6, attempts = 1, lease_until = $6, lease_fence = 5
     where id = $1`,
    [
      ...[id, from, reportedOutcome, sealed, sealed && 'key', at, mandateId],
      ...(kind === 'standing' ? ['agt_1', 'r'] : [null, null]),
    ],
  )
  await tx.query(
    `update mandates set status = $2, version = 1, charge_count = 1, window_spent_minor = 2500, ended_at = null where id = $1`,
    [mandateId, kind === 'checkout' && from === 'minting' ? 'pending' : 'active'],
  )
  await tx.query(
    `insert into agent_spending (merchant_id, agent_id, open_count, day, day_minor, month, month_minor)
     values ($1, 'agt_1', 1, ($2::timestamptz at time zone 'UTC')::date, 2500, '2000-01-01', 0)`,
    [merchantId, at],
  )
  const standingMandateId = kind === 'standing' ? mandateId : null
  return {
    ...{ merchantId, id, mandateId, standingMandateId, leaseFence: 5n, version: 7, reportedOutcome },
    ...{ orderId: 'ord_1', externalOrderRef: null, amountMinor: 2500n, currency: 'USD', openedBy: null },
  } as HeldCharge
}

/** A pool of the one connection on which everything is undone. */
function poolOf(tx: PoolClient) {
  const client = { query: tx.query.bind(tx), on: tx.on.bind(tx), off: tx.off.bind(tx), release: () => undefined }
  return { connect: async () => client } as unknown as Pool
}

/** What any end may have to know, as its callers say it. */
function recordOn(tx: PoolClient, name: Name, work: HeldCharge, wakeCancellation = () => {}) {
  const events = createEventSink({ environment: 'sandbox', log: createLog({ level: 'silent' }) })
  const deps = { pool: poolOf(tx), clock: service.clock, events, mandates: { wakeCancellation } }
  const facts = {
    ...{ instructionRef: 'instr_1', sealed: Buffer.from('sealed'), keyId: 'key_1', lapsesAt, nextDueAt },
    confirmation: REPORTED[name] === undefined ? null : ('SUCCESS' as const),
    ...{ mandateVersion: 1, consumedId: 'evt_consumed', consumedType: 'mandate.consumed' },
    ...{ consumedResourceType: 'mandate', consumedVersion: 2, consumedData: '{}' },
  }
  const failure = name === 'refused' ? 'CARD_DECLINED' : undefined
  return record(deps as unknown as ChargeDeps, work, name as 'paidLast', () => facts, failure)
}

async function told(tx: PoolClient, kind: Kind) {
  const { rows } = await tx.query(
    `select c.status, c.version, c.failure_code as failure, c.network_confirmation as confirmation, c.overdue_at is not null as overdue,
       convert_from(c.credential_sealed, 'UTF8') as sealed, m.status as mandate, m.charge_count as count,
       m.window_spent_minor::int as spent, s.open_count as open, s.day_minor::int as today,
       c.work_due_at as work, c.lease_until as lease, c.reference_freed as freed,
       (select jsonb_agg(jsonb_build_array(type, data::jsonb -> 'error_code') order by type) from captured_events
        where resource_id in (c.id, m.id) and occurred_at >= $2) as events
     from charges c join mandates m on m.id = c.mandate_id, agent_spending s where c.id = $1 and s.agent_id = 'agt_1'`,
    [CHARGE[kind], at],
  )
  return rows[0]
}

describe.each(CASES)('%s, of a %s', (name, kind) => {
  const { event, failure: always } = ENDS[name]

  test('is written once, with its event', () =>
    undone(service, async (tx) => {
      const wakes = vi.fn()
      const work = await held(tx, name, kind)
      expect(await recordOn(tx, name, work, wakes)).toBeDefined()
      const after = await told(tx, kind)
      const failure = event === 'payment.failed' ? (always ?? 'CARD_DECLINED') : null
      const confirmation = REPORTED[name] === undefined ? null : 'SUCCESS'
      const { open, today, ...charge } = { today: 0, ...AFTER[event] }
      const effect = MANDATE_AFTER[TABLE.get(name)?.[kind] ?? '']
      const ofAgent = kind === 'standing' ? { open, today } : { open: 1, today: 2500 }
      expect(after).toMatchObject({ ...charge, version: 8, lease: null, failure, confirmation, ...ofAgent, ...effect })
      const consumed = name === 'paidLast' ? [['mandate.consumed', null]] : []
      expect(after.events).toEqual([...consumed, [event, failure]])
      expect(wakes).toHaveBeenCalledTimes(after.mandate === 'cancelled' ? 1 : 0)
      expect(await recordOn(tx, name, work)).toBeUndefined()
      expect(await told(tx, kind)).toEqual(after)
    }))

  const readsReport = event === 'payment.failed' || name === 'overdue'
  test.each([
    ['was leased to another', 'update charges set lease_fence = 6 where id = $1'],
    ['was given back', 'update charges set lease_until = null where id = $1'],
    ['has changed', 'update charges set version = 8 where id = $1'],
    [
      'has another status',
      `update charges set status = case status when 'minting' then 'awaiting_result' else 'minting' end,
         credential_sealed = null, credential_key_id = null where id = $1`,
    ],
    ...(readsReport
      ? [['has a report that was not read', `update charges set reported_outcome = 'APPROVED' where id = $1`]]
      : []),
    ...(name === 'paidLast'
      ? [
          [
            'has a mandate that was moved',
            'update mandates set version = 2 where id = (select mandate_id from charges where id = $1)',
          ],
        ]
      : []),
  ])('is not written of one that %s', (_, edit = '') =>
    undone(service, async (tx) => {
      const work = await held(tx, name, kind)
      await tx.query(edit, [work.id])
      const before = await told(tx, kind)
      expect(await recordOn(tx, name, work)).toBeUndefined()
      expect(await told(tx, kind)).toEqual(before)
    }),
  )
})

test.each(CASES.filter(([name, kind]) => TABLE.get(name)?.[kind] === 'as it was'))(
  '%s does not lock the mandate of a %s, which all of its charges want',
  (name, kind) =>
    undone(service, async (tx) => {
      expect(await recordOn(tx, name, await held(tx, name, kind))).toBeDefined()
      const { rows } = await tx.query('select xmax::text as locked_by from mandates where id = $1', [MANDATE[kind]])
      expect(rows).toEqual([{ locked_by: '0' }])
    }),
)

test('the table of the docs has each end, and no other', () => {
  const said = [...TABLE].map(([name, { from, event, failure, ...effect }]) => [
    name,
    from,
    event,
    failure,
    KINDS.filter((kind) => effect[kind] !== ''),
  ])
  const failureOf = (name: Name) => ENDS[name].failure ?? (name === 'refused' ? 'why it is refused' : '')
  expect(said).toEqual(
    NAMES.map((name) => {
      const { from, event } = ENDS[name]
      return [name, from, event, failureOf(name), KINDS.filter((kind) => ENDS[name][kind] !== undefined)]
    }),
  )
})
