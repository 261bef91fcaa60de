import type { EmbeddedConnection } from '@mintmark/embedded-postgres'
import { Client } from 'pg'

/** The time in the ids of the product, which what deletes old rows finds them by: ten characters of base 32. */
const STAMP = `lateral (
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((millis >> (5 * place)) & 31)::int, 1), '' order by place desc) as stamp
  from generate_series(0, 9) place, lateral (select (extract(epoch from at) * 1000)::bigint as millis) time) id`
const PAST = `lateral (select $3::timestamptz - n * $4::double precision * interval '1 second' as at) past, ${STAMP}`

/** An id of the product: what it is of, its time, and 80 bits that differ. */
const idOf = (prefix: string) => `'${prefix}_' || stamp || left(md5('${prefix}' || n), 16)`

/**
 * Adds finished sessions of many customers, so far apart each, spread over the past, and lets the planner know them.
 */
export async function addHistory(
  connection: EmbeddedConnection,
  merchantId: string,
  sessions: number,
  { secondsApart = 60 }: { secondsApart?: number } = {},
): Promise<void> {
  // Not from the service's pool, whose time-outs are for requests.
  const client = new Client(connection)
  await client.connect()
  const values = [merchantId, sessions, new Date(), secondsApart]
  try {
    await client.query(
      `insert into customers (merchant_id, id, external_user_id, email, created_at, updated_at)
       select $1, 'cus_' || md5('c' || n), 'past-' || n, 'past@example.com', now(), now()
       from generate_series(1, greatest(1, $2::int / 4)) n on conflict do nothing`,
      [merchantId, sessions],
    )
    await client.query(
      `insert into charges (merchant_id, id, line_item_id, order_id, opened_by, status, failure_code, amount_minor,
         currency, payee_name, payee_network_name, payee_url, payee_country, products, version, created_at, updated_at,
         customer_id, integration_type, effective_minutes, launch_hash, session_version, expires_at, closed_at)
       select $1, ${idOf('txn')}, ${idOf('tli')}, 'ord_' || n, ${idOf('sess')}, 'failed',
         'SESSION_EXPIRED', 4000, 'USD', 'Tea House', 'Tea House', 'https://tea.example', 'US',
         '[{"ref": "prd_1", "externalId": null, "name": "Tea", "unitPrice": "40.00", "quantity": 1}]', 2, at, at,
         'cus_' || md5('c' || (1 + n % greatest(1, $2::int / 4))), 'full_checkout', 15, sha256(n::text::bytea), 1,
         at + interval '15 minutes', at + interval '15 minutes'
       from generate_series(1, $2::int) n, ${PAST}`,
      values,
    )
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}
