const line = {
  id: 'li_1',
  item: { id: 'tee-red-m', name: 'Classic Tee, Red, M' },
  quantity: 1,
  product_id: 'tee',
  unit_amount: 1990,
  totals: [
    { type: 'items_base_amount', display_text: 'Items', amount: 1990 },
    { type: 'total', display_text: 'Total', amount: 1990 },
  ],
}

const option = (id: string, amount: number) => ({
  type: 'shipping',
  id,
  title: id,
  totals: [{ type: 'total', display_text: 'Shipping', amount }],
})

const totals = [
  { type: 'items_base_amount', display_text: 'Items', amount: 3980 },
  { type: 'discount', display_text: 'Discount', amount: 100 },
  { type: 'subtotal', display_text: 'Subtotal', amount: 3880 },
  { type: 'tax', display_text: 'Tax', amount: 490 },
  { type: 'fulfillment', display_text: 'Shipping', amount: 450 },
  { type: 'fee', display_text: 'Handling', amount: 50 },
  { type: 'total', display_text: 'Total', amount: 4870 },
]

const handler = (id: string, change: object = {}) => ({
  id,
  name: 'dev.acp.tokenized.card',
  version: '2026-01-22',
  spec: 'https://acp.example/handlers/tokenized.card',
  requires_delegate_payment: true,
  requires_pci_compliance: false,
  psp: 'sandbox',
  config_schema: 'https://acp.example/config.json',
  instrument_schemas: ['https://acp.example/instrument.json'],
  config: { merchant_id: `merchant_of_${id}` },
  display_order: 1,
  ...change,
})

const session = {
  id: 'qte_1',
  protocol: { version: '2026-04-17' },
  capabilities: {
    payment: {
      handlers: [
        handler('saved', { name: 'dev.acp.seller_backed.saved_card', display_order: 0 }),
        handler('later', { display_order: 2 }),
        handler('card'),
      ],
    },
  },
  status: 'ready_for_payment',
  currency: 'usd',
  line_items: [line, { ...line, id: 'li_2' }],
  totals,
  fulfillment_options: [option('express', 1200), option('standard', 450), option('slow', 450)],
  selected_fulfillment_options: [{ type: 'shipping', option_id: 'standard', item_ids: ['tee-red-m'] }],
  messages: [] as object[],
  links: [],
}

const order = { id: 'ord_1', checkout_session_id: 'qte_1', permalink_url: 'https://shop.example/orders/ord_1' }

/** Answers of a shop that speaks the Agentic Commerce Protocol, as they are when all is well. */
export const ACP = {
  session,
  unselected: { ...session, status: 'not_ready_for_payment', selected_fulfillment_options: [] },
  completed: { ...session, status: 'completed', order },
  canceled: { ...session, status: 'canceled' },
  token: { id: 'vt_0123456789', created: '2026-11-22T08:00:00Z', metadata: {} },
  handler,
  feed: {
    products: [
      {
        id: 'tee',
        title: 'Classic Tee',
        description: { plain: 'Cotton.' },
        media: [
          { type: 'video', url: 'https://shop.example/tee.mp4' },
          { type: 'image', url: 'https://shop.example/tee.jpg' },
        ],
        variants: [
          {
            id: 'tee-red-m',
            title: 'Red, M',
            price: { amount: 1990, currency: 'USD' },
            availability: { available: true },
            categories: [{ value: 'clothes' }],
          },
          {
            id: 'tee-red-xl',
            title: 'Red, XL',
            price: { amount: 1890, currency: 'USD' },
            availability: { available: false },
          },
          { id: 'tee-free', title: 'Without a price' },
          { id: 'tee-eur', title: 'In another currency', price: { amount: 1, currency: 'EUR' } },
        ],
      },
      { id: 'mug', title: 'Mug', variants: [{ id: 'mug-1', title: 'Mug', price: { amount: 900, currency: 'USD' } }] },
      { id: 'not sold', title: 'An id that is none', variants: [] },
      { id: 'poem', title: 'Without a price', variants: [{ id: 'poem-1', title: 'Poem' }] },
      { id: 'gold', title: 'Gold', variants: [{ id: 'gold-1', title: 'Gold', price: { amount: 1, currency: 'XAU' } }] },
      { id: 'tea', title: 'Tea', variants: [{ id: 'tea-1', title: 'Tea', price: { amount: 700, currency: 'JPY' } }] },
    ],
  },
}

export const acpError = (code: string, type = 'invalid_request') => ({ type, code, message: 'no' })
