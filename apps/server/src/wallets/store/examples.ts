import type { ProductDetails } from '@mintmark/contract/wire/wallet/stores'

// One merchant and one product, as the published description shows them.

const AT = '2026-11-21T12:00:00.000Z'

export const STORE_EXAMPLE = {
  merchant_id: '019aa661-1a00-7b0e-9d3c-2f7a4c8e1b55',
  name: 'Tea House',
  category_code: 'food',
  description: 'Tea from the leaf.',
  logo_url: 'https://tea.example/logo.png',
} as const

export const PRODUCT_EXAMPLE = {
  product_id: '019aa661-1a01-7c41-8b7e-90d2e6f3a814',
  name: 'Green tea, 100 g',
  description: 'First flush.',
  price: '12.50',
  currency: 'USD',
  inventory: 40,
  image_url: 'https://tea.example/green.jpg',
} as const

export const PRODUCT_DETAILS_EXAMPLE: ProductDetails = {
  ...PRODUCT_EXAMPLE,
  category: 'food',
  merchant: STORE_EXAMPLE,
  images: ['https://tea.example/green.jpg'],
  created_at: AT,
  updated_at: AT,
}
