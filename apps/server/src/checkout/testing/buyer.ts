import { randomInt } from 'node:crypto'
import type { TestContext } from 'vitest'
import { newId, randomText } from '../../platform/ids.ts'
import { secret } from '../../platform/secret.ts'
import type {
  CheckoutAnswer,
  MerchantCheckout,
  PayRequest,
  PrepareRequest,
  PurchaseCredential,
  QuoteRequest,
  ShippingAddress,
  ShopQuote,
} from '../port.ts'

// What the conformance suite works with: the shop under test, and the shortest way to each state a test starts from.

/** Variants that provoke what the suite wants to see. A shop without one of the optional ones skips those tests. */
export interface ConformanceVariants {
  /** In stock, as often as the suite buys. */
  ordinary: string
  other: string
  /** One piece is left. */
  lastPiece?: string
  /** Quoted or prepared, it turns out that there is none. */
  outOfStock?: string
  priceChanged?: string
  declined?: string
  insufficientFunds?: string
  needsHuman?: string
  /** The first payment's request is lost before anything is paid. */
  requestLost?: string
  /** The first payment is made, and its answer is lost, or makes no sense. */
  answerLost?: string
  answerGarbled?: string
  /** The first payment takes longer than `hasty` waits. */
  slow?: string
}

/** What an adapter brings to be tested. Ids are new in every test, so a shop that is shared will do. */
export interface ShopUnderTest {
  checkout: MerchantCheckout
  /** The same shop, asked by a caller who waits a short time for a payment. */
  hasty?: MerchantCheckout
  variants: ConformanceVariants
  /** Where the shop sends to. */
  address: ShippingAddress
  /** Where it does not. */
  farAway?: ShippingAddress
  /** How often the card's bank paid for it. */
  payments(cardNumber: string): number
  close?(): Promise<void>
}

export class Buyer {
  subject: ShopUnderTest
  checkout: MerchantCheckout

  constructor(subject: ShopUnderTest) {
    this.subject = subject
    this.checkout = subject.checkout
  }

  quoteRequest(variantId: string = this.subject.variants.ordinary, quantity = 1): QuoteRequest {
    const { address } = this.subject
    return {
      quoteId: `qte_${randomText(15)}`,
      items: [{ variantId, quantity }],
      shippingAddress: address,
      email: address.email,
    }
  }

  async quote(variantId?: string, quantity?: number): Promise<ShopQuote> {
    return okValue(await this.checkout.quote(this.quoteRequest(variantId, quantity)))
  }

  /** Quoted, and not asked for yet. */
  async request(variantId?: string): Promise<PrepareRequest> {
    const { shopRef, totalMinor, currency } = await this.quote(variantId)
    return { purchaseId: newId('charge'), shopRef, total: { minor: totalMinor, currency } }
  }

  /** Prepared, with a card of its own. */
  async prepared(variantId?: string): Promise<PayRequest & { number: string }> {
    const request = await this.request(variantId)
    okValue(await this.checkout.prepare(request))
    return { ...request, ...freshCard() }
  }

  payments({ number }: { number: string }): number {
    return this.subject.payments(number)
  }

  async state(request: PrepareRequest) {
    return okValue(await this.checkout.inquire(request))
  }
}

/** A number that no other test pays with. */
export function freshCard(): { credential: PurchaseCredential; number: string } {
  const number = `4${String(randomInt(10 ** 14)).padStart(15, '0')}`
  const credential = {
    token: secret(number),
    dynamicCvv: secret('737'),
    expiryMonth: '12',
    expiryYear: '2031',
  }
  return { credential, number }
}

export function okValue<T>(answer: CheckoutAnswer<T>): T {
  if (answer.outcome === 'ok') return answer.value
  throw new Error(`${answer.outcome}: ${answer.outcome === 'refused' ? answer.reason : answer.cause}`)
}

export function many<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}

/** What only some shops have; without it the test is not for this shop. */
export function required<T>(context: TestContext, value: T | undefined): T {
  if (value === undefined) context.skip('This shop has none.')
  return value as T
}
