import { bound } from '../../platform/bound.ts'
import { amountFromMinor, minorFromAmount } from '../../platform/money.ts'
import type {
  CatalogPage,
  CatalogProduct,
  CheckoutAnswer,
  MerchantCheckout,
  PayRequest,
  PayResult,
  PrepareRequest,
  QuoteRequest,
  SearchRequest,
  ShippingAddress,
  ShopPurchaseRef,
  ShopPurchaseState,
  ShopQuote,
} from '../port.ts'
import { ok, refused } from './answers.ts'
import type { ShopConnection, ShopReply } from './connection.ts'
import { isForeignId } from './foreign.ts'
import { pageOf, productOf, quoteOf, readPrepared, refusalOf, stateOf } from './native-wire.ts'
import { malformed, NoAnswer, wantsPerson } from './no-answer.ts'

/**
 * The sandbox shop's own API. The caller chooses the id in the path, which is what makes a repetition the same request.
 */
export const createNativeCheckout = (shop: ShopConnection): MerchantCheckout =>
  bound(shop, { search, product, quote, prepare, pay, inquire, release })

/** Longer than other verbs: the shop asks its bank. */
const PAY_MILLIS = 30_000
/** Something was done under this id before, and it may be paid: only an inquiry can tell. */
const DONE_BEFORE: ReadonlySet<string> = new Set(['conflict', 'paid', 'in_progress', 'needs_human'])

async function search(
  shop: ShopConnection,
  { query, limit, cursor }: SearchRequest,
): Promise<CheckoutAnswer<CatalogPage>> {
  const reply = await shop.ask({
    method: 'GET',
    path: ['api', 'products'],
    query: { query, limit: String(limit), cursor },
  })
  return answerOf(reply, (body) => pageOf(body, shop))
}

async function product(
  shop: ShopConnection,
  { productId }: { productId: string },
): Promise<CheckoutAnswer<CatalogProduct>> {
  if (!isForeignId(productId)) return refused('not_found')
  const reply = await shop.ask({ method: 'GET', path: ['api', 'products', productId] })
  return answerOf(reply, (body) => productOf(body, shop))
}

async function quote(
  shop: ShopConnection,
  { quoteId, items, shippingAddress, email }: QuoteRequest,
): Promise<CheckoutAnswer<ShopQuote>> {
  const reply = await shop.ask({
    method: 'PUT',
    path: ['api', 'quotes', quoteId],
    body: {
      items: items.map(({ variantId, quantity }) => ({ variant_id: variantId, quantity })),
      ...(shippingAddress === null ? {} : { shipping_address: toAddress(shippingAddress) }),
      ...(email === null ? {} : { email }),
    },
  })
  return answerOf(reply, (body) => quoteOf(body, quoteId))
}

const toAddress = ({ postalCode, phone, email, ...address }: ShippingAddress) => ({
  ...address,
  postal_code: postalCode,
  ...(phone === null ? {} : { phone }),
  ...(email === null ? {} : { email }),
})

async function prepare(
  shop: ShopConnection,
  { purchaseId, shopRef, total }: PrepareRequest,
): Promise<CheckoutAnswer<Record<never, never>>> {
  const asked = { total: amountFromMinor(total.minor), currency: total.currency }
  const reply = await shop.ask({
    method: 'PUT',
    path: ['api', 'checkouts', purchaseId],
    body: { quote: shopRef, ...asked },
  })
  if (!reply.isOk) return refused(refusalOf(reply.body).reason)
  const prepared = readPrepared(reply.body)
  const { state } = stateOf(reply.body, purchaseId)
  if (state === 'released') return refused('released')
  if (state === 'needs_human') throw wantsPerson()
  if (prepared.currency !== total.currency || minorFromAmount(prepared.total) !== total.minor) throw malformed()
  return ok({})
}

async function pay(
  shop: ShopConnection,
  { purchaseId, total, credential }: PayRequest,
): Promise<CheckoutAnswer<PayResult>> {
  const reply = await shop.ask({
    method: 'POST',
    path: ['api', 'checkouts', purchaseId, 'pay'],
    body: {
      card: {
        number: credential.token,
        cvv: credential.dynamicCvv,
        expiry_month: credential.expiryMonth,
        expiry_year: credential.expiryYear,
      },
      total: amountFromMinor(total.minor),
      currency: total.currency,
    },
    totalMillis: PAY_MILLIS,
  })
  if (!reply.isOk) {
    const { code, reason } = refusalOf(reply.body)
    if (DONE_BEFORE.has(code)) throw new NoAnswer('conflict')
    return refused(reason)
  }
  const state = stateOf(reply.body, purchaseId)
  switch (state.state) {
    case 'paid':
      return ok(state)
    case 'needs_human':
    case 'in_progress':
      return ok({ state: state.state })
    case 'declined':
      return refused(state.reason)
    case 'released':
      return refused('released')
    default:
      throw malformed()
  }
}

async function inquire(
  shop: ShopConnection,
  { purchaseId }: ShopPurchaseRef,
): Promise<CheckoutAnswer<ShopPurchaseState>> {
  const reply = await shop.ask({ method: 'GET', path: ['api', 'checkouts', purchaseId] })
  if (reply.isOk) return ok(stateOf(reply.body, purchaseId))
  // Every other refusal says nothing of how the purchase stands.
  if (refusalOf(reply.body).reason !== 'not_found') throw malformed()
  return ok({ state: 'not_found' })
}

async function release(
  shop: ShopConnection,
  { purchaseId }: ShopPurchaseRef,
): Promise<CheckoutAnswer<Record<never, never>>> {
  const reply = await shop.ask({ method: 'POST', path: ['api', 'checkouts', purchaseId, 'release'], body: {} })
  if (!reply.isOk) {
    const { code, reason } = refusalOf(reply.body)
    // Over: its goods went back when the card was declined.
    return refused(code === 'declined' ? 'released' : reason)
  }
  const { state } = stateOf(reply.body, purchaseId)
  if (state === 'released') return ok({})
  if (state === 'paid') return refused('refused')
  throw malformed()
}

function answerOf<T>({ isOk, body }: ShopReply, read: (body: unknown) => T): CheckoutAnswer<T> {
  return isOk ? ok(read(body)) : refused(refusalOf(body).reason)
}
