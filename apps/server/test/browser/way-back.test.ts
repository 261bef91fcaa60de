// Guarantee: where a card was declined for certain the page leads back to the shop for another one (ADR 0089), in a tab
// of its own in every mode; it goes there by itself only in hosted mode, and no link to there stands in a frame.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, complete, createSession } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, type Visit } from './browser.ts'
import { cardholder, open } from './cardholder.ts'
import { type Embedder, startEmbedder } from './embedder.ts'

const CALLBACK = 'https://shop.test/done?basket=7'

describeInBrowser('the way back to the shop', (browser) => {
  let service: TestService
  let embedder: Embedder
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    embedder = await startEmbedder()
  })
  afterAll(async () => {
    await embedder?.close()
    await service?.close()
  })

  it.concurrent.each([
    ['full_checkout', true],
    ['embedding', false],
  ] as const)(
    'leads back for another card when one was declined for certain: %s',
    async (integration_type, goesByItself) => {
      const session = await createSession(service.merchant, { integration_type, callback_url: CALLBACK })
      await complete(service.merchant, session.session_id, { card_number: CARDS.mintDeclined })
      await browser.visit({}, async ({ page, context }) => {
        await serveShop(context)
        const ann = await open(page, session.iframe_url)
        await ann.heading('The payment did not go through').waitFor()
        expect(await page.locator('p.hint', { hasText: 'We take you back' }).count()).toBe(goesByItself ? 1 : 0)
        await ann.button('Back to shop.test to try another card').click()
        await page.waitForURL(`${CALLBACK}&session_id=${session.session_id}`)
      })
    },
  )

  it.concurrent('leads nowhere from a tab of another mode after an approval', async () => {
    const session = await createSession(service.merchant, { integration_type: 'embedding', callback_url: CALLBACK })
    await complete(service.merchant, session.session_id, {})
    await browser.visit({}, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.heading('Approved').waitFor()
      expect(await page.getByRole('button').allTextContents()).toEqual(['Print'])
    })
  })

  it.concurrent('in a frame the page around it is the way, and hears how it ended', async () => {
    const session = await createSession(service.merchant, { integration_type: 'embedding', callback_url: CALLBACK })
    await complete(service.merchant, session.session_id, { card_number: CARDS.mintDeclined })
    await browser.visit({}, async ({ page }) => {
      await page.goto(embedder.page({ url: session.iframe_url }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('The payment did not go through').waitFor()
      await page.getByText('completed failed').waitFor()
      expect(await ann.surface.getByRole('button').count()).toBe(0)
    })
  })
})

async function serveShop(context: Visit['context']): Promise<void> {
  const body = '<!doctype html><title>Shop</title><link rel="icon" href="data:,">'
  await context.route('https://shop.test/**', (route) => route.fulfill({ contentType: 'text/html', body }))
}
