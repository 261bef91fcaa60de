// Guarantee: the reference of the API can be read on a phone and on a desk, and asks no other host for anything.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'

/**
 * A bound: the viewer is a megabyte of script, which a busy machine reads for half a minute before it shows anything.
 */
const READ_WITHIN_MILLIS = 240_000

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
      const [content, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      expect(content).toBeLessThanOrEqual(seen ?? 0)
      await shoot(`reference-${name}`)
    })
  })

  it(
    'has the guides in its sidebar, to be read in their place, and links between them',
    async () => {
      await browser.visit({}, async ({ page }) => {
        await page.setViewportSize(VIEWPORTS.desktop)
        await page.goto(`${service.apiUrl}/docs`)
        const sidebar = page.getByRole('complementary')
        await sidebar.getByText('For shops', { exact: true }).waitFor()
        for (const guide of ['Quickstart', 'Receiving webhooks', 'Self-hosting', 'Errors', 'Configuration'])
          expect([guide, await sidebar.getByRole('link', { name: guide, exact: true }).count()]).toEqual([guide, 1])
        expect(await page.getByText('No authentication selected').count()).toBe(0)
        await sidebar.getByRole('link', { name: 'Receiving webhooks', exact: true }).click()
        await page.getByRole('heading', { name: 'See them first' }).waitFor()
        await page.getByRole('main').getByRole('link', { name: 'reference of events' }).first().click()
        await page.waitForURL(/#tag\/reference-events$/)
        await sidebar.getByRole('link', { name: 'Errors', exact: true }).click()
        const status = page.getByRole('main').getByRole('columnheader', { name: 'Status' }).first()
        await status.waitFor()
        expect((await status.boundingBox())?.height).toBeLessThan(80)
      })
    },
    READ_WITHIN_MILLIS,
  )

  it(
    'shows a call in words, folded, for what there is an SDK of, and tries it with the key of the sandbox',
    async () => {
      await browser.visit({}, async ({ page }) => {
        await page.setViewportSize(VIEWPORTS.desktop)
        await page.goto(`${service.apiUrl}/docs#tag/sessions/POST/v1/sessions`)
        await page.getByRole('heading', { name: 'Create a payment session' }).waitFor()
        const main = page.getByRole('main')
        await main.getByText('Your own name for the customer').first().waitFor()
        const text = await main.innerText()
        const saidAfter = (word: string) =>
          new Set([...text.matchAll(new RegExp(`^${word}:\\n(.+)`, 'gm'))].map(([, said]) => said))
        expect(saidAfter('Format')).toEqual(new Set(['email address', 'URL']))
        expect(saidAfter('Type')).toContain('Amount')
        expect([...saidAfter('Type')].filter((type) => /^not\b/i.test(type ?? ''))).toEqual([])

        const currencies = main.locator('.property-enum', { hasText: 'USD' }).first()
        expect((await currencies.boundingBox())?.height).toBeLessThan(120)
        expect(await currencies.getByText('KWD', { exact: true }).count()).toBe(0)
        await currencies.scrollIntoViewIfNeeded()
        await currencies.getByRole('button', { name: 'Show all values' }).click()
        expect(await currencies.getByText('KWD', { exact: true }).isVisible()).toBe(true)

        await main.getByRole('button', { name: 'Shell Curl' }).first().click()
        expect((await page.getByRole('option').allInnerTexts()).sort()).toEqual(['Curl', 'Fetch'])
        await page.keyboard.press('Escape')

        await main.getByRole('button', { name: 'Test Request' }).first().click()
        const answered = page.waitForResponse((response) => response.url() === `${service.apiUrl}/v1/sessions`)
        await page.getByRole('dialog').getByRole('button', { name: 'Send' }).filter({ visible: true }).first().click()
        expect((await answered).status()).toBe(201)
      })
    },
    READ_WITHIN_MILLIS,
  )
})
