// Guarantee: whatever customers do at the same time, and whatever connections die meanwhile, every cent and every piece is accounted for:
// what was put in is what is there and what was paid, and what was paid is what was ordered.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { minorFromAmount } from '../src/platform/money.ts'
import { createCart } from '../src/wallets/testing/stores.ts'
import { CHECKS, expectBooksInOrder } from './books.ts'
import { note } from './processes/program.ts'
import { type Answer, startTestService, type TestService, type WalletCaller } from './service.ts'
import { newWalletCustomer, type Products, stockOf, stockUp, type TestWalletCustomer } from './wallet-customers.ts'

const LONG = process.env.CRASH_SWEEP !== undefined
const [RUNS, CUSTOMERS, STEPS] = LONG ? [25, 8, 60] : [3, 6, 16]

const GOODS = {
  tea: { price: '12.50', inventory: 60 },
  // New carts begin with one.
  cup: { price: '0.01', inventory: 100_000 },
  pot: { price: '33.33', inventory: 25 },
}

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

const product = fc.constantFrom(...Object.keys(GOODS))
const step = fc.oneof(
  fc.record({ kind: fc.constant('deposit' as const), cents: fc.integer({ min: 1, max: 9_999 }) }),
  fc.record({ kind: fc.constant('change' as const), product, quantity: fc.integer({ min: 1, max: 3 }), out: product }),
  // Twice as often; some by several requests at once, with a key each.
  fc.record({ kind: fc.constant('order' as const), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('order' as const), times: fc.constant(1) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
const plans = fc.array(fc.array(step, { minLength: STEPS, maxLength: STEPS }), {
  minLength: CUSTOMERS,
  maxLength: CUSTOMERS,
})

/** How much was decided so far. Connections die at that pace: on a busy machine they would die sooner than any can be used. */
let progress = 0

/** Tries of one thing. A minute at the least, and no limit of time: a busy machine decides late. */
const GIVEN_UP_AFTER = 3_000

/** What the callers were told. */
interface Told {
  deposited: bigint
  paid: bigint
  orders: Set<string>
}

/** Takes a step until it is decided: what was not answered, or could not be, is sent again with the same key. */
async function decided(send: (key: string) => Promise<Answer>): Promise<Answer> {
  const key = randomUUID()
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(key)
    const isOpen = answer.status === 503 || answer.body.error?.code === 'IDEMPOTENCY_IN_PROGRESS'
    if (!isOpen) progress += 1
    if (!isOpen) return answer
    if (attempt > GIVEN_UP_AFTER) throw new Error('It is never decided.')
    await delay(20)
  }
}

const REFUSED = new Set(['INSUFFICIENT_FUNDS', 'INVALID_QUANTITY', 'INVALID_STATE'])

interface Shopping {
  wallet: WalletCaller
  customer: TestWalletCustomer
  store: { storeId: string; products: Record<string, string> }
  told: Told
  cartId: string
}

/** One customer shops: steps in their order, while others want the same pieces. */
async function shop(
  wallet: WalletCaller,
  customer: TestWalletCustomer,
  store: Shopping['store'],
  steps: readonly Step[],
): Promise<Told> {
  const told: Told = { deposited: 0n, paid: 0n, orders: new Set() }
  const shopping: Shopping = { wallet, customer, store, told, cartId: '' }
  shopping.cartId = await newCart(shopping)
  for (const step of steps) {
    if (step.kind === 'deposit') await deposit(shopping, step.cents)
    else if (step.kind === 'change') await change(shopping, step)
    else await order(shopping, step.times)
  }
  return told
}

function newCart({ wallet, customer, store }: Shopping): Promise<string> {
  return patiently(() => createCart(wallet, customer.customerId, store, { cup: 1 }))
}

async function deposit({ customer, told }: Shopping, cents: number): Promise<void> {
  const { status } = await decided((key) => customer.deposit((cents / 100).toFixed(2), key))
  expect(status).toBe(200)
  told.deposited += BigInt(cents)
}

async function change({ wallet, store, cartId }: Shopping, step: Extract<Step, { kind: 'change' }>): Promise<void> {
  const add = [{ product_id: store.products[step.product], qty: step.quantity }]
  const body = { add, ...(step.out !== step.product && { remove: [store.products[step.out]] }) }
  const path = `/v1/carts/${cartId}`
  const answer = await decided((key) => wallet.send('PATCH', path, body, { 'idempotency-key': key }))
  if (answer.status !== 200) expect(REFUSED).toContain(answer.body.error.code)
}

async function order(shopping: Shopping, times: number): Promise<void> {
  const { customer, told, cartId } = shopping
  const requests = Array.from({ length: times }, () => decided((key) => customer.order(cartId, { key })))
  const answers = await Promise.all(requests)
  const made = answers.filter(({ status }) => status === 201)
  expect(made.length).toBeLessThanOrEqual(1)
  for (const { status, body } of answers) if (status !== 201) expect(REFUSED).toContain(body.error.code)
  for (const { body } of made) {
    told.paid += minorFromAmount(body.data.amount)
    told.orders.add(body.data.order_id)
    shopping.cartId = await newCart(shopping)
  }
}

/** What only reads, or what another of does as well: until it is there. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const done = await work()
      progress += 1
      return done
    } catch (error) {
      if (attempt > GIVEN_UP_AFTER) throw error
      await delay(20)
    }
  }
}

/** Ends connections of the service, whatever they do, until told to stop. Returns how many. */
async function killConnections(isOver: () => boolean): Promise<number> {
  const client = new Client({ ...service.database.connection, application_name: 'mintmark-killer' })
  await client.connect()
  try {
    let killed = 0
    for (let seen = -1; !isOver(); ) {
      await delay(15 + Math.random() * 60)
      if (progress === seen) continue
      seen = progress
      // Those that write, rather than those that rest.
      const { rows } = await client.query(
        `select pg_terminate_backend(pid) as killed from pg_stat_activity
         where datname = current_database() and application_name = 'mintmark'
         order by state = 'idle', random() limit 1`,
      )
      killed += rows.length
    }
    return killed
  } finally {
    await client.end()
  }
}

async function sumOf(text: string, values: unknown[]): Promise<bigint> {
  const { rows } = await service.pool.query<{ sum: string | null }>(text, values)
  return BigInt(rows[0]?.sum ?? 0)
}

/** What the database has is what the callers were told, to the cent and to the piece. */
async function expectAccounted(merchantId: string, products: Products, told: readonly Told[]): Promise<void> {
  const orders = new Set(told.flatMap((one) => [...one.orders]))
  const made = await service.pool.query('select id from wallet_orders where merchant_id = $1', [merchantId])
  expect(new Set(made.rows.map(({ id }) => id))).toEqual(orders)
  const balances = (kind: string) =>
    sumOf('select sum(balance_minor) from ledger_accounts where merchant_id = $1 and kind = $2', [merchantId, kind])
  const total = (pick: (one: Told) => bigint) => told.reduce((sum, one) => sum + pick(one), 0n)
  expect(await balances('sales')).toBe(total(({ paid }) => paid))
  expect(await balances('deposits')).toBe(-total(({ deposited }) => deposited))
  const left = await stockOf(service, products)
  for (const [name, { inventory }] of Object.entries(GOODS)) {
    const sold = await sumOf(
      `select sum(quantity) from wallet_cart_lines line join wallet_carts cart
         on cart.merchant_id = line.merchant_id and cart.id = line.cart_id
       where line.merchant_id = $1 and product_id = $2 and status = 'ordered'`,
      [merchantId, products[name]],
    )
    expect(BigInt(inventory - (left[name] ?? 0))).toBe(sold)
  }
  await expectBooksInOrder(service.pool, CHECKS)
}

test('random deposits, changes of carts and orders at the same time, while connections die', {
  timeout: LONG ? 1_800_000 : 180_000,
}, async () => {
  const seen = { orders: 0, killed: 0 }
  const everyCent = fc.asyncProperty(plans, async (plan) => {
    const merchant = await service.addMerchant()
    const products = await stockUp(service, merchant, GOODS)
    const stores = 'select id from wallet_stores where merchant_id = $1'
    const { rows } = await service.pool.query(stores, [merchant.merchantId])
    const store = { storeId: String(rows[0]?.id), products: { ...products } }
    const customers = await Promise.all(plan.map(() => newWalletCustomer(service, merchant)))
    let isOver = false
    const killing = killConnections(() => isOver)
    const told = await Promise.all(
      customers.map((customer, n) => shop(merchant.wallet, customer, store, plan[n] ?? [])),
    ).finally(() => {
      isOver = true
    })
    seen.killed += await killing
    for (const [n, { deposited, paid, orders }] of told.entries()) {
      const balance = await patiently(async () => customers[n]?.balance())
      expect(minorFromAmount(balance ?? '')).toBe(deposited - paid)
      seen.orders += orders.size
    }
    await expectAccounted(merchant.merchantId, products, told)
  })
  await fc.assert(everyCent, { numRuns: RUNS, endOnFailure: true })
  note(`${seen.orders} orders, ${seen.killed} connections ended: every cent is accounted for`)
  expect(seen.orders).toBeGreaterThan(RUNS)
  expect(seen.killed).toBeGreaterThan(RUNS)
})
