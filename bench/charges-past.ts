import type { EmbeddedConnection } from '@mintmark/embedded-postgres'
import { Client } from 'pg'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { sealedMandate, sealedOwner } from '../apps/server/src/mandates/service.ts'
import type { RowSeals } from '../apps/server/src/platform/row-seals.ts'
import type { BenchedService } from './service.ts'
import { SESSION_BODY } from './workload.ts'

const COPIES_AT_A_TIME = 20_000
const CHARGES_AT_A_TIME = 500_000

/** As long as the service's own ids. The load generators name mandates by number. */
export const mandateId = (number: number) => `mdt_${String(number).padStart(26, '0')}`
export const mandateIdSql = (number: string) => `'mdt_' || lpad((${number})::text, 26, '0')`

/** One mandate, set up as a merchant does. */
export async function setUpMandate({ url, secretKey }: BenchedService): Promise<string> {
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`)
    return JSON.parse(text) as { session_id: string; mandate_id: string }
  }
  const body = { ...JSON.parse(SESSION_BODY), user_id: 'owner', total_amount: '9999999999.99' }
  const session = await post('/v1/sessions', { ...body, mandate_setup: { recurring_frequency: 'yearly' } })
  await post(`/v1/test_helpers/sessions/${session.session_id}/complete`, {})
  return session.mandate_id
}

/** Many like it, numbered from `first`, each with seals of its own; in turn of these agents, where the template is of one. */
export async function copyMandates(
  connection: EmbeddedConnection,
  seals: RowSeals,
  template: string,
  count: number,
  { first = 1, agents = [] }: { first?: number; agents?: readonly string[] } = {},
): Promise<void> {
  const row = await readMandate(connection, template)
  const sealOf = (id: string) =>
    seals.seal(
      sealedMandate({
        ...{ merchantId: row.merchant_id, id, customerId: row.customer_id, tokenRef: row.network_token_ref },
        ...{ approvedMinor: row.approved_minor },
        ...{ currency: row.currency, frequency: row.frequency, maxCharges: row.max_charges },
        ...{ merchantScope: row.merchant_scope, payeeName: row.payee_name, payeeUrl: row.payee_url },
        ...{ payeeNetworkName: row.payee_network_name, payeeCountry: row.payee_country },
        ...{ validUntil: row.valid_until, approvalHash: row.approval_hash },
      }),
    )
  const agentAt = (number: number) => agents[(number - first) % agents.length] ?? null
  const ownerOf = (id: string, agentId: string | null) =>
    agentId === null
      ? row.owner_seal
      : seals.seal(
          sealedOwner({ merchantId: row.merchant_id, id, externalUserId: '', customerId: row.customer_id, agentId }),
        )
  await filling(connection, async (client) => {
    const columns = await columnsOf(client, 'mandates', ['id', 'seal', 'owner_seal', 'agent_id'])
    for (let from = first; from < first + count; from += COPIES_AT_A_TIME) {
      const length = Math.min(COPIES_AT_A_TIME, first + count - from)
      const ids = Array.from({ length }, (_, index) => mandateId(from + index))
      const owners = ids.map((_, index) => agentAt(from + index))
      await client.query(
        `insert into mandates (id, seal, owner_seal, agent_id, ${columns})
         select copy.id, copy.seal, copy.owner_seal, copy.agent_id, ${columns}
         from unnest($2::text[], $3::bytea[], $4::bytea[], $5::text[]) copy (id, seal, owner_seal, agent_id), lateral (
           select ${columns} from mandates where id = $1 offset 0) template`,
        [template, ids, ids.map(sealOf), ids.map((id, index) => ownerOf(id, owners[index] ?? null)), owners],
      )
    }
    await client.query('vacuum analyze mandates')
  })
}

/** With the types of the service's own pool. */
async function readMandate(connection: EmbeddedConnection, id: string) {
  const pool = createPool({ connection, max: 1, log: { warn: console.warn } })
  try {
    const { rows } = await pool.query(
      `select m.*, c.network_token_ref from mandates m join cards c on c.merchant_id = m.merchant_id and c.id = m.card_id
       where m.id = $1`,
      [id],
    )
    return rows[0]
  } finally {
    await closePool(pool)
  }
}

/**
 * Completed charges of these mandates, of windows that are over, with their references and without their events. Nothing
 * reads them when a mandate is charged: they are there so that tables and indexes are as large.
 */
export async function addPastCharges(
  connection: EmbeddedConnection,
  template: string,
  mandates: number,
  count: number,
): Promise<void> {
  await filling(connection, async (client) => {
    for (let from = 1; from <= count; from += CHARGES_AT_A_TIME) {
      const to = Math.min(count, from + CHARGES_AT_A_TIME - 1)
      await client.query(PAST_CHARGES, [template, from, to, mandates])
    }
    await client.query('vacuum analyze charges')
  })
}

/** Not from the service's pool, whose time-outs are for requests. */
export async function filling(connection: EmbeddedConnection, fill: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client(connection)
  await client.connect()
  try {
    // Foreign keys would be asked millions of times about rows that are there.
    await client.query("set session_replication_role = 'replica'; set synchronous_commit = 'off'")
    await fill(client)
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** Ids and references begin with what new ones begin with, and sort before them: as if they had been made one by one. */
const PAST_CHARGES = `with past as materialized (
    select m.*, n, ${mandateIdSql('1 + n % $4')} as of_mandate, 'txn_' || lpad(n::text, 26, '0') as new_id,
      now() - interval '400 days' + n * interval '1 second' as at
    from generate_series($2::bigint, $3::bigint) n, lateral (select * from mandates where id = $1 offset 0) m
  )
  insert into charges (merchant_id, id, line_item_id, order_id, mandate_id, standing_mandate_id, reference, window_started_at,
    card_id, status, amount_minor, currency, payee_name, payee_network_name, payee_url, payee_country, products, lapses_at,
    reported_outcome, reported_type, paid_minor, reported_at, network_confirmation, version, created_at, updated_at)
  select merchant_id, new_id, 'tli_' || lpad(n::text, 26, '0'), order_id, of_mandate, of_mandate,
    'order-' || lpad(n::text, 26, '0'), at - interval '1 year', card_id, 'completed', 1, currency, payee_name,
    payee_network_name, payee_url, payee_country, coalesce(products, '[]'), at + interval '30 days', 'APPROVED', 'PURCHASE', 1,
    at, 'SUCCESS', 3, at, at
  from past`

async function columnsOf(client: Client, table: string, without: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
     where table_schema = 'public' and table_name = $1 and column_name <> all ($2)`,
    [table, without],
  )
  return rows[0]?.columns ?? ''
}
