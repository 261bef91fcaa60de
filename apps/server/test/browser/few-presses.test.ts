// Guarantee: after the card is typed two presses pay, and one where card and passkey are known; a press counts only for
// what stood there.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSession, newUser, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { fillCard, open, readyToApprove } from './cardholder.ts'

describeInBrowser('few presses', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  const resultOf = async (id: string) => (await paymentResult(service.merchant, id)).body.status

  it('pay: two of a new customer, who is told that both dialogs come, and one of who comes back', async () => {
    const user_id = newUser()
    const [first, second] = [
      await createSession(service.merchant, { user_id }),
      await createSession(service.merchant, { user_id }),
    ]
    await browser.visit({ before: countPresses }, async ({ page }) => {
      const ann = await open(page, first.iframe_url)
      await fillCard(page, '4242424242424242')
      await page.evaluate(() => Reflect.set(window, 'presses', 0))
      await ann.button('Approve $40.00').click()
      await page.getByText(/^You confirm twice/).waitFor()
      await ann.createPasskey()
      await ann.heading('Approved').waitFor()
      expect(await presses(page)).toBe(2)
      expect(await resultOf(first.session_id)).toBe('awaiting_result')

      const startedAt = performance.now()
      await open(page, second.iframe_url)
      await (await readyToApprove(page)).click()
      await ann.heading('Approved').waitFor()
      expect(await presses(page)).toBe(1)
      process.stdout.write(
        `A returning customer: ${Math.round(performance.now() - startedAt)} ms from the link to the receipt.\n`,
      )
    })
  })

  it.each([
    ['amount', (terms: Terms) => ({ ...terms, amount: '41.00' })],
    ['shop', (terms: Terms) => ({ ...terms, payee: { ...terms.payee, name: 'Tea Home' } })],
    ['card', (terms: Terms) => ({ ...terms, card: { ...terms.card, last4: '4243' } })],
  ])('sign nothing with another %s than stood there', async (_, changed) => {
    const session = await createSession(service.merchant)
    await browser.visit({}, async ({ page }) => {
      await page.route('**/api/passkeys/registrations', async (route) => {
        const response = await route.fetch()
        const body = await response.json()
        const { approval } = body
        await route.fulfill({ response, json: { ...body, approval: { ...approval, terms: changed(approval.terms) } } })
      })
      const ann = await open(page, session.iframe_url)
      await ann.enterCard()
      await ann.createPasskey()
      await readyToApprove(page)
      await page.evaluate(() => new Promise((passed) => setTimeout(passed, 800)))
      expect(await page.locator('.button-approve[aria-busy=true]').count()).toBe(0)
      expect(await resultOf(session.session_id)).toBe('pending')
    })
  })
})

interface Terms {
  payee: { name: string }
  card: { last4: string }
}

/** Runs in the page. */
function countPresses(): void {
  Reflect.set(window, 'presses', 0)
  const count = ({ isTrusted }: Event) => {
    if (isTrusted) Reflect.set(window, 'presses', Reflect.get(window, 'presses') + 1)
  }
  addEventListener('click', count, true)
}

const presses = (page: Page) => page.evaluate(() => Reflect.get(window, 'presses') as number)
