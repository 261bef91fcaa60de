import { randomUUID } from 'node:crypto'
import { EVENT_SCHEMA_VERSION } from '@mintmark/contract'
import type { Pool } from 'pg'
import { newOrderedId } from '../../src/platform/ids.ts'
import type { Account } from './service.ts'

/**
 * A payment from the session to the report, and a session that its merchant revokes: as merchants do it, through the
 * API.
 */
export async function pay(account: Account): Promise<void> {
  const { session_id: id } = await account.call('POST', '/v1/sessions', purchase())
  await account.call('POST', `/v1/test_helpers/sessions/${id}/complete`, {})
  const { session_id: other } = await account.call('POST', '/v1/sessions', purchase())
  await account.call('POST', `/v1/sessions/${other}/revoke`)
}

function purchase(): object {
  const merchant = { name: 'Tea House', url: 'https://tea.example', country_code_iso2: 'US' }
  const custom = { merchant_details: merchant, product_details: [{ description: 'Tea', unit_price: '40.00' }] }
  const user = randomUUID()
  const buyer = { user_id: user, user_email: `${user}@example.com` }
  return { ...buyer, total_amount: '40.00', currency: 'USD', purchase_context: { custom } }
}

const KINDS = ['payment.succeeded', 'card.deleted', 'mandate.paused', 'session.revoked']

/**
 * Events as the service captures them, without a number yet: the volume that a few payments do not make. Returns their
 * ids.
 */
export async function capture(pool: Pool, { merchantId }: Account, count: number, at: Date): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newOrderedId('event', at))
  const types = ids.map(() => KINDS[Math.floor(Math.random() * KINDS.length)])
  await pool.query(
    `insert into captured_events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version, environment,
       data, occurred_at, parked)
     select $1, id, type, 'payment', 'soak_' || id, 1, $4, 'sandbox', '{"soak":true}', $5, null
     from unnest($2::text[], $3::text[]) one (id, type)`,
    [merchantId, ids, types, EVENT_SCHEMA_VERSION, at],
  )
  return ids
}
