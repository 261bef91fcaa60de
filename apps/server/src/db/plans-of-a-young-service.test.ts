import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { checkServer } from './server.ts'
import { STATEMENTS } from './statement.ts'
import { loadStatements } from './testing/load-statements.ts'
import { type PlanNode, planOf } from './testing/plan.ts'

// Guarantee: the one plan of a statement is good though it was made in the first minutes of a service, and kept: nothing was analyzed then,
// and all indexes were small.

let database: TestDatabase
beforeAll(async () => {
  await loadStatements()
  database = await createTestDatabase()
})
afterAll(() => database?.close())

test('a plan finds a row by its key, not by the merchant and a time (EXPLAIN (GENERIC_PLAN) came with PostgreSQL 16)', async (context) => {
  const { versionNumber } = await checkServer(database.pool)
  context.skip(versionNumber < 160_000)
  const client = await database.pool.connect()
  try {
    await client.query('begin; set local session_replication_role = replica')
    await client.query(MANY_CHALLENGES)
    await client.query(MANY_CARDS)
    // What a migration tells newer servers, older ones find out by themselves.
    if (versionNumber < 180_000) await client.query('analyze passkey_challenges; analyze cards')
    expect(await conditionsOf(client, 'passkeys.claim_challenge', 'passkey_challenges')).toEqual([
      expect.stringMatching(/subject_id = .*challenge = /),
    ])
    for (const [name, table] of FOUND_BY_KEY) {
      const conditions = await conditionsOf(client, name, table)
      expect(conditions, name).not.toEqual([])
      for (const condition of conditions) expect(condition, name).toMatch(/\b(?:id|customer_id) = /)
    }
    for (const name of CHARGED) {
      const nodes = (await planOf(client, STATEMENTS.get(name)?.text ?? '')).flatMap(nodesOf)
      const indexes = nodes.flatMap((node) => (node['Relation Name'] === 'mandates' ? (node['Index Name'] ?? []) : []))
      expect(indexes, name).not.toEqual([])
      // One of standing mandates alone has their id behind another column: all of it would be read.
      for (const index of indexes) expect(index, name).toMatch(/^mandates_(?:id_idx|pkey)$/)
    }
    for (const name of REFERRED) {
      const conditions = await conditionsOf(client, name, 'charges')
      expect(conditions, name).toContainEqual(expect.stringMatching(/standing_mandate_id = .*\breference = /))
    }
  } finally {
    await client.query('rollback')
    client.release()
  }
})

const FOUND_BY_KEY = [
  ['passkeys.insert_first_challenge', 'passkeys'],
  ['sessions.update_accepted', 'sessions'],
  ['sessions.update_accepted', 'cards'],
  ['sessions.update_verified', 'cards'],
  ['sessions.update_renewed', 'cards'],
  ['sessions.revive_entered_card', 'cards'],
  ['sessions.open_deletion', 'cards'],
  ['enrollment.update_provisioned', 'cards'],
  ['cards.update_deleted', 'cards'],
  ['sessions.claim_report', 'sessions'],
  ['sessions.claim_report', 'charges'],
  ['sessions.claim_report', 'mandates'],
] as const
const CHARGED = ['mandates.take', 'mandates.begin_window', 'mandates.find_chargeable', 'charges.insert_opened']
const REFERRED = [
  'charges.insert_opened',
  'charges.find_holder',
  'charges.insert_over_limit',
  'charges.insert_refused_asking',
]
const MANY_CHALLENGES = `
  insert into passkey_challenges (merchant_id, subject_type, subject_id, challenge, ceremony, nonce, bound_text, sign_count,
    embedded, created_at, expires_at)
  select 'ma_1', 'session', 'sess_01m80nvt0a90wzjy9pd67w86' || n, repeat('c', 40) || n, 'assertion', '', '', 0, false, now(),
    now() + n * interval '1 s'
  from generate_series(1, 150) n`
const MANY_CARDS = `
  insert into cards (merchant_id, id, customer_id, vault_record_id, fingerprint, entry_seal, last4, exp_month, exp_year, status,
    network_token_ref, seal, step_up_pending, is_default, created_at, updated_at, accepted_at)
  select 'ma_1', 'card_' || n, 'cus_' || n, null, int4send(n), '', '4242', 1, 2099, 'active', 'ref', '', false, false, now(), now(), now()
  from generate_series(1, 150) n`

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** How a statement's plan narrows its looks at a table by indexes. */
async function conditionsOf(client: PoolClient, name: string, table: string): Promise<string[]> {
  const ofTable = ({ 'Relation Name': of, 'Index Cond': condition, Plans = [] }: PlanNode): string[] => [
    ...(of === table && condition !== undefined ? [condition] : []),
    ...Plans.flatMap(ofTable),
  ]
  return (await planOf(client, STATEMENTS.get(name)?.text ?? '')).flatMap(ofTable)
}
