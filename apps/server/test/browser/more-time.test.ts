// Guarantee: a cardholder who needs more time is offered it in the last two minutes, and goes on where they are: what was typed stays, what is being
// signed counts, and the terms are those of the new end.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardholder as headless } from '../cardholder.ts'
import { CARDS, createSession } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, lookAt } from './browser.ts'
import { type Cardholder, cardholder, fillCard, open, readyToApprove } from './cardholder.ts'
import { type Embedder, heardBy, startEmbedder } from './embedder.ts'
import { holdRequests } from './held.ts'
import { press } from './press.ts'

const MORE = 'Need more time?'
const LIFE = 15 * 60

describeInBrowser('more time', (browser) => {
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

  /** Both clocks go on: the service's, and that of the page. */
  async function pass(page: Page, seconds: number): Promise<void> {
    await service.clock.advance(seconds)
    await page.clock.fastForward(seconds * 1_000)
  }

  it('is offered and said, and what was typed stays, with the keyboard where it was', async () => {
    const { iframe_url } = await createSession(service.merchant)
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.clock.install()
      const ann = await open(page, iframe_url)
      const said = page.locator('.visually-hidden[role=status]')
      const more = ann.button(MORE)
      await fillCard(page, CARDS.success)
      await pass(page, LIFE - 180)
      expect(await more.isVisible()).toBe(false)
      await pass(page, 70)
      await more.waitFor()
      await expect.poll(() => said.textContent()).toMatch(/^\d+ seconds left to approve\. There is a button: Need more/)
      expect(await lookAt(visit, 'more-time')).toEqual([])
      const code = page.getByLabel('Security code')
      await code.focus()
      const field = await code.elementHandle()
      await more.focus()
      await page.keyboard.press('Enter')
      await page.getByText(/1[01]:\d\d left to approve/).waitFor()
      expect(await more.isVisible()).toBe(false)
      expect(await said.textContent()).toMatch(/^There is more time: 1[01] minutes left/)
      expect(await field?.evaluate((input) => input.isConnected && input === document.activeElement)).toBe(true)
      await pass(page, 130)
      await ann.button('Continue').click()
      await ann.createPasskey()
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  /** At the terms, in the last two minutes. */
  async function lateAtTheTerms(act: (page: Page, ann: Cardholder) => Promise<void>): Promise<void> {
    const { iframe_url } = await createSession(service.merchant)
    await browser.visit({}, async ({ page }) => {
      await page.clock.install()
      const ann = await open(page, iframe_url)
      await ann.enterCard()
      await ann.createPasskey()
      await readyToApprove(page)
      const asked = page.waitForResponse('**/api/approval-options')
      await pass(page, LIFE - 100)
      await asked
      await readyToApprove(page)
      await act(page, ann)
    })
  }

  it('brings the terms of the new end, under what is read', async () => {
    await lateAtTheTerms(async (page, ann) => {
      const sentence = await page.locator('.sentence').elementHandle()
      const asked = page.waitForResponse('**/api/approval-options')
      const given = page.waitForResponse('**/api/more-time')
      await ann.button(MORE).click()
      const { expires_at } = await (await given).json()
      await page.clock.fastForward(5_000)
      expect((await (await asked).json()).terms.approve_by).toBe(expires_at)
      expect(await sentence?.evaluate((words) => words.isConnected)).toBe(true)
      await pass(page, 110)
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  it('leaves the dialog of a passkey alone, and what it gives counts', async () => {
    await lateAtTheTerms(async (page, ann) => {
      await page.evaluate(() => {
        const get = navigator.credentials.get.bind(navigator.credentials)
        CredentialsContainer.prototype.get = async (asked) => {
          await new Promise<void>((finger) => Object.assign(window, { finger }))
          return get(asked)
        }
      })
      let asked = 0
      page.on('request', (request) => {
        if (request.url().endsWith('/api/approval-options')) asked += 1
      })
      await ann.approve()
      await ann.button('Waiting for your passkey…').waitFor()
      await ann.button(MORE).click()
      await page.getByText(/1[01]:\d\d left to approve/).waitFor()
      await page.clock.fastForward(20_000)
      await page.evaluate(() => (window as unknown as { finger(): void }).finger())
      await ann.heading('Approved').waitFor()
      expect(asked).toBe(0)
    })
  })

  it('is asked for once, also in a frame; where another tab was first, what is left is said, and no error', async () => {
    const { iframe_url, session_token } = await createSession(service.merchant, { integration_type: 'embedding' })
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      await page.clock.install()
      await page.goto(embedder.page({ url: iframe_url }))
      const frame = page.frameLocator('iframe')
      const ann = cardholder(frame)
      await fillCard(frame, CARDS.success)
      await pass(page, LIFE - 100)
      let asked = 0
      page.on('request', (request) => {
        if (request.url().endsWith('/api/more-time')) asked += 1
      })
      const answer = await holdRequests(page, '**/api/more-time')
      const more = ann.button(MORE)
      await press(more)
      await more.and(frame.locator('[aria-busy=true]')).waitFor()
      await more.click({ force: true })
      const other = headless(service, session_token)
      expect((await other.post('/api/more-time')).status).toBe(200)
      answer()
      await frame.getByText(/1[01]:\d\d left to approve/).waitFor()
      expect(await more.isVisible()).toBe(false)
      expect(asked).toBe(1)
      expect((await heardBy(page)).filter(({ type }) => type === 'error')).toEqual([])
      expect(await frame.getByLabel('Security code').inputValue()).toBe('123')
    })
  })

  it('that another tab was given is found at the former end, and what was typed stays', async () => {
    const { iframe_url, session_token } = await createSession(service.merchant)
    await browser.visit({}, async ({ page }) => {
      await page.clock.install()
      await open(page, iframe_url)
      await fillCard(page, CARDS.success)
      await pass(page, LIFE - 60)
      expect((await headless(service, session_token).post('/api/more-time')).status).toBe(200)
      await page.getByRole('button', { name: MORE }).waitFor()
      await pass(page, 61)
      await page.getByText(/[89]:\d\d left to approve/).waitFor()
      expect(await page.getByLabel('Security code').inputValue()).toBe('123')
    })
  })
})
