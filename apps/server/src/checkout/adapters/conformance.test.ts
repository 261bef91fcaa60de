import type { ShopAdapter } from '@mintmark/contract'
import { startTestShop } from '../../../../../examples/sandbox-shop/testing/world.ts'
import { secret } from '../../platform/secret.ts'
import type { ShopUnderTest } from '../testing/buyer.ts'
import { describeMerchantCheckout } from '../testing/conformance.ts'
import { createCheckout } from './service.ts'
import { ADDRESS, PATIENT } from './testing/requests.ts'

// Guarantee: both adapters keep the contract of the port at a real shop, over real sockets, and its bank pays once.

const SLOW_MILLIS = 1_500
const HASTY = { ...PATIENT.budgets, payMillis: 500 }
const KEY = 'shop_key_of_the_test'

async function sandboxShop(adapter: ShopAdapter, path: string): Promise<ShopUnderTest> {
  const shop = await startTestShop({ slowMillis: SLOW_MILLIS })
  const address = { baseUrl: `${shop.url}${path}`, key: secret(KEY), ...PATIENT }
  return {
    checkout: createCheckout(adapter, address),
    hasty: createCheckout(adapter, { ...address, budgets: HASTY }),
    variants: {
      ordinary: 'stoneware-mug.oat',
      other: 'serving-bowl.small',
      lastPiece: 'last-piece.one-size',
      outOfStock: 'test-out-of-stock.one-size',
      priceChanged: 'test-price-changed.one-size',
      declined: 'test-card-declined.one-size',
      insufficientFunds: 'test-insufficient-funds.one-size',
      needsHuman: 'test-needs-human.one-size',
      requestLost: 'test-lost-before.one-size',
      answerLost: 'test-lost-after.one-size',
      answerGarbled: 'test-garbage.one-size',
      slow: 'test-slow.one-size',
    },
    address: ADDRESS,
    farAway: { ...ADDRESS, country: 'AQ', state: 'Ross', postalCode: '0000' },
    payments: (number) => shop.acquirer.asked.filter(({ token }) => token === number).length,
    close: () => shop.close(),
  }
}

describeMerchantCheckout("the sandbox shop's own API", () => sandboxShop('native', ''))

describeMerchantCheckout('the Agentic Commerce Protocol at the sandbox shop', () => sandboxShop('acp', '/acp'))
