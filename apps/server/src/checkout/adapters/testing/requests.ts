import { shopPolicy } from '../../../platform/egress/policy.ts'
import { secret } from '../../../platform/secret.ts'
import type { PayRequest, PrepareRequest, QuoteRequest, ShippingAddress, ShopPurchaseRef } from '../../port.ts'

/** Requests that tests of adapters send to scripted shops. */

export const CARD_NUMBER = '4895370000000007'
export const SHOP_KEY = 'shop-key-of-the-test-0123456789'

const PATIENCE_MILLIS = 120_000
/** For an adapter that asks a shop on this machine: a busy machine must not look like a silent shop. */
export const PATIENT = {
  policy: { ...shopPolicy({ allowLoopback: true }), connectMillis: PATIENCE_MILLIS, totalMillis: PATIENCE_MILLIS },
  budgets: { callMillis: PATIENCE_MILLIS, payMillis: PATIENCE_MILLIS },
}

export const ADDRESS: ShippingAddress = {
  name: 'Ada Example',
  address: '12 Long Street',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
  country: 'US',
  phone: null,
  email: 'ada@example.com',
}

export const QUOTE_REQUEST: QuoteRequest = {
  quoteId: 'qte_1',
  items: [{ variantId: 'tee-red-m', quantity: 2 }],
  shippingAddress: ADDRESS,
  email: 'ada@example.com',
}

export const PURCHASE: ShopPurchaseRef = { purchaseId: 'txn_1', shopRef: 'qte_1' }
export const PREPARE: PrepareRequest = { ...PURCHASE, total: { minor: 4_870n, currency: 'USD' } }
export const PAY: PayRequest = {
  ...PREPARE,
  credential: {
    token: secret(CARD_NUMBER),
    dynamicCvv: secret('737'),
    expiryMonth: '12',
    expiryYear: '2031',
  },
}
