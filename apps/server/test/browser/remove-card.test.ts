// Guarantee: a customer removes a card in the list of theirs: two presses and the passkey. A closed dialog is one quiet
// line, and nothing is removed; the list stands there without the card, and after the last one the fields for another
// do.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardsOf } from '../../src/cards/testing/enrolled.ts'
import { CARDS, createSession, newUser } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, LOOKS, lookAt } from './browser.ts'
import { type Cardholder, open } from './cardholder.ts'

const MEANS = 'Visa ending in\u00a04242 is deleted, and permissions paid with it end.'
const NARROW = { name: 'narrow', viewport: { width: 320, height: 640 }, colorScheme: 'light' } as const

describeInBrowser('a card that is removed', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  const begin = async (page: Page, user_id: string) =>
    open(page, (await createSession(service.merchant, { user_id })).iframe_url)

  /** A customer who has paid with two cards, at the page of a third payment. */
  async function returning(page: Page, user: string): Promise<Cardholder> {
    await (await begin(page, user)).payAnew(CARDS.success)
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    const ann = await begin(page, user)
    await ann.button('Change the card').click()
    await ann.button('Use another card').click()
    await ann.enterCard('5555555555554444')
    await ann.approve()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    return begin(page, user)
  }

  it.concurrent('is asked about once more, and gone by the passkey; the list stays open, and after the last one a card is entered', async () => {
    const user = newUser()
    await browser.visit({}, async (visit) => {
      const { page, authenticator } = visit
      const ann = await returning(page, user)
      await ann.button('Change the card').click()
      const visa = ann.button(/^Remove Visa ending in.4242$/)
      expect(await lookAt(visit, 'remove-list', [...LOOKS, NARROW])).toEqual([])
      await visa.click()
      await page.getByText(MEANS).waitFor()
      expect(await lookAt(visit, 'remove-question', [...LOOKS, NARROW])).toEqual([])
      expect(await ann.button('Keep it').evaluate((keep) => keep === document.activeElement)).toBe(true)
      await page.keyboard.press('Escape')
      await visa.click()
      await ann.button('Keep it').click()
      expect(await page.getByText(MEANS).count()).toBe(0)

      // The person is there, and the screen lock is not passed.
      await authenticator.setUserVerified(false)
      await visa.click()
      await page.getByText(MEANS).waitFor()
      await ann.button('Remove card').click()
      await page.getByText('The passkey was not used.').waitFor()
      expect(await lookAt(visit, 'remove-dialog-closed', [...LOOKS, NARROW])).toEqual([])
      expect(await cardsOf(service.merchant, user)).toHaveLength(2)
      expect((await cardsOf(service.merchant, user)).join()).not.toContain('deleted')

      await authenticator.setUserVerified(true)
      await visa.click()
      await ann.button('Remove card').click()
      await page.getByText(MEANS).waitFor({ state: 'detached' })
      // The default was the first one, which was in the sheet: the other one is there to choose.
      const mastercard = ann.button(/^Remove Mastercard ending in.4444$/)
      await mastercard.waitFor()
      expect((await cardsOf(service.merchant, user)).filter((card) => card.endsWith(' deleted'))).toHaveLength(1)
      await mastercard.click()
      await page.getByText(/^Mastercard ending in.4444 is deleted/).waitFor()
      await ann.button('Remove card').click()
      await page.getByLabel('Card number').waitFor()
      expect((await cardsOf(service.merchant, user)).every((card) => card.endsWith(' deleted'))).toBe(true)
      await ann.enterCard(CARDS.success)
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  it.concurrent('and was not the one in the sheet leaves the list open, without it', async () => {
    const user = newUser()
    await browser.visit({}, async ({ page }) => {
      const ann = await returning(page, user)
      await ann.button('Change the card').click()
      const mastercard = ann.button(/^Remove Mastercard ending in.4444$/)
      await mastercard.click()
      await page.getByText(/^Mastercard ending in.4444 is deleted/).waitFor()
      await ann.button('Remove card').click()
      await page.getByText(/^Mastercard ending in.4444 is deleted/).waitFor({ state: 'detached' })
      await ann.button(/^Remove Visa ending in.4242$/).waitFor()
      expect(await page.locator('.card-choice[aria-pressed=true]').count()).toBe(1)
      await page.locator('.card-choice').click()
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  it.concurrent('is asked for anew where the service could not verify the passkey', async () => {
    const user = newUser()
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      const ann = await returning(page, user)
      await ann.button('Change the card').click()
      await page.route(
        '**/api/cards/remove',
        (route) => route.fulfill({ status: 400, json: { error: { code: 'PASSKEY_FAILED', message: '' } } }),
        { times: 1 },
      )
      const visa = ann.button(/^Remove Visa ending in.4242$/)
      await visa.click()
      await page.getByText(MEANS).waitFor()
      await ann.button('Remove card').click()
      await page.getByText('The passkey could not be verified.').waitFor()
      await visa.click()
      await ann.button('Remove card').click()
      await page.getByText(MEANS).waitFor({ state: 'detached' })
      expect((await cardsOf(service.merchant, user)).filter((card) => card.endsWith(' deleted'))).toHaveLength(1)
    })
  })
})
