import type { Cart } from '@mintmark/contract/wire/wallet/carts'
import { PRODUCT_EXAMPLE, STORE_EXAMPLE } from '../store/examples.ts'

// One cart, as the published description shows it.

const AT = '2026-11-21T12:00:00.000Z'
const CART = {
  cart_id: '019aa662-2b00-7d19-a4f6-3c5b7e9d0a12',
  customer_id: '019aa660-7400-7b44-8e0d-5a3c9b1f2d60',
  merchant_id: STORE_EXAMPLE.merchant_id,
} as const
const SUM = { total_amount: '25.00', currency: 'USD', status: 'open', created_at: AT, updated_at: AT } as const

export const CART_ITEMS_EXAMPLE = [{ product_id: PRODUCT_EXAMPLE.product_id, qty: 2 }]

export const CREATED_CART_EXAMPLE = { ...CART, items: CART_ITEMS_EXAMPLE, ...SUM }

export const LISTED_CART_EXAMPLE = {
  cart_id: CART.cart_id,
  merchant_id: CART.merchant_id,
  status: 'open',
  created_at: AT,
  updated_at: AT,
} as const

export const CART_EXAMPLE: Cart = {
  ...CART,
  products: [
    {
      product_id: PRODUCT_EXAMPLE.product_id,
      name: PRODUCT_EXAMPLE.name,
      description: PRODUCT_EXAMPLE.description,
      price: '12.50',
      currency: 'USD',
      quantity: 2,
      item_total: '25.00',
      image_url: PRODUCT_EXAMPLE.image_url,
    },
  ],
  ...SUM,
}
