// Guarantee: a cardholder who reads the terms for as long as the session lives, or lets the phone sleep over them, approves at the
// first try; and what was changed meanwhile is shown before it can be approved.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CHALLENGE_TTL_SECONDS } from '../../src/passkeys/service.ts'
import { createSession } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { cardholder, readyToApprove } from './cardholder.ts'
import { holdRequests } from './held.ts'

describeInBrowser('the terms, read for long', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  /** Both clocks go on: the service's, and that of the page. */
  async function pass(page: Page, seconds: number): Promise<void> {
    await service.clock.advance(seconds)
    await page.clock.fastForward(seconds * 1_000)
  }

  /** A visit whose clock can be moved on, as far as the terms. */
  async function atTheTerms(read: (page: Page, ann: ReturnType<typeof cardholder>) => Promise<void>): Promise<void> {
    const session = await createSession(service.merchant)
    await browser.visit({}, async ({ page }) => {
      await page.clock.install()
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.enterCard()
      await ann.createPasskey()
      await readyToApprove(page)
      await read(page, ann)
    })
  }

  it('are approved at the first try, after any number of challenges', async () => {
    await atTheTerms(async (page, ann) => {
      const asked = countQuestions(page)
      const title = await ann.heading(/^Approve \$40\.00/).elementHandle()
      for (let past = 0; past < CHALLENGE_TTL_SECONDS + 60; past += 90) {
        const before = asked()
        await pass(page, 90)
        await expect.poll(asked).toBe(before + 1)
      }
      // What was read stands there as it did, with the focus on it.
      expect(await title?.evaluate((heading) => heading.isConnected && heading === document.activeElement)).toBe(true)
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  it('wait for a new challenge after a sleep, and are approved with that', async () => {
    await atTheTerms(async (page, ann) => {
      const answer = await holdRequests(page, '**/api/approval-options')
      await pass(page, CHALLENGE_TTL_SECONDS + 30)
      await page.locator('.button-primary.button-waiting[aria-disabled=true]').waitFor()
      answer()
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  it('are shown anew where they are others now', async () => {
    await atTheTerms(async (page, ann) => {
      // Another card, as if it was chosen in another tab.
      await page.route('**/api/approval-options', async (route) => {
        const response = await route.fetch()
        const body = await response.json()
        await route.fulfill({
          response,
          json: { ...body, terms: { ...body.terms, card: { ...body.terms.card, last4: '0005' } } },
        })
      })
      const title = await ann.heading(/^Approve \$40\.00/).elementHandle()
      await pass(page, 90)
      await page
        .locator('.card-fixed')
        .getByText(/ending in\s0005/)
        .waitFor()
      expect(await title?.evaluate((heading) => heading.isConnected)).toBe(false)
    })
  })
})

/** How often the page has asked for terms and challenge. */
function countQuestions(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/approval-options')) count += 1
  })
  return () => count
}
