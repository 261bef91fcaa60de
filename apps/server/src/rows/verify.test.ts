import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, complete, createSession } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { undone } from '../../test/undone.ts'
import { charge, chargeable } from '../charges/testing/charge.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { RULES } from './rules.ts'
import { look, startOf, TABLE_COUNT, verify } from './verify.ts'

// Guarantee: a row of a hot table that contradicts itself, or names a row that is not there, is found, by the rule that it breaks and no other.

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  const { merchant } = service
  const paid = await createSession(merchant)
  expect((await complete(merchant, paid.session_id)).status).toBe(200)
  await createSession(merchant, { mandate_setup: { recurring_frequency: 'monthly' } })
  const id = await chargeable(service, await newOwner(service))
  await charge(merchant, id, { amount: '10.00' })
  const { session_token } = await createSession(merchant)
  const visitor = cardholder(service, session_token, newAuthenticator(service))
  await visitor.enterCard(CARDS.success)
  await visitor.post('/api/passkey-options')
})
afterAll(() => service?.close())

const NOWHERE = `'nowhere'`
/** Edits that break one rule each: the row, what is set, and what else the edit breaks. */
const EDITS: Readonly<Record<string, readonly [row: string, set: string, also?: readonly string[]]>> = {
  'sessions agent': [`true`, `agent_id = 'agt_1'`],
  'sessions effective_minutes': [`kind = 'payment'`, 'effective_minutes = 0'],
  'sessions integration_type': ['true', `integration_type = 'other'`],
  'sessions kind': [`kind = 'payment'`, `kind = 'other', charge_id = null`],
  'sessions order': [`kind = 'payment'`, 'order_id = null'],
  'sessions proof': ['proof is not null', `proof = 'guessed'`],
  'sessions proven': ['proof is not null', 'proof = null'],
  'sessions subject': [`kind = 'payment'`, 'charge_id = null'],
  'sessions customer_id': ['true', `customer_id = ${NOWHERE}`],
  'sessions charge_id': [`kind = 'payment'`, `charge_id = ${NOWHERE}`],
  'sessions mandate_id': [`kind = 'mandate_setup'`, `mandate_id = ${NOWHERE}`],
  'sessions card_id': ['true', `card_id = ${NOWHERE}`],
  'sessions preselected_vault_record_id': ['true', 'preselected_vault_record_id = gen_random_uuid()'],
  'charges amount_minor': ['true', 'amount_minor = 0'],
  'charges delivery': ['true', `delivery_shop_id = 'shp_1'`],
  'charges failure': [`status = 'awaiting_result'`, `failure_code = 'CARD_DECLINED'`],
  'charges life_minutes': ['true', 'life_minutes = 0'],
  'charges likeness': ['agent_id is null', `likeness = '\\x00'`],
  'charges network_confirmation': ['true', `network_confirmation = 'MAYBE'`],
  'charges paid_minor': ['true', 'paid_minor = -1'],
  'charges reference_freed': ['reference is null', 'reference_freed = true'],
  'charges reference_held': [
    `status = 'completed'`,
    `status = 'failed', failure_code = 'CARD_DECLINED', reference = 'r'`,
  ],
  'charges reported_outcome': ['true', `reported_outcome = 'MAYBE'`],
  'charges card_id': ['card_id is not null', `card_id = ${NOWHERE}`],
  'charges mandate_id': ['mandate_id is not null', `mandate_id = ${NOWHERE}`],
  'charges waits': [`status = 'awaiting_result'`, 'attempts = -1'],
  'charges work': [`status = 'awaiting_result'`, 'work_due_at = null'],
  'charges standing_mandate_id': ['standing_mandate_id is not null', `standing_mandate_id = ${NOWHERE}`],
  'mandates approved': ['activated_at is not null and not per_checkout', 'seal = null'],
  'mandates approved_minor': ['not per_checkout', 'approved_minor = 0, window_spent_minor = 0'],
  'mandates charge_count': ['not per_checkout', 'charge_count = -1'],
  'mandates failure': [`status = 'active'`, `failure_code = 'CARD_DECLINED'`],
  'mandates frequency': ['per_checkout', `frequency = 'hourly'`],
  'mandates max_charges': ['not per_checkout', 'max_charges = 0, charge_count = 0'],
  'mandates merchant_scope': ['true', `merchant_scope = 'some'`],
  'mandates one_time': ['per_checkout', 'max_charges = 2'],
  'mandates window': ['activated_at is not null and not per_checkout', 'window_ends_at = null'],
  'mandates window_spent': ['not per_checkout', 'window_spent_minor = -1'],
  'mandates card_id': ['true', `card_id = ${NOWHERE}`],
  'mandates customer_id': ['true', `customer_id = ${NOWHERE}`],
  'cards deletion': [`status = 'active'`, 'was_default = true'],
  'cards deletion_reason': ['true', `deletion_reason = 'BORED'`, ['cards deletion']],
  'cards ending': [`status = 'active'`, `ending_reason = 'LOST', status = 'provisioning'`],
  'cards ending_reason': [`status = 'active'`, `ending_reason = 'BORED'`],
  'cards once': ['is_default', `once_sessions = '{}'`],
  'cards token': [`status = 'active'`, 'network_token_ref = null'],
  'cards customer_id': ['true', `customer_id = ${NOWHERE}`],
  'cards vault_record_id': ['true', 'vault_record_id = gen_random_uuid()'],
  'passkeys customer_id': ['true', `customer_id = ${NOWHERE}`],
  'approvals subject_type': ['true', `subject_type = 'other'`],
  'captured_events parked': ['true', `parked = 'other'`],
  'open_work kind': ['true', `kind = 'other'`],
  'passkey_challenges ceremony': ['true', `ceremony = 'other'`],
  'passkey_challenges subject_type': ['true', `subject_type = 'other'`],
  'vault_records added_by': ['true', `added_by = 'other'`],
  'vault_records exp_month': ['true', 'exp_month = 13'],
  'vault_records last4': ['true', `last4 = 'abcd'`],
}

/** The other halves of rules that have two. */
const HALVES: readonly (readonly [rule: string, row: string, set: string])[] = [
  ['charges waits', `status = 'completed'`, 'work_due_at = created_at, attempts = 0'],
  ['charges waits', `status = 'awaiting_result'`, `quote_id = 'quo_1'`],
  ['charges waits', `status = 'awaiting_result'`, 'work_due_at = null, attempts = null'],
  ['charges work', `status = 'completed'`, 'lease_until = created_at'],
]

test('every rule has an edit that breaks it', () => {
  const rules = Object.entries(RULES).flatMap(([table, { holds, names }]) =>
    [...Object.keys(holds), ...Object.keys(names)].map((name) => `${table} ${name}`),
  )
  expect(Object.keys(EDITS).toSorted()).toEqual(rules.toSorted())
})

const ALL_EDITS = [
  ...Object.entries(EDITS).map(([rule, [row, set, also = []]]) => [rule, row, set, also] as const),
  ...HALVES.map(([rule, row, set]) => [rule, row, set, []] as const),
]
test.each(ALL_EDITS)('an edit that breaks %s is found: of one where %s, %s', async (rule, row, set, also) => {
  const [table = ''] = rule.split(' ')
  const report = await undone(service, async (client) => {
    const edited = `update ${table} set ${set} where ctid = (select ctid from ${table} where ${row} limit 1)`
    expect((await client.query(edited)).rowCount).toBe(1)
    return verify({ pool: client })
  })
  const found = report.contradictions.map(({ table, rule }) => `${table} ${rule}`)
  expect(found.toSorted()).toEqual([rule, ...also].toSorted())
  expect(report.contradictionCount).toBe(found.length)
})

test('says which row, of whose, and what is wrong with it', async () => {
  const { contradictions } = await undone(service, async (client) => {
    await client.query(`update charges set amount_minor = 0, card_id = 'nowhere' where status = 'completed'`)
    await client.query(
      `update open_work set kind = 'other' where id = (select max(id) from open_work where kind = 'mandate')`,
    )
    return verify({ pool: client })
  })
  const { rows } = await service.pool.query(`select id from charges where status = 'completed'`)
  const { merchantId } = service.merchant
  expect(contradictions).toEqual([
    { table: 'charges', merchantId, row: rows[0].id, rule: 'amount_minor', what: 'not so: amount_minor > 0' },
    { table: 'charges', merchantId, row: rows[0].id, rule: 'card_id', what: 'names a row of cards that is not there' },
    {
      table: 'open_work',
      merchantId,
      row: expect.stringMatching(/^other\/mdt_/),
      rule: 'kind',
      what: expect.stringMatching(/^not so: kind = any \(/),
    },
  ])
})

describe('page by page', () => {
  test.each([1, 2, 1_000])('of %i rows every row is looked at once, of all merchants', (limit) =>
    undone(service, async (client) => {
      for (const table of Object.keys(RULES)) {
        const columns = `select string_agg(format('%I', attname), ', ') as list from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and attname <> 'merchant_id' and not attisdropped`
        const { rows } = await client.query<{ list: string }>(columns, [table])
        const list = rows[0]?.list
        await client.query(
          `insert into ${table} (merchant_id, ${list}) select other, ${list} from ${table}, unnest(array['', 'a', 'zz']) other`,
        )
      }
      for (let table = 0; table < TABLE_COUNT; table += 1) {
        let count = 0
        for (let place = startOf(table); place.table === table; ) {
          const page = await look({ pool: client }, place, limit)
          count += page.rows
          place = page.next
        }
        const name = Object.keys(RULES)[table]
        const { rows } = await client.query(`select count(*)::int as count from ${name}`)
        expect([name, count]).toEqual([name, rows[0].count])
        expect(count).toBeGreaterThan(2)
      }
    }),
  )

  test('those with the least keys that there are, too', () =>
    undone(service, async (client) => {
      await client.query(`update cards set merchant_id = '', id = '' where id = (select min(id) from cards)`)
      await client.query(
        `update vault_records set id = '00000000-0000-0000-0000-000000000000', exp_month = 13 where id = (select id from vault_records limit 1)`,
      )
      await client.query(`update captured_events set parked = 'other', resource_version = -2147483648
        where resource_id = (select min(resource_id) from captured_events)`)
      const { counts } = await verify({ pool: client })
      expect(counts).toMatchObject({
        'cards.customer_id': 1,
        'vault_records.exp_month': 1,
        'captured_events.parked': expect.any(Number),
      })
    }))

  test('shows the first ten of each rule, and counts all', async () => {
    const report = await undone(service, async (client) => {
      await client.query(
        `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence)
         select 'ma_1', 'other', 'txn_' || n, now(), 0, 0 from generate_series(1, 2500) n`,
      )
      return verify({ pool: client })
    })
    expect(report.contradictionCount).toBe(2_500)
    expect(report.counts).toEqual({ 'open_work.kind': 2_500 })
    expect(report.contradictions).toHaveLength(10)
    expect(report.rows.open_work).toBeGreaterThan(2_500)
  })
})
