// Guarantee: the reference of the API can be read on a phone and on a desk, and asks no other host for anything.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'

describeInBrowser('the reference of the API', (browser) => {
  let service: TestService
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'mintmark-reference-'))
    service = await startTestService({ env: { ...PATIENT, MINTMARK_HOME: home } })
    await writeFile(join(home, 'dev.json'), JSON.stringify({ secret_key: service.merchant.secretKey }))
  })
  afterAll(async () => {
    await service?.close()
    await rm(home, { recursive: true })
  })

  it.each(Object.entries(VIEWPORTS))('%s', async (name, viewport) => {
    await browser.visit({}, async ({ page, shoot }) => {
      await page.setViewportSize(viewport)
      await page.goto(`${service.apiUrl}/docs#tag/sessions/POST/v1/sessions`)
      await page.getByRole('heading', { name: 'Create a payment session' }).waitFor()
      await page.getByText('Your own name for the customer').first().waitFor({ state: 'attached' })
      expect(await page.getByText('as soon as its script is loaded').count()).toBe(0)
      // The viewer draws itself piece by piece.
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      await shoot(`reference-${name}`)
    })
  })

  it('tries calls with the key of the sandbox, shows the guides, and speaks the languages that there is an SDK of', async () => {
    await browser.visit({}, async ({ page, shoot }) => {
      await page.setViewportSize(VIEWPORTS.desktop)
      await page.goto(`${service.apiUrl}/docs`)
      await page.getByText('Introduction', { exact: true }).first().click()
      await page.getByRole('heading', { name: 'Guides' }).waitFor()
      await page.getByRole('complementary').getByText('Guides', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Quickstart', exact: true }).first().waitFor({ state: 'attached' })
      expect(await page.getByText('No authentication selected').count()).toBe(0)
      await shoot('reference-start')
      await page.goto(`${service.apiUrl}/docs#tag/sessions/POST/v1/sessions`)
      await page.getByRole('heading', { name: 'Create a payment session' }).waitFor()
      await page.getByText('Your own name for the customer').first().waitFor({ state: 'attached' })
      await shoot('reference-call')
      const text = await page.locator('body').innerText()
      for (const word of ['Ruby', 'PHP', 'clean-text', 'https-url', 'Not\n', 'not string'])
        expect(text).not.toContain(word)
    })
  })
})
