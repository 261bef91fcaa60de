// Guarantee: a cardholder who pays with a card is told that it is kept, and may choose that it is not; a card that was entered just this
// once is gone after the payment, and the next payment asks for a card.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GONE, reportItem, standing } from '../../src/cards/testing/once.ts'
import { createSession, dbRow, newUser } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, lookAt } from './browser.ts'
import { cardholder, fillCard } from './cardholder.ts'

const CHOICE = 'Use this card just this once'
const DELETED = 'Deleted when this payment is over'
const KEPT = 'Mintmark keeps this card'

describeInBrowser('a card for one payment', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  const begin = (user_id: string) => createSession(service.merchant, { user_id })
  const cardOf = async (sessionId: string): Promise<string> =>
    (await dbRow(service, 'select card_id from sessions where id = $1', [sessionId])).card_id

  it('is kept unless its cardholder says otherwise; then it is gone after the report', async () => {
    const user = newUser()
    await browser.visit({}, async (visit) => {
      const { page } = visit
      const ann = cardholder(page)
      const first = await begin(user)
      await page.goto(first.iframe_url)
      const choice = page.getByRole('checkbox', { name: CHOICE })
      expect(await choice.isChecked()).toBe(false)
      // What it means is read with it, and its words are part of what can be pressed.
      const described = await choice.getAttribute('aria-describedby')
      expect(await page.locator(`[id="${described}"]`).textContent()).toMatch(
        /^We keep it for your next payment, unless/,
      )
      expect(await lookAt(visit, 'once-offered')).toEqual([])
      await fillCard(page, '4242424242424242')
      await page.getByText(CHOICE).click()
      expect(await choice.isChecked()).toBe(true)
      // By keyboard as well.
      await choice.focus()
      await page.keyboard.press('Space')
      expect(await choice.isChecked()).toBe(false)
      await page.keyboard.press('Space')
      expect(await lookAt(visit, 'once-chosen')).toEqual([])
      await ann.button('Continue').click()
      await ann.createPasskey()
      await page.getByText(DELETED).waitFor()
      expect(await lookAt(visit, 'once-approval')).toEqual([])
      await ann.approve()
      await ann.heading('Approved').waitFor()

      const id = await cardOf(first.session_id)
      expect((await standing(service, id)).status).toBe('active')
      await reportItem(service.merchant, first.session_id)
      await service.runJobs()
      expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })

      // The next payment asks for a card, with the choice as it was at first; the passkey is there.
      const second = await begin(user)
      await page.goto(second.iframe_url)
      await ann.heading('Pay with a card').waitFor()
      expect(await choice.isChecked()).toBe(false)
      await ann.enterCard()
      await page.getByText(KEPT).waitFor()
      await ann.approve()
      await ann.heading('Approved').waitFor()
      await reportItem(service.merchant, second.session_id)
      await service.runJobs()
      expect((await standing(service, id)).status).toBe('active')

      // The third finds it, and asks for nothing. Entered once more just this once it stays saved, and the page says so.
      const third = await begin(user)
      await page.goto(third.iframe_url)
      await ann.button('Change').click()
      await fillCard(page, '4242424242424242')
      await choice.check()
      await ann.button('Continue').click()
      await page.getByText(KEPT).waitFor()
      expect(await page.getByText(DELETED).count()).toBe(0)
    })
  })

  it('is not offered where the card must live', async () => {
    await browser.visit({}, async ({ page }) => {
      const setup = await createSession(service.merchant, { mandate_setup: { recurring_frequency: 'monthly' } })
      await page.goto(setup.iframe_url)
      await page.getByLabel('Card number').waitFor()
      expect(await page.getByRole('checkbox').count()).toBe(0)
    })
  })
})
