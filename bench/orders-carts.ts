import type { EmbeddedConnection } from '@mintmark/embedded-postgres'
import { Client } from 'pg'
import { PARTS, partId } from '../apps/server/src/ledger/rules.ts'
import { sentAs } from './pgbench.ts'

// A shop, a thousand customers with full wallets, and a cart for each order, all by number: load generators name them
// so.

const CUSTOMERS = 1_000
const PRODUCTS = 50
const STORE = '00000000-0000-7000-8000-0000000000aa'

const hex = (number: number) => number.toString(16).padStart(12, '0')
const idOf = (kind: string) => (number: number) => `00000000-0000-7000-${kind}-${hex(number)}`
export const cartId = idOf('8001')
const [customer, wallet, address] = [idOf('8002'), idOf('8003'), idOf('8004')]
export const customerId = (number: number) => customer(number % CUSTOMERS)
export const walletId = (number: number) => wallet(number % CUSTOMERS)
export const addressId = (number: number) => address(number % CUSTOMERS)

/** The same in SQL. */
const sqlId = (kind: string, number: string) =>
  `('00000000-0000-7000-${kind}-' || lpad(to_hex((${number})::int), 12, '0'))::uuid`

export async function addCarts(connection: EmbeddedConnection, merchantId: string, count: number): Promise<void> {
  const client = new Client({ ...connection })
  await client.connect()
  try {
    const deposits = partId({ merchantId, kind: 'deposits', holderId: null, currency: 'USD' }, 0)
    for (const text of [...peopleAndGoods(deposits), ...sales(merchantId), ...cartsOf(count)]) {
      await client.query(text.replaceAll('$merchant', `'${merchantId}'`))
    }
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** What a wallet has: a million. */
const FILLED = 100_000_000

function peopleAndGoods(deposits: string): string[] {
  const people = `generate_series(0, ${CUSTOMERS - 1}) n`
  const [id, walletOf] = [sqlId('8002', 'n'), sqlId('8003', 'n')]
  return [
    `insert into wallet_customers (merchant_id, id, type, status, first_name, last_name, email, email_compared, created_at, updated_at)
     select $merchant, ${id}, 'individual', 'pending', 'Ann', 'Example', n || '@example.com', n || '@example.com', now(), now() from ${people}`,
    `insert into wallet_addresses (merchant_id, id, customer_id, name, address, city, state, postal_code, country, created_at, updated_at)
     select $merchant, ${sqlId('8004', 'n')}, ${id}, 'Ann', '1 Tea Lane', 'New York', 'NY', '10001', 'US', now(), now() from ${people}`,
    `insert into ledger_accounts select $merchant, ${walletOf}, 'wallet', ${id}, 0, 'USD', ${FILLED}, false, now(), now(), '' from ${people}`,
    `insert into ledger_accounts
     values ($merchant, '${deposits}', 'deposits', null, 0, 'USD', -${BigInt(CUSTOMERS) * BigInt(FILLED)}, true, now(), now(), '')`,
    `insert into ledger_transfers select $merchant, ${walletOf}, 'USD', 'deposit', ${walletOf}, now(), '' from ${people}`,
    `insert into ledger_entries select $merchant, ${walletOf}, ${walletOf}, 'USD', ${FILLED} from ${people}`,
    `insert into ledger_entries select $merchant, ${walletOf}, '${deposits}', 'USD', -${FILLED} from ${people}`,
    `insert into wallet_stores (merchant_id, id, source, source_key, category, name, description, currency, created_at, updated_at)
     values ($merchant, '${STORE}', 'import', 'bench', 'food', 'Tea House', '', 'USD', now(), now())`,
    `insert into wallet_products (merchant_id, id, store_id, source_key, category, name, description, price_minor, image_urls, created_at,
       updated_at)
     select $merchant, ${sqlId('8005', 'n')}, '${STORE}', n::text, 'food', 'Tea ' || n, '', 125, '{}', now(), now()
     from generate_series(0, ${PRODUCTS - 1}) n`,
    `insert into wallet_stock select $merchant, id, 100000000 from wallet_products where merchant_id = $merchant and store_id = '${STORE}'`,
  ]
}

/** The accounts that the shop's first orders would open. */
function sales(merchantId: string): string[] {
  return salesParts(merchantId).map(
    (id, part) =>
      `insert into ledger_accounts values ($merchant, '${id}', 'sales', '${STORE}', ${part}, 'USD', 0, true, now(), now(), '')`,
  )
}

function salesParts(merchantId: string): string[] {
  const shared = { merchantId, kind: 'sales', holderId: STORE, currency: 'USD' } as const
  return Array.from({ length: PARTS }, (_, part) => partId(shared, part))
}

function cartsOf(count: number): string[] {
  const carts = `generate_series(0, ${count - 1}) n`
  return [
    `insert into wallet_carts (merchant_id, id, customer_id, store_id, status, abandon_at, created_at, updated_at)
     select $merchant, ${sqlId('8001', 'n')}, ${sqlId('8002', `n % ${CUSTOMERS}`)}, '${STORE}', 'open', now() + interval '30 days', now(), now()
     from ${carts}`,
    `insert into wallet_cart_lines (merchant_id, cart_id, product_id, place, quantity)
     select $merchant, ${sqlId('8001', 'n')}, ${sqlId('8005', `(n + place * 25) % ${PRODUCTS}`)}, place, 1
     from ${carts}, generate_series(0, 1) place`,
  ]
}

/** What an order writes, in its order. */
export const WRITES = [
  'idempotency.insert_key',
  'ledger.insert_transfer',
  'orders.insert',
  'carts.update_ordered',
  'stock.update_taken',
  'idempotency.update_outcome',
] as const

/** One order by pgbench: it counts its own carts. Each client has a share of them. */
export function ordersScript(merchantId: string): string {
  const n = ':n::int'
  const [cart, orderId] = [sqlId('8001', n), sqlId('8006', n)]
  const [who, from] = [sqlId('8002', `${n} % ${CUSTOMERS}`), sqlId('8003', `${n} % ${CUSTOMERS}`)]
  const products = [0, 1].map((place) => sqlId('8005', `(${n} + ${place * 25}) % ${PRODUCTS}`)).join(', ')
  const parts = salesParts(merchantId)
    .map((id) => `'${id}'`)
    .join(', ')
  // As long as a sealed response.
  const outcome = `jsonb_build_object('status', 201, 'responseId', ${orderId}, 'body', repeat('x', 900))`
  const values = {
    ...{ merchantId: `'${merchantId}'`, at: 'now()', createdAt: 'now()', currency: `'USD'`, amountMinor: '250' },
    ...{ operation: `'*'`, key: `'bench-' || ${n}`, inputHash: `sha256('order')`, seal: `sha256('order')`, outcome },
    ...{ transferId: orderId, id: orderId, purpose: `'order'`, reference: cart, cartId: cart },
    ...{ payerId: from, payeeId: `(array[${parts}])[1 + ${n} % ${PARTS}]::uuid`, walletId: from, customerId: who },
    ...{ addressId: sqlId('8004', `${n} % ${CUSTOMERS}`), productIds: `array[${products}]`, quantities: 'array[1, 1]' },
    ...{ names: `array['Tea', 'Tea']`, pricesMinor: 'array[125, 125]' },
  }
  const counted = ['\\set n :from + :client_id * :share + :i', '\\set i :i + 1']
  const statements = WRITES.map((name) => `${sentAs(name, values)};`)
  return [...counted, 'begin;', ...statements, 'commit;', ''].join('\n')
}
