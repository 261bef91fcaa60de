// Guarantee: what a cardholder typed once is sent once, whatever the browser, the mouse and the network do with it, and
// what the page cannot understand is not approved.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { typeCard } from '../../../surface/dev/shots.ts'
import { describeInBrowser } from './browser.ts'
import { type MockPage, startMockPage } from './mock-page.ts'

/** A refused call is what some of these are about: the browser's own line about its status is no complaint. */
const REFUSED = /^Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_FAILED)/

describeInBrowser('what was typed once', (browser) => {
  let mock: MockPage
  beforeAll(async () => {
    mock = await startMockPage()
  })
  afterAll(() => mock?.close())

  const headed = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

  it('a browser fills all fields in one step', async () => {
    await browser.visit({ expects: [REFUSED] }, async ({ page }) => {
      await page.goto(`${mock.url}/s/ma_x/card#x`)
      await headed(page, 'Pay with a card')
      await page.evaluate(`for (const [name, value] of Object.entries({
        'card-number': '378282246310005', 'card-expiry': '2031-09', 'card-code': '1234',
      })) {
        const input = document.querySelector('[name=' + name + ']')
        input.value = value
        input.dispatchEvent(new Event('input', { bubbles: true }))
        input.dispatchEvent(new Event('change', { bubbles: true }))
      }`)
      expect(await page.getByLabel('Card number').inputValue()).toBe('3782 822463 10005')
      expect(await page.getByLabel('Expiry date').inputValue()).toBe('09 / 31')
      await page.locator('[type=submit]').click()
      await headed(page, 'Create a passkey')
    })
  })

  it('a double click sends once', async () => {
    await browser.visit({ expects: [REFUSED] }, async ({ page }) => {
      let cards = 0
      await page.route('**/api/cards', async (route) => {
        cards += 1
        await new Promise((resolve) => setTimeout(resolve, 400))
        await route.continue()
      })
      await page.goto(`${mock.url}/s/ma_x/card#x`)
      await typeCard(page, '4242424242424242')
      await page.locator('[type=submit]').dblclick()
      await headed(page, 'Create a passkey')
      expect(cards).toBe(1)
    })
  })

  it('an answer that was lost is not sent again', async () => {
    await browser.visit({ expects: [REFUSED] }, async ({ page }) => {
      let cards = 0
      await page.route('**/api/cards', async (route) => {
        cards += 1
        await route.fetch()
        await route.abort()
      })
      await page.goto(`${mock.url}/s/ma_x/card#x`)
      await typeCard(page, '4242424242424242')
      await page.locator('[type=submit]').click()
      await headed(page, 'Create a passkey')
      expect(cards).toBe(1)
    })
  })

  it('terms the page does not understand cannot be approved', async () => {
    await browser.visit({ expects: [REFUSED] }, async ({ page }) => {
      await page.route('**/api/approval-options', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), terms: { version: 2 } } })
      })
      await page.goto(`${mock.url}/s/ma_x/approval#x`)
      await headed(page, 'That did not work')
      expect(await page.getByRole('button', { name: /^Approve .* with passkey$/ }).count()).toBe(0)
    })
  })

  it('a session that ended elsewhere shows how it ended', async () => {
    await browser.visit({ expects: [REFUSED] }, async ({ page }) => {
      const error = { error: { code: 'AUTH_1003', message: 'The session has expired.' } }
      await page.route('**/api/cards', (route) => route.fulfill({ status: 401, json: error }))
      await page.route('**/api/session', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), step: 'done', outcome: 'approved' } })
      })
      await page.goto(`${mock.url}/s/ma_x/card#x`)
      await typeCard(page, '4242424242424242')
      await page.locator('[type=submit]').click()
      await headed(page, 'Approved')
    })
  })

  it('a refusal that repeats does not draw the page forever', async () => {
    await browser.visit({ expects: [REFUSED] }, async ({ page }) => {
      let calls = 0
      const error = { error: { code: 'INVALID_STATE', message: 'The session changed meanwhile.' } }
      await page.route('**/api/approval-options', (route) => {
        calls += 1
        return route.fulfill({ status: 400, json: error })
      })
      await page.goto(`${mock.url}/s/ma_x/approval#x`)
      await headed(page, 'That did not work')
      expect(calls).toBe(1)
    })
  })
})
