/** Answers of the sandbox shop's own API, as they are when all is well. */
export const NATIVE = {
  product: {
    id: 'tee',
    title: 'Classic Tee',
    description: 'Cotton.',
    image_url: 'https://shop.example/tee.jpg',
    category: 'clothes',
    price: '19.90',
    currency: 'USD',
    inventory: 12,
    variants: [
      { id: 'tee-red-m', title: 'Red, M', price: '19.90', available: true },
      { id: 'tee-red-xl', title: 'Red, XL', price: '21.90', available: false },
    ],
  },
  quote: {
    ref: 'qte_1',
    currency: 'USD',
    lines: [
      {
        product_id: 'tee',
        variant_id: 'tee-red-m',
        title: 'Classic Tee, Red, M',
        quantity: 2,
        unit_price: '19.90',
        total: '39.80',
      },
    ],
    items: '39.80',
    shipping: '5.00',
    tax: '4.90',
    discount: '1.00',
    total: '48.70',
    warnings: ['ADDRESS_UNIT_CONFIRMATION_SUGGESTED'],
    expires_at: '2026-12-01T00:00:00Z',
  },
  prepared: { ref: 'txn_1', state: 'open', total: '48.70', currency: 'USD' },
  paid: { ref: 'txn_1', state: 'paid', order_id: 'SO-1001', authorization_code: 'A12345' },
  released: { ref: 'txn_1', state: 'released' },
}
