// Guarantee: the reference of the API can be read on a phone and on a desk, and asks no other host for anything.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'

describeInBrowser('the reference of the API', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  it.each(Object.entries(VIEWPORTS))('%s', async (name, viewport) => {
    await browser.visit({}, async ({ page, shoot }) => {
      await page.setViewportSize(viewport)
      await page.goto(`${service.apiUrl}/docs#tag/sessions/POST/v1/sessions`)
      await page.getByRole('heading', { name: 'Create a payment session' }).waitFor()
      await page.getByText('Your own name for the customer').first().waitFor({ state: 'attached' })
      expect(await page.getByText('as soon as its script is loaded').count()).toBe(0)
      const [content, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      expect(content).toBeLessThanOrEqual(seen ?? 0)
      await shoot(`reference-${name}`)
    })
  })
})
