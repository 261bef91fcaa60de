import type { EmbeddedConnection } from '@mintmark/embedded-postgres'
import { Client } from 'pg'

/** A minute apart each. */
const PAST = "lateral (select now() - n * interval '1 minute' as at) past"

/** Adds finished sessions of many customers, spread over the past, and lets the planner know them. */
export async function addHistory(connection: EmbeddedConnection, merchantId: string, sessions: number): Promise<void> {
  // Not from the service's pool, whose time-outs are for requests.
  const client = new Client(connection)
  await client.connect()
  try {
    await client.query(
      `insert into customers (merchant_id, id, external_user_id, email, created_at, updated_at)
       select $1, 'cus_' || md5('c' || n), 'past-' || n, 'past@example.com', now(), now()
       from generate_series(1, greatest(1, $2::int / 4)) n on conflict do nothing`,
      [merchantId, sessions],
    )
    await client.query(
      `insert into charges (merchant_id, id, line_item_id, order_id, opened_by, status, failure_code, amount_minor,
         currency, payee_name, payee_network_name, payee_url, payee_country, products, version,
         created_at, updated_at)
       select $1, 'txn_' || md5('t' || n), 'tli_' || md5('l' || n), 'ord_' || n, 'sess_' || md5('s' || n), 'failed',
         'SESSION_EXPIRED', 4000, 'USD', 'Tea House', 'Tea House', 'https://tea.example', 'US',
         '[{"ref": "prd_1", "externalId": null, "name": "Tea", "unitPrice": "40.00", "quantity": 1}]', 2, at, at
       from generate_series(1, $2::int) n, ${PAST}`,
      [merchantId, sessions],
    )
    await client.query(
      `insert into sessions (merchant_id, id, customer_id, order_id, kind, charge_id, integration_type, effective_minutes,
         launch_hash, version, created_at, expires_at, closed_at)
       select $1, 'sess_' || md5('s' || n), 'cus_' || md5('c' || (1 + n % greatest(1, $2::int / 4))), 'ord_' || n,
         'payment', 'txn_' || md5('t' || n), 'full_checkout', 15, sha256(n::text::bytea), 1,
         at, at + interval '15 minutes', at + interval '15 minutes'
       from generate_series(1, $2::int) n, ${PAST}`,
      [merchantId, sessions],
    )
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}
