import { randomUUID } from 'node:crypto'
import { type CartLine, dollars, totalOf } from './catalog.ts'
import type { Authorization, Mintmark } from './mintmark.ts'

export interface Order {
  id: string
  customerId: string
  sessionId: string
  iframeUrl: string
  total: string
  state: 'waiting' | 'charging' | 'paid' | 'failed'
  message: string
  authorization: Authorization | null
}

const SHOP_URL = 'https://tea.example'

/** Orders of a demo live in memory; a shop keeps them in its database. */
export function createOrders(mintmark: Mintmark) {
  const orders = new Map<string, Order>()

  async function place(customerId: string, lines: CartLine[]): Promise<Order> {
    const id = randomUUID()
    const total = dollars(totalOf(lines))
    const session = await mintmark.createSession({
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
    })
    const order: Order = {
      id,
      customerId,
      sessionId: session.session_id,
      iframeUrl: session.iframe_url,
      total,
      state: 'waiting',
      message: 'Waiting for the approval.',
      authorization: null,
    }
    orders.set(id, order)
    return order
  }

  /** Asks how the session stands, and charges the credential as soon as there is one. */
  async function refresh(order: Order): Promise<Order> {
    if (order.state !== 'waiting') return order
    const result = await mintmark.paymentResult(order.sessionId)
    if (result.status === 'failed') return end(order, 'failed', result.error?.message ?? 'The payment failed.')
    const item = result.transactions[0]?.line_items[0]
    if (result.status !== 'awaiting_result' || item === undefined) return order
    // Two polls must not charge twice. The state moves before the first await.
    order.state = 'charging'
    const authorization = await mintmark.authorize(item, 'USD')
    order.authorization = authorization
    await mintmark.report(order.sessionId, item, authorization)
    if (authorization.approved) return end(order, 'paid', 'Paid. Your tea is on its way.')
    return end(order, 'failed', `The bank declined the payment (code ${authorization.response_code}).`)
  }

  function end(order: Order, state: 'paid' | 'failed', message: string): Order {
    return Object.assign(order, { state, message })
  }

  return {
    place,
    refresh,
    /** Only the customer who placed it sees an order. */
    find: (id: string, customerId: string) => {
      const order = orders.get(id)
      return order?.customerId === customerId ? order : undefined
    },
  }
}

export type Orders = ReturnType<typeof createOrders>
