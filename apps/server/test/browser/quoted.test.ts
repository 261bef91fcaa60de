import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fromQuote, variantOf } from '../../src/checkout/quotes/testing/scripted-shop.ts'
import type { Shop } from '../../src/checkout/shops/service.ts'
import { createSession, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { addTestShop, openTestShop, type TestShop } from '../shop.ts'
import { describeInBrowser, lookAt } from './browser.ts'
import { cardholder, readyToApprove } from './cardholder.ts'

// Guarantee: the cardholder reads all that a shop wants, and from whom, before the passkey; then the service buys, and the page says
// what came of it, also where it was closed meanwhile.

describeInBrowser('a purchase from a quote', (browser) => {
  let shop: TestShop
  let service: TestService
  let registered: Shop
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    shop = await openTestShop(service)
    registered = await addTestShop(service, shop)
  })
  afterAll(async () => {
    await service?.close()
    await shop?.close()
  })

  async function quotedSession(items: Record<string, number>, changes: Record<string, unknown> = {}) {
    const { body: quote } = await service.merchant.post('/v1/quotes', {
      merchant: registered.id,
      items: Object.entries(items).map(([id, quantity]) => ({ variant_id: variantOf(registered, id), quantity })),
      shipping_address: {
        name: 'Ann Example',
        address: '1 Main Street',
        city: 'Seattle',
        state: 'WA',
        postal_code: '98101',
        country: 'US',
      },
    })
    expect(quote).toMatchObject({ quote_id: expect.any(String) })
    const session = await createSession(service.merchant, { ...fromQuote(quote), ...changes })
    return { quote, session }
  }

  const bill = (page: Page) =>
    page
      .locator('.bill > li')
      .evaluateAll((all) =>
        all.map((row) => [...row.children].map((cell) => cell.textContent?.replaceAll('\u00a0', ' ')).join(': ')),
      )

  it('shows lines, delivery, taxes, discount and total; one passkey buys; the end is that it is ordered and paid', async () => {
    const { quote, session } = await quotedSession({ 'stoneware-mug.slate': 4, 'chef-knife.21-cm': 1 })
    const { items, shipping, tax, discount } = quote.breakdown
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.heading('Pay with a card').waitFor()
      expect(await page.locator('.party-name').textContent()).toBe('Sandbox Shop')
      const breakdown = [
        `Subtotal: $${items} USD`,
        `Delivery: $${shipping} USD`,
        `Tax: $${tax} USD`,
        `Discount: −$${discount} USD`,
        `Total: $${quote.total_amount} USD`,
      ]
      expect((await bill(page)).slice(-5).map((row) => row.replace('-$', '−$'))).toEqual(breakdown)
      expect(await lookAt(visit, 'quoted-card')).toEqual([])
      await ann.enterCard()
      await ann.createPasskey()
      await readyToApprove(page)
      await page
        .locator('.sentence', {
          hasText: /^Mintmark orders this at Sandbox Shop \(sandbox-shop\.example\) for you now/,
        })
        .waitFor()
      expect(await lookAt(visit, 'quoted-approval')).toEqual([])
      await ann.approve()
      await ann.heading('Placing your order').waitFor()
      expect(await lookAt(visit, 'quoted-buying')).toEqual([])
      await service.runJobs()
      await ann.heading('Ordered and paid').waitFor()
      expect(await page.locator('.amount-label').textContent()).toBe('Paid')
      expect(await lookAt(visit, 'quoted-done')).toEqual([])
    })
    const { body } = await paymentResult(service.merchant, session.session_id)
    expect(body).toMatchObject({ status: 'completed', merchant_res: { status: 'paid' } })
  })

  it('says why it could not be bought, and that nothing was charged', async () => {
    const { session } = await quotedSession({ 'test-price-changed.one-size': 1 })
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.payAnew()
      await ann.heading('Placing your order').waitFor()
      await service.runJobs()
      await ann.heading('The payment did not go through').waitFor()
      await page.getByText('Nothing was charged.').waitFor()
      expect(await lookAt(visit, 'quoted-failed')).toEqual([])
    })
  })

  it('goes on without the page', async () => {
    const { session } = await quotedSession({ 'stoneware-mug.oat': 1 })
    await browser.visit({}, async ({ page }) => {
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.payAnew()
      await ann.heading('Placing your order').waitFor()
    })
    await service.runJobs()
    const { body } = await paymentResult(service.merchant, session.session_id)
    expect(body).toMatchObject({ status: 'completed', merchant_res: { status: 'paid' } })
  })
})
