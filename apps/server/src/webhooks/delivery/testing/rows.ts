import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { dayOf } from '../../../db/partitions.ts'
import { transaction } from '../../../db/transaction.ts'
import { newId, newOrderedId } from '../../../platform/ids.ts'
import { sealEndpoint } from '../../testing/sealed.ts'
import { onNumbered } from '../fan-out.ts'

// Rows as the service writes them, for what runs without the rest of it.

export async function addMerchant(pool: Pool, at: Date): Promise<string> {
  const id = `ma_${randomBytes(5).toString('hex')}`
  await pool.query(
    `insert into merchants (id, name, status, allowed_origins, webhook_secret_sealed, webhook_secret_key_id, created_at)
     values ($1, $1, 'active', '{}', '', 'local:1', $2)`,
    [id, at],
  )
  return id
}

/** Verified and enabled unless changed. */
export async function addEndpoint(
  pool: Pool,
  at: Date,
  merchantId: string,
  url: string,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const { rows } = await pool.query('select count(*)::int as count from webhook_endpoints where merchant_id = $1', [
    merchantId,
  ])
  const row: Record<string, unknown> = {
    merchant_id: merchantId,
    id: newId('endpoint'),
    place: rows[0].count + 1,
    name: 'Test',
    url,
    events: ['payment.succeeded'],
    is_account: false,
    revision: 1,
    enabled: true,
    verified_at: at,
    failures: 0,
    secret_sealed: Buffer.alloc(1),
    secret_key_id: 'local:1',
    created_at: at,
    updated_at: at,
    ...changes,
  }
  const names = Object.keys(row)
  await pool.query(
    `insert into webhook_endpoints (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  )
  await sealEndpoint(pool, String(row.id))
  return String(row.id)
}

/** Numbers new events and fans them out in one transaction. Returns their ids, in the order of the feed. */
export async function publish(
  pool: Pool,
  { merchantId, count, type, at }: { merchantId: string; count: number; type: string; at: Date },
): Promise<string[]> {
  return transaction(pool, async (tx) => {
    await tx.query(
      'insert into event_heads (merchant_id, feed_pos, epoch_start) values ($1, 0, 0) on conflict do nothing',
      [merchantId],
    )
    const { rows } = await tx.query('select feed_pos from event_heads where merchant_id = $1 for update', [merchantId])
    const after = BigInt(rows[0].feed_pos)
    const ids = Array.from({ length: count }, () => newOrderedId('event', at))
    await tx.query(
      `insert into events (merchant_id, feed_pos, occurred_at, day, resource_version, id, type, resource_type, resource_id,
         schema_version, environment, data)
       select $1, $2::bigint + n, $3, $4, 1, id, $5, 'payment', 'txn_' || id, '2026-11-01', 'sandbox', '{"n":' || n || '}'
       from unnest($6::text[]) with ordinality one (id, n)`,
      [merchantId, after, at, dayOf(at), type, ids],
    )
    const upTo = after + BigInt(count)
    await tx.query('update event_heads set feed_pos = $2 where merchant_id = $1', [merchantId, upTo])
    await onNumbered(tx, { merchantId, after, upTo, at })
    return ids
  })
}
