import { PRODUCTS, type Product } from '../../catalog/products.ts'
import type { Totals } from '../../pricing/totals.ts'
import { VERSION } from './protocol.ts'
import type { Message, OptionId, Session } from './sessions.ts'

/** The shop, as a payment may be delegated to it. */
export const MERCHANT_ID = 'sandbox-shop'

const HANDLER = {
  id: 'card_tokenized',
  name: 'dev.acp.tokenized.card',
  display_name: 'Card',
  version: '2026-01-22',
  spec: 'https://acp.dev/handlers/tokenized.card',
  requires_delegate_payment: true,
  requires_pci_compliance: false,
  psp: 'sandbox',
  config_schema: 'https://acp.dev/schemas/handlers/tokenized.card/config.json',
  instrument_schemas: ['https://acp.dev/schemas/handlers/tokenized.card/instrument.json'],
  config: {
    merchant_id: MERCHANT_ID,
    psp: 'sandbox',
    accepted_brands: ['visa', 'mastercard', 'amex', 'discover'],
    accepted_funding_types: ['credit', 'debit', 'prepaid'],
    supports_3ds: false,
    environment: 'sandbox',
  },
  display_order: 0,
}

const OPTIONS: Record<OptionId, { type: 'shipping' | 'pickup' | 'digital'; title: string; description: string }> = {
  standard: { type: 'shipping', title: 'Standard', description: 'Arrives in four to five days' },
  express: { type: 'shipping', title: 'Express', description: 'Arrives in one or two days' },
  pickup: { type: 'pickup', title: 'At the shop', description: 'Ready tomorrow' },
  file: { type: 'digital', title: 'As a file', description: 'A link by mail' },
}

/** Where the goods are collected. */
const SHOP_LOCATION = {
  name: 'Sandbox Shop',
  address: {
    name: 'Sandbox Shop',
    line_one: '1 Harbor Way',
    city: 'Portland',
    state: 'OR',
    country: 'US',
    postal_code: '97209',
  },
}

/** A sum of hundredths is exact as a number up to ninety thousand billion. */
const amount = (minor: bigint): number => Number(minor)
const total = (type: string, display_text: string, minor: bigint) => ({ type, display_text, amount: amount(minor) })

export function toWireSession(session: Session, origin: string) {
  const { content, priced, option, options } = session
  return {
    id: session.id,
    protocol: { version: VERSION },
    capabilities: {
      payment: { handlers: [HANDLER] },
      interventions: { supported: [], required: [], enforcement: 'conditional' },
    },
    ...(content.buyer === null ? {} : { buyer: content.buyer }),
    status: session.status,
    currency: 'usd',
    line_items: toLines(session, origin),
    ...(content.details === null ? {} : { fulfillment_details: content.details.said }),
    fulfillment_options: options.map(({ id, priced: { totals } }) => toOption(id, totals)),
    selected_fulfillment_options: option === null ? [] : [toSelected(option, session)],
    totals: toTotals(priced.totals),
    messages: session.messages.map(toMessage),
    links: [{ type: 'about_us', url: `${origin}/` }],
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ...toOrder(session, origin),
  }
}

function toSelected(option: OptionId, { content }: Session) {
  return { type: OPTIONS[option].type, option_id: option, item_ids: content.items.map(({ variantId }) => variantId) }
}

function toLines({ priced, id }: Session, origin: string) {
  return priced.lines.map(({ productId, variantId, title, quantity, unitPrice }, index) => {
    const sum = unitPrice * BigInt(quantity)
    return {
      id: `${id}_${index + 1}`,
      item: { id: variantId, name: title, unit_amount: amount(unitPrice) },
      quantity,
      name: title,
      images: [pictureUrl(origin, productId)],
      unit_amount: amount(unitPrice),
      product_id: productId,
      variant_id: variantId,
      totals: [
        total('items_base_amount', 'Items', sum),
        total('subtotal', 'Subtotal', sum),
        total('total', 'Total', sum),
      ],
    }
  })
}

function toTotals({ items, discount, shipping, tax, total: all }: Totals) {
  return [
    total('items_base_amount', 'Items', items),
    ...(discount === 0n ? [] : [total('discount', 'Discount', discount)]),
    total('subtotal', 'Subtotal', items - discount),
    total('fulfillment', 'Shipping', shipping),
    total('tax', 'Tax', tax),
    total('total', 'Total', all),
  ]
}

function toOption(id: OptionId, { shipping }: Totals) {
  const { type, ...words } = OPTIONS[id]
  return {
    ...{ type, id, ...words },
    ...(type === 'pickup' ? { location: SHOP_LOCATION } : {}),
    totals: [total('total', words.title, shipping)],
  }
}

function toMessage(message: Message) {
  return { ...message, content_type: 'plain' }
}

function toOrder({ id, checkout, status }: Session, origin: string) {
  const orderId = checkout?.orderId ?? null
  if (status !== 'completed' || orderId === null) return {}
  const permalink_url = `${origin}/orders/${orderId}`
  return { order: { id: orderId, checkout_session_id: id, permalink_url, status: 'confirmed' } }
}

const pictureUrl = (origin: string, productId: string): string => `${origin}/pictures/${productId}.svg`

/** The catalog, as the protocol's feed has it. */
export function toWireFeed(isAvailable: (variantId: string) => boolean, origin: string) {
  return { products: PRODUCTS.map((product) => toFeedProduct(product, isAvailable, origin)) }
}

function toFeedProduct(product: Product, isAvailable: (variantId: string) => boolean, origin: string) {
  const { id, title, description, category, variants } = product
  return {
    id,
    title,
    description: { plain: description },
    media: [{ type: 'image', url: pictureUrl(origin, id), alt_text: title }],
    variants: variants.map((variant) => ({
      id: variant.id,
      title: variant.title,
      price: { amount: amount(variant.price), currency: 'USD' },
      availability: isAvailable(variant.id)
        ? { available: true, status: 'in_stock' }
        : { available: false, status: 'out_of_stock' },
      categories: [{ value: category }],
    })),
  }
}
