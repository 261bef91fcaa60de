// Guarantee: what was signed is read again word for word, on whatever page it is looked at later; and on paper the
// receipt stands alone, black on white, whatever the scheme of the page.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { complete, createSession, dbRow } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { open } from './cardholder.ts'

const GERMAN = { locale: 'de-DE', timezoneId: 'Europe/Berlin' }

describeInBrowser('the receipt', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  const kept = (page: Page) => page.locator('.say bdi')
  const signed = async (id: string) =>
    JSON.parse((await dbRow(service, 'select terms from approvals where subject_id = $1', [id])).terms).sentence.text

  it.concurrent('has the words that were signed, also after a reload, and in a browser of another language', async () => {
    const session = await createSession(service.merchant)
    await browser.visit({ reads: GERMAN }, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.payAnew()
      await page.locator('[data-outcome=approved]').waitFor()
      const words = await signed(session.session_id)
      expect(words).toMatch(/^Tea House bekommt eine Einmalkarte/)
      expect(await kept(page).textContent()).toBe(words)
      await page.reload()
      await page.locator('[data-outcome=approved]').waitFor()
      expect(await kept(page).textContent()).toBe(words)
      expect(await page.locator('.say').getAttribute('lang')).toBe('de')
    })
  })

  it.concurrent('of a permission has them, too', async () => {
    const session = await createSession(service.merchant, { mandate_setup: { recurring_frequency: 'monthly' } })
    await browser.visit({}, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.payAnew()
      await page.locator('[data-outcome=approved]').waitFor()
      await page.reload()
      await page.locator('[data-outcome=approved]').waitFor()
      expect(await kept(page).textContent()).toBe(await signed(session.session_id))
    })
  })

  it.concurrent('shows the order’s number; ours, which is long, opens below it', async () => {
    const session = await createSession(service.merchant, { external_order_ref: 'basket-7' })
    await browser.visit({}, async ({ page }) => {
      await (await open(page, session.iframe_url)).payAnew()
      await page.getByText('basket-7').waitFor()
      expect(await page.getByText(session.order_id).isVisible()).toBe(false)
      await page.getByText('More', { exact: true }).click()
      await page.getByText(session.order_id).waitFor()
    })
  })

  it.concurrent('stays for who prints it', async () => {
    const session = await createSession(service.merchant, { callback_url: 'https://shop.test/done' })
    await complete(service.merchant, session.session_id, {})
    const before = () => {
      window.print = () => {
        document.title = 'printed'
      }
    }
    await browser.visit({ before }, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.button('Print').click()
      await page.getByText('This page stays.').first().waitFor()
      expect(await page.title()).toBe('printed')
    })
  })

  it.concurrent('on paper is black on white, with what is folded, and without buttons', async () => {
    const session = await createSession(service.merchant)
    await browser.visit({}, async ({ page, shoot }) => {
      await page.emulateMedia({ colorScheme: 'dark' })
      await (await open(page, session.iframe_url)).payAnew()
      await page.getByRole('button', { name: 'Print' }).waitFor()
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      await page.getByText(session.order_id).waitFor()
      expect(await kept(page).isVisible()).toBe(true)
      expect(await page.getByRole('button').count()).toBe(0)
      const colours = await page
        .locator('.sheet')
        .evaluate((sheet) => [getComputedStyle(sheet).backgroundColor, getComputedStyle(document.body).backgroundColor])
      expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(255, 255, 255)'])
      expect(await page.locator('h1').evaluate((title) => getComputedStyle(title).color)).toBe('rgb(18, 32, 27)')
      await shoot('receipt-on-paper')
    })
  })
})
