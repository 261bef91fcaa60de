import { randomUUID } from 'node:crypto'
import type { AgentCredential } from '@mintmark/node'

/** A shop with an API, here that of the sandbox. Another one has a form, which a browser fills in. */
export interface Shop {
  name: string
  /** As the card network knows it: a card that is made for it works nowhere else. */
  url: string
  country: 'US'
  /** Reserves goods at their price. */
  order(variantId: string): Promise<Order>
  pay(order: Order, card: AgentCredential): Promise<Paid>
}

export interface Order {
  id: string
  total: string
  lines: { description: string; unit_price: string; quantity: number }[]
}

export type Paid = { approved: true; authorizationCode: string } | { approved: false; reason: string }

interface Quote {
  ref: string
  total: string
  lines: { title: string; unit_price: string; quantity: number }[]
}

/** Collected at the shop: without an address nothing is added for sending it. */
export function sandboxShop({ url, key }: { url: string; key: string }): Shop {
  async function call<T>(method: string, path: string, body: object): Promise<T> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const init = { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(60_000) }
    const response = await fetch(`${url}/api${path}`, init).catch((cause: unknown) => {
      throw new Error(`The sandbox shop does not answer at ${url}. Does it run beside the service?`, { cause })
    })
    const answer = (await response.json()) as T & { error?: { code: string; message: string } }
    // A card that is refused is an answer.
    if (!response.ok && response.status !== 402)
      throw new Error(`The shop said ${answer.error?.code}: ${answer.error?.message}`)
    return answer
  }
  return {
    ...{ name: 'Sandbox Shop', url: 'https://sandbox-shop.example', country: 'US' },
    async order(variantId) {
      const items = [{ variant_id: variantId, quantity: 1 }]
      const { ref, total, lines } = await call<Quote>('PUT', `/quotes/${randomUUID()}`, { items })
      const id = `order-${randomUUID()}`
      await call('PUT', `/checkouts/${id}`, { quote: ref, total, currency: 'USD' })
      return {
        id,
        total,
        lines: lines.map(({ title: description, ...line }) => ({
          description,
          unit_price: line.unit_price,
          quantity: line.quantity,
        })),
      }
    },
    async pay({ id, total }, { token: number, dynamicCvv: cvv, expiryMonth, expiryYear }) {
      const card = { number, cvv, expiry_month: expiryMonth, expiry_year: expiryYear }
      const body = { card, total, currency: 'USD' }
      const answer = await call<{ authorization_code?: string; error?: { code: string } }>(
        'POST',
        `/checkouts/${id}/pay`,
        body,
      )
      if (answer.authorization_code === undefined) return { approved: false, reason: answer.error?.code ?? 'declined' }
      return { approved: true, authorizationCode: answer.authorization_code }
    },
  }
}
