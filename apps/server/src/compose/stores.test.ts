// Guarantee: what the shop of a sandbox sells is on sale in its accounts while the shop is open, and no longer.
import { expect, test } from 'vitest'
import type { Shop } from '../checkout/shops/service.ts'
import { shopFeed } from './stores.ts'

const SHOP = { id: 'shop_1', name: 'Sandbox Shop', status: 'active' } as Shop
const PAGE = { products: [], nextCursor: '2' }

async function shown(changes: Partial<Shop> | null, isOn: boolean) {
  const shop = changes === null ? undefined : { ...SHOP, ...changes }
  const search = async () => ({ outcome: 'ok', value: PAGE }) as const
  const feed = shopFeed(
    { merchants: { listActiveIds: async () => [] }, shops: { findSandboxShop: async () => shop, search } },
    isOn,
  )
  return (await feed.findShop())?.page(null)
}

test.each([
  ['open', {}, true, PAGE],
  ['switched off', {}, false, { products: [], nextCursor: null }],
  ['disabled', { status: 'disabled' }, true, { products: [], nextCursor: null }],
  ['never started', null, true, undefined],
] as const)('a shop that is %s', async (_what, changes, isOn, page) => {
  expect(await shown(changes, isOn)).toEqual(page)
})
