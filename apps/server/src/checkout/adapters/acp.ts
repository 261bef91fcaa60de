import { bound } from '../../platform/bound.ts'
import type {
  CheckoutAnswer,
  MerchantCheckout,
  PrepareRequest,
  QuoteRequest,
  ShippingAddress,
  ShopPurchaseRef,
  ShopPurchaseState,
  ShopQuote,
} from '../port.ts'
import { quoteOf, totalOf } from './acp-amounts.ts'
import { product, search } from './acp-feed.ts'
import { delegate, handlerOf, pay } from './acp-pay.ts'
import { refusalOf, retrieve, SESSIONS, sessionOf } from './acp-session.ts'
import { type AcpSession, acpHeaders, readSession, reasonOfMessages, stateOf } from './acp-wire.ts'
import { ok, refused } from './answers.ts'
import type { ShopConnection } from './connection.ts'
import { isForeignId } from './foreign.ts'
import { malformed, NoAnswer, wantsPerson } from './no-answer.ts'

/**
 * The Agentic Commerce Protocol's checkout. A session there is what is quoted, prepared and paid; its id is our `shopRef`. Our own
 * ids are the idempotency keys.
 */
export const createAcpCheckout = (shop: ShopConnection): MerchantCheckout =>
  bound(shop, { search, product, quote, prepare, pay, delegate, inquire, release })

/** More pieces than a basket has: each is an item of the request. */
const MAX_PIECES = 1000

async function quote(shop: ShopConnection, request: QuoteRequest): Promise<CheckoutAnswer<ShopQuote>> {
  const pieces = request.items.reduce((sum, { quantity }) => sum + quantity, 0)
  if (pieces > MAX_PIECES) return refused('out_of_stock')
  const headers = acpHeaders(request.quoteId)
  const created = await shop.ask({ method: 'POST', path: [SESSIONS], headers, body: toCreate(request) })
  if (!created.isOk) return refusalOf(created)
  const session = readSession(created.body)
  const option = optionToSelect(session)
  if (option === undefined) return quoted(session)
  const updated = await shop.ask({
    method: 'POST',
    path: [SESSIONS, session.id],
    headers: acpHeaders(request.quoteId),
    body: { selected_fulfillment_options: [option] },
  })
  return updated.isOk ? quoted(sessionOf(updated.body, session.id)) : refusalOf(updated)
}

/** A quote that cannot be paid is none: a cardholder would approve what is certain to fail. */
function quoted(session: AcpSession): CheckoutAnswer<ShopQuote> {
  if (session.status !== 'ready_for_payment') return refused(reasonOfMessages(session) ?? 'refused')
  // Published answers to an update name none: a shop that does so may still name some when it is looked at.
  const isNaming = (session.capabilities?.payment?.handlers ?? []).length > 0
  return isNaming && handlerOf(session) === undefined ? refused('refused') : ok(quoteOf(session))
}

/** An item once for each piece: the published schema of an item in a request has no quantity. */
function toCreate({ items, shippingAddress, email }: QuoteRequest) {
  const mail = email ?? shippingAddress?.email ?? null
  return {
    line_items: items.flatMap(({ variantId, quantity }) => Array.from({ length: quantity }, () => ({ id: variantId }))),
    currency: 'usd',
    capabilities: { interventions: { supported: [] } },
    ...(mail === null ? {} : { buyer: { email: mail, ...nameOf(shippingAddress) } }),
    ...(shippingAddress === null ? {} : { fulfillment_details: toDetails(shippingAddress) }),
  }
}

const nameOf = (address: ShippingAddress | null) => (address === null ? {} : { full_name: address.name })

function toDetails({ name, address, city, state, postalCode, country, phone, email }: ShippingAddress) {
  return {
    name,
    ...(phone === null ? {} : { phone_number: phone }),
    ...(email === null ? {} : { email }),
    address: { name, line_one: address, city, state, country, postal_code: postalCode },
  }
}

/** The cheapest way to have it sent, where the shop waits for a choice. The first of equals: a repetition chooses the same. */
function optionToSelect(session: AcpSession) {
  if ((session.selected_fulfillment_options ?? []).length > 0) return undefined
  const costOf = ({ totals = [] }: AcpSession['fulfillment_options'][number]) =>
    (totals.find(({ type }) => type === 'total') ?? totals.find(({ type }) => type === 'fulfillment'))?.amount ?? 0
  const [cheapest] = session.fulfillment_options
    .filter(({ type }) => type === 'shipping' || type === 'digital')
    .toSorted((one, other) => costOf(one) - costOf(other))
  if (cheapest === undefined) return undefined
  const itemIds = [...new Set(session.line_items.map(({ item }) => item.id))]
  return { type: cheapest.type, option_id: cheapest.id, item_ids: itemIds }
}

/** Nothing is reserved by the protocol: whether it can be paid at that price is looked at. */
async function prepare(
  shop: ShopConnection,
  { shopRef, total }: PrepareRequest,
): Promise<CheckoutAnswer<Record<never, never>>> {
  const found = await retrieve(shop, shopRef)
  if (found.outcome !== 'ok') return found
  const session = found.value
  if (session.status === 'expired') return refused('quote_expired')
  const state = stateOf(session)
  if (state === undefined) throw malformed()
  if (state.state === 'released') return refused('released')
  if (state.state === 'needs_human') throw wantsPerson()
  // Prepared before, and on its way: what became of it, an inquiry tells.
  if (state.state !== 'open') return ok({})
  const { minor, currency } = totalOf(session)
  if (minor !== total.minor || currency !== total.currency) return refused('price_changed')
  if (session.status !== 'ready_for_payment') return refused(reasonOfMessages(session) ?? 'refused')
  // Nothing is minted for a shop that has no use for it.
  return handlerOf(session) === undefined ? refused('refused') : ok({})
}

async function inquire(shop: ShopConnection, { shopRef }: ShopPurchaseRef): Promise<CheckoutAnswer<ShopPurchaseState>> {
  const found = await retrieve(shop, shopRef)
  if (found.outcome === 'refused' && found.reason === 'not_found') return ok({ state: 'not_found' })
  // Every other refusal says nothing of how the purchase stands.
  if (found.outcome !== 'ok') throw malformed()
  const state = stateOf(found.value)
  if (state === undefined) throw malformed()
  return ok(state)
}

async function release(
  shop: ShopConnection,
  { purchaseId, shopRef }: ShopPurchaseRef,
): Promise<CheckoutAnswer<Record<never, never>>> {
  if (!isForeignId(shopRef)) return refused('not_found')
  const path = [SESSIONS, shopRef, 'cancel']
  const reply = await shop.ask({ method: 'POST', path, headers: acpHeaders(purchaseId), body: {} })
  if (reply.isOk) {
    if (stateOf(sessionOf(reply.body, shopRef))?.state !== 'released') throw malformed()
    return ok({})
  }
  // Not to be cancelled, because it is paid or cancelled already, or for a moment: the session says which.
  if (reply.status !== 405 && reply.status !== 409) return refusalOf(reply)
  const found = await retrieve(shop, shopRef)
  if (found.outcome !== 'ok') return found
  const state = stateOf(found.value)?.state
  if (state === 'released') return refused('released')
  if (state === 'paid' || state === 'needs_human') return refused('refused')
  throw new NoAnswer('not released yet')
}
