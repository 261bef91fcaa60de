import type { Pool } from 'pg'
import { bigint, nullable, oneOf, text, time } from '../../db/row.ts'
import { many } from '../../db/statement.ts'
import { LISTED } from '../../jobs/fragments.ts'
import { amountFromMinor } from '../../platform/money.ts'
import { PURCHASE_STATES } from './states.ts'

/** More than anyone works through at once; those that wait longest are first. */
const MOST = 1_000

/** Purchases that an operator may resolve, of all merchants. Found by their open work, which does not grow with what was bought. */
const listUnresolved = many(
  'purchases.list_unresolved',
  `select p.merchant_id, p.charge_id as transaction, p.state, p.updated_at as since, p.unknown_since, c.amount_minor, c.currency,
     p.shop_id, shops.name as shop_name
   from open_work work
   join purchases p on p.merchant_id = work.merchant_id and p.charge_id = work.id
   join charges c on c.merchant_id = work.merchant_id and c.id = work.id
   join shops on shops.id = p.shop_id
   where work.kind = 'purchase' and work.${LISTED} and (p.state = 'needs_human' or p.state = 'paying' and p.unknown_since is not null)
   order by p.updated_at limit $limit`,
  {
    merchantId: text,
    transaction: text,
    state: oneOf(PURCHASE_STATES),
    since: time,
    unknownSince: nullable(time),
    ...{ amountMinor: bigint, currency: text, shopId: text, shopName: text },
  },
)

/** What `resolve` is for: purchases that need a person, and those whose payment the shop is silent about. */
export async function unresolved({ pool }: { pool: Pool }) {
  const rows = await listUnresolved(pool, { limit: MOST })
  return rows.map(({ amountMinor, ...purchase }) => ({ ...purchase, amount: amountFromMinor(amountMinor) }))
}
