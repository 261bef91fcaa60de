import { afterAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../test/service.ts'
import { openTestShop, SHOP_KEY } from '../../../test/shop.ts'

// Guarantee: a shop that speaks the Agentic Commerce Protocol is searched and quoted through the API like any other; one on this
// machine is asked only where the operator has allowed it.

const ADDRESS = {
  name: 'Ann Example',
  address: '1 Skyline Towers',
  city: 'Seattle',
  state: 'WA',
  postal_code: '98101',
  country: 'US',
}

const shop = await openTestShop()
afterAll(shop.close)

function register({ app }: TestService) {
  const settings = { name: 'Agentic Shop', url: 'https://agentic.example', country: 'US', adapter: 'acp' } as const
  return app.shops.add({ ...settings, baseUrl: `${shop.url}/acp` }, SHOP_KEY)
}

test('from a search to a quote with shipping, taxes and a warning', async () => {
  const service = await startTestService({ env: { CHECKOUT_ALLOW_LOOPBACK: 'on' } })
  try {
    const { merchant } = service
    await register(service)
    const [mug] = (await merchant.post('/v1/catalog/search', { query: 'stoneware mug' })).body.products
    expect(mug).toMatchObject({ title: 'Stoneware mug', merchant: { name: 'Agentic Shop' }, currency: 'USD' })
    const [{ variant_id }] = mug.variants
    const { status, body } = await merchant.post('/v1/quotes', {
      merchant: mug.merchant.id,
      items: [{ variant_id, quantity: 2 }],
      shipping_address: ADDRESS,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.line_items).toMatchObject([{ variant_id, product_id: mug.product_id, quantity: 2 }])
    expect(body.warnings).toMatchObject([{ code: 'ADDRESS_UNIT_CONFIRMATION_SUGGESTED' }])
  } finally {
    await service.close()
  }
})

test('a shop on this machine is not registered where that is not allowed', async () => {
  const service = await startTestService()
  try {
    await expect(register(service)).rejects.toMatchObject({ code: 'VAL_2001' })
  } finally {
    await service.close()
  }
})
