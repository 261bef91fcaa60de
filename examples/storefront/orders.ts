import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type CartLine, dollars, totalOf } from './catalog.ts'
import type { Authorization, Mintmark, Session } from './mintmark.ts'

export interface Order {
  id: string
  customerId: string
  sessionId: string
  /** What the customer's page opens the payment with. */
  payment: Pick<Session, 'iframe_url' | 'session_token'>
  expiresAt: Date
  total: string
  state: 'waiting' | 'paid' | 'failed'
  message: string
  authorization: Authorization | null
}

const SHOP_URL = 'https://tea.example'
/** The cardholder may be given ten minutes more; and an approval in the last second still has to be charged and reported. */
const FOLLOW_AFTER_EXPIRY_MILLIS = 660_000
const MAX_PAUSE_MILLIS = 1_500

/** What the service says is for the shop; a customer hears it in the shop's own words. */
const WORDS: Record<string, string> = {
  CANCELLED: 'You cancelled the payment. Nothing was charged.',
  SESSION_EXPIRED: 'The time to pay was over. Nothing was charged.',
}

/** Orders of a demo live in memory; a shop keeps them in its database. */
export function createOrders(mintmark: Mintmark, { pollMillis = 500 } = {}) {
  const orders = new Map<string, Order>()

  async function place(customerId: string, lines: CartLine[]): Promise<Order> {
    const id = randomUUID()
    const total = dollars(totalOf(lines))
    const session = await mintmark.createSession(sessionFor({ id, customerId, total, lines }))
    const { iframe_url, session_token } = session
    const order: Order = {
      id,
      customerId,
      sessionId: session.session_id,
      payment: { iframe_url, session_token },
      expiresAt: new Date(session.expires_at),
      total,
      state: 'waiting',
      message: 'Waiting for your approval.',
      authorization: null,
    }
    orders.set(id, order)
    void follow(order)
    return order
  }

  /**
   * Charges an order once its credential is there. One loop an order, on the server: it goes on when the customer closes
   * the browser, and nothing a page says counts as paid.
   */
  async function follow(order: Order): Promise<void> {
    const until = order.expiresAt.getTime() + FOLLOW_AFTER_EXPIRY_MILLIS
    for (let pause = pollMillis; order.state === 'waiting'; pause = Math.min(MAX_PAUSE_MILLIS, pause * 1.2)) {
      await delay(pause, undefined, { ref: false })
      if (Date.now() > until) return endLate(order)
      await settle(order).catch((error: unknown) => console.error(`Order ${order.id}:`, error))
    }
  }

  /** Looks once. Every part may fail and is taken up again at the next look. */
  async function settle(order: Order): Promise<void> {
    const { status, transactions, error } = await mintmark.paymentResult(order.sessionId)
    const item = transactions[0]?.line_items[0]
    if (status === 'awaiting_result' && item !== undefined) {
      // A payment provider takes the order's id as its idempotency key here, so that a lost answer can be asked again.
      order.authorization ??= await mintmark.authorize(item, 'USD')
      await mintmark.report(order.sessionId, item, order.authorization)
    }
    if (order.authorization !== null) endAsCharged(order, order.authorization)
    else if (status === 'failed') end(order, 'failed', WORDS[error?.code ?? ''] ?? 'Nothing was charged.')
  }

  return {
    place,
    /** Only the customer who placed it sees an order. */
    find: (id: string, customerId: string) => {
      const order = orders.get(id)
      return order?.customerId === customerId ? order : undefined
    },
  }
}

export type Orders = ReturnType<typeof createOrders>

function end(order: Order, state: 'paid' | 'failed', message: string): void {
  Object.assign(order, { state, message })
}

function endAsCharged(order: Order, { approved, response_code }: Authorization): void {
  if (approved) end(order, 'paid', 'Your tea is on its way.')
  else end(order, 'failed', `The bank declined the payment (code ${response_code}).`)
}

/** What was charged is paid, also where no report of it was answered in all this time: that is for the shop to look into. */
function endLate(order: Order): void {
  const { authorization } = order
  if (authorization === null) end(order, 'failed', 'We never heard how the payment went.')
  else {
    console.error(`Order ${order.id}: its report was not answered. Compare it with the books of the payment provider.`)
    endAsCharged(order, authorization)
  }
}

interface Purchase {
  id: string
  customerId: string
  total: string
  lines: CartLine[]
}

function sessionFor({ id, customerId, total, lines }: Purchase) {
  return {
    user_id: customerId,
    user_email: `${customerId}@customers.example`,
    total_amount: total,
    currency: 'USD',
    integration_type: 'embedding',
    external_order_ref: id,
    description: 'Tea, freshly packed',
    purchase_context: {
      custom: {
        merchant_details: { name: 'Leaf & Kettle', url: SHOP_URL, country_code_iso2: 'US' },
        product_details: lines.map(({ product, quantity }) => ({
          product_id: product.id,
          description: product.name,
          unit_price: dollars(product.price),
          quantity,
        })),
      },
    },
  }
}
