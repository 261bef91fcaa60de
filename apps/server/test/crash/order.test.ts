// Guarantee: wherever the service dies while a cart is paid from a wallet, the same request later gets one order: money, stock, cart
// and order are there together or not at all, and the cart is never paid twice.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectBooksInOrder } from '../books.ts'
import { note } from '../processes/program.ts'
import { newWalletCustomer, type Products, stockOf, stockUp, type TestWalletCustomer } from '../wallet-customers.ts'
import { isKillPoint, openStage, SIDES, STEP, type Stage, type StagedMerchant } from './stage.ts'
import { commits, runs, sweepKills } from './sweep.ts'

const clock = { now: () => new Date() }
const STOCK = 10_000

let stage: Stage
let merchantId: string
let products: Products
let pool: Stage['database']['pool']
beforeAll(async () => {
  stage = await openStage()
  pool = stage.database.pool
  // The first start makes the merchant.
  const { program } = await stage.start('serve')
  await program.stop()
  merchantId = (await pool.query('select id from merchants')).rows[0].id
  products = await stockUp({ pool, clock }, { merchantId }, { tea: { price: '12.50', inventory: STOCK } })
})
afterAll(() => stage?.close())

/** A cart, whose it is, and the key that it is ordered with. */
interface Prepared {
  customer: TestWalletCustomer
  cartId: string
  key: string
}
const prepared = new Map<string, Prepared>()

async function prepare({ wallet }: StagedMerchant): Promise<string> {
  const customer = await newWalletCustomer({ database: stage.database, pool, clock }, { merchantId, wallet }, '30.00')
  const cartId = await customer.cart({ [products.tea ?? '']: 2 })
  prepared.set(cartId, { customer, cartId, key: randomUUID() })
  return cartId
}

/** The same request, sent to the service that is there now. */
function order({ wallet }: StagedMerchant, id: string, otherKey?: string) {
  const { customer, cartId, key } = of(id)
  const path = `${customer.path}/carts/${cartId}/order/wallet/${customer.walletId}`
  return wallet.post(path, { address: customer.addressId }, otherKey ?? key)
}

function of(id: string): Prepared {
  const found = prepared.get(id)
  if (found === undefined) throw new Error('That was not prepared.')
  return found
}

/** What the database has of a cart: all of an order, or nothing of one. */
async function stateOf(id: string) {
  const { customer } = of(id)
  const { rows } = await pool.query(
    `select status, (select balance_minor::text from ledger_accounts where id = $2) as balance,
       (select count(*)::int from wallet_orders where cart_id = $1) as orders,
       (select count(*)::int from ledger_transfers where purpose = 'order' and reference = $1) as transfers
     from wallet_carts where id = $1`,
    [id, customer.walletId],
  )
  return rows[0]
}

const OPEN = { status: 'open', balance: '3000', orders: 0, transfers: 0 }
const PAID = { status: 'ordered', balance: '500', orders: 1, transfers: 1 }

/** The same request gets the order that there is, another key gets none, and the books are in order. */
async function expectOneOrder(merchant: StagedMerchant, id: string, first: { status: number; body: unknown } | null) {
  const before = await stateOf(id)
  expect([OPEN, PAID]).toContainEqual(before)
  // A merchant that was told of an order has it.
  if (first?.status === 201) expect(before).toEqual(PAID)
  const again = await order(merchant, id)
  expect(again).toMatchObject({ status: 201, body: { data: { status: 'completed', amount: '25.00', cart_id: id } } })
  if (first?.status === 201) expect(again.body).toEqual(first.body)
  expect((await order(merchant, id, randomUUID())).body.error.code).toBe('INVALID_STATE')
  expect(await stateOf(id)).toEqual(PAID)
  return before.status === 'ordered' ? 'paid' : 'open'
}

async function expectAllCounted(): Promise<void> {
  await expectBooksInOrder(pool)
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from wallet_orders')
  expect((await stockOf({ pool }, products)).tea).toBe(STOCK - 2 * (rows[0]?.count ?? 0))
}

test.each(SIDES)('killed %s every message of an order', async (when) => {
  const act = (merchant: StagedMerchant, id: string) => order(merchant, id)
  const stops = [runs('orders.insert'), commits('orders.insert')]
  const sweep = { when, least: 12, stops, prepare, act }
  const found = await sweepKills(stage, sweep, async ({ merchant }, { sessionId, answer, reached, place }) => {
    const left = await expectOneOrder(merchant, sessionId, answer)
    expect(left, place).toBe(reached === 2 ? 'paid' : 'open')
    return left
  })
  await expectAllCounted()
  note(`Order, killed ${when} each of ${found.length} messages: ${found.join(' ')}`)
})

test('connection lost after each message of an order: the same request finds what became of it', async () => {
  const { merchant, proxy, program } = await stage.start('serve')
  const found: string[] = []
  for (let at = 1, happened = true; happened; at += STEP) {
    const id = await prepare(merchant)
    void proxy?.arm({ counts: isKillPoint, at, when: 'after', action: 'drop' })
    const cut = await order(merchant, id)
    // What the commit has become is perhaps not known at this moment, and decided when the same request comes again.
    happened = proxy?.disarm().happened ?? false
    if (cut.status !== 201) expect(cut.status).toBe(503)
    found.push(await expectOneOrder(merchant, id, cut))
  }
  await program.stop()
  await expectAllCounted()
  note(`Order, connection lost: ${found.join(' ')}`)
  expect(found.length).toBeGreaterThan(6 / STEP)
})
