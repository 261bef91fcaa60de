import type { CatalogProduct, CreateQuoteBody, Quote, SearchCatalogBody } from '@mintmark/contract/wire/quotes'

const SHOP = { id: 'shop_06gq2w9k5v8c3x1t7n4m0r2hzd', name: 'Sandbox Shop', url: 'https://shop.example' }
const NAMES = {
  product_id: 'prod_06gq2w9k5v8c3x1t7n4m0r2hzd.mug',
  variant_id: 'var_06gq2w9k5v8c3x1t7n4m0r2hzd.mug-blue',
}

export const SEARCH_BODY: SearchCatalogBody = { query: 'mug', limit: 10 }

export const PRODUCT_EXAMPLE: CatalogProduct = {
  product_id: NAMES.product_id,
  title: 'Stoneware mug',
  description: 'Holds 300 ml.',
  image_url: 'https://shop.example/mug.png',
  merchant: SHOP,
  price: '18.00',
  currency: 'USD',
  variants: [{ variant_id: NAMES.variant_id, title: 'Blue', price: '18.00', available: true }],
}

export const QUOTE_BODY: CreateQuoteBody = {
  merchant: SHOP.id,
  items: [{ variant_id: NAMES.variant_id, quantity: 2 }],
  shipping_address: {
    name: 'Ann Example',
    address: '1 Main Street, Apt 4',
    city: 'Springfield',
    state: 'IL',
    postal_code: '62701',
    country: 'US',
  },
  email: 'ann@example.com',
}

export const QUOTE_EXAMPLE: Quote = {
  quote_id: 'qte_06gq2w9k5v8c3x1t7n4m0r2hzd',
  merchant: { ...SHOP, country_code_iso2: 'US' },
  total_amount: '43.25',
  currency: 'USD',
  breakdown: { items: '36.00', shipping: '5.00', tax: '2.25', discount: '0.00' },
  line_items: [{ ...NAMES, title: 'Stoneware mug, blue', quantity: 2, unit_price: '18.00', total: '36.00' }],
  warnings: [],
  expires_at: '2026-11-02T12:15:00.000Z',
}
