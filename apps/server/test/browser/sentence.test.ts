// Guarantee: before the button that approves, or that makes the passkey of a card that is saved, the page shows all that is asked for in one
// sentence; what it shows is word for word what the passkey signs; and what it cannot say is not offered.
import { SENTENCE_VERSION } from '@mintmark/contract/sentence/version'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fromQuote, variantOf } from '../../src/checkout/quotes/testing/scripted-shop.ts'
import type { Shop } from '../../src/checkout/shops/service.ts'
import { createEnrollment, createSession, dbRow, newUser } from '../flows.ts'
import { OPERATOR, PATIENT, startTestService, type TestService } from '../service.ts'
import { addTestShop, openTestShop, type TestShop } from '../shop.ts'
import { describeInBrowser } from './browser.ts'
import { cardholder } from './cardholder.ts'
import { pressInSight } from './in-sight.ts'

describeInBrowser('the sentence', (browser) => {
  let shop: TestShop
  let service: TestService
  let registered: Shop
  beforeAll(async () => {
    service = await startTestService({ env: { ...PATIENT, OPERATOR_NAME: OPERATOR.OPERATOR_NAME } })
    shop = await openTestShop(service)
    registered = await addTestShop(service, shop)
  })
  afterAll(async () => {
    await service?.close()
    await shop?.close()
  })

  async function quoted() {
    const { body: quote } = await service.merchant.post('/v1/quotes', {
      merchant: registered.id,
      items: [{ variant_id: variantOf(registered, 'stoneware-mug.slate'), quantity: 1 }],
      shipping_address: {
        ...{ name: 'Ann Example', address: '1 Main Street', city: 'Seattle' },
        ...{ state: 'WA', postal_code: '98101', country: 'US' },
      },
    })
    return createSession(service.merchant, fromQuote(quote))
  }

  const setup = () => createSession(service.merchant, { mandate_setup: { recurring_frequency: 'monthly' } })
  const said = (page: Page) => page.locator('.sentence')
  const signed = async (id: string) =>
    JSON.parse((await dbRow(service, 'select terms from approvals where subject_id = $1', [id])).terms).sentence

  /** As far as the button of a new cardholder, in a browser that reads this way. */
  async function atTheButton(
    session: { iframe_url: string },
    work: (page: Page, press: () => Promise<void>) => Promise<void>,
    reads: { locale?: string; timezoneId?: string } = {},
  ): Promise<void> {
    await browser.visit({ reads }, async ({ page }) => {
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.enterCard()
      await ann.createPasskey()
      await work(page, () => pressInSight(page, page.locator('.button-primary')))
    })
  }

  it.concurrent.each([
    [
      'payment',
      () => createSession(service.merchant),
      /^Tea House \(tea\.example\) bekommt eine Einmalkarte über höchstens 40,00.US\$\. Sie gilt nur dort, einmal, für 15 Minuten ab Ihrer Freigabe\./,
    ],
    [
      'quote',
      quoted,
      /^Northpay bestellt das jetzt für Sie bei Sandbox Shop \([a-z0-9.:-]+\) und zahlt .+, keinen Cent mehr\.$/,
    ],
    ['permission', setup, /^Tea House \(tea\.example\) darf bis zu 40,00.US\$ pro Monat abbuchen, nur dort, bis zum /],
  ] as const)('of a %s is the one that is signed, as this browser reads', async (_, create, words) => {
    const session = await create()
    await atTheButton(
      session,
      async (page, press) => {
        await said(page).filter({ hasText: words }).waitFor()
        expect(await said(page).getAttribute('lang')).toBe('de')
        const shown = await said(page).textContent()
        await press()
        await page.locator('.button-primary').waitFor({ state: 'detached' })
        expect(await signed(session.session_id)).toEqual({
          ...{ version: SENTENCE_VERSION, language: 'de', locale: 'de-DE', time_zone: 'Europe/Berlin' },
          text: shown,
        })
      },
      { locale: 'de-DE', timezoneId: 'Europe/Berlin' },
    )
  })

  it.concurrent('of an enrollment stands before the passkey is made, and is signed with one that is there', async () => {
    const words = 'Northpay keeps this card for you. Test Shop asks you before each payment.'
    const user_id = newUser()
    const [first, second] = [
      await createEnrollment(service.merchant, { user_id }),
      await createEnrollment(service.merchant, { user_id }),
    ]
    await browser.visit({}, async ({ page }) => {
      await page.goto(first.iframe_url)
      const ann = cardholder(page)
      await ann.enterCard()
      await ann.button('Create a passkey').waitFor()
      expect(await said(page).textContent()).toBe(words)
      await ann.createPasskey()
      await ann.heading('Your card is saved').waitFor()
      await page.goto(second.iframe_url)
      await ann.enterCard('378282246310005')
      await said(page).filter({ hasText: words }).waitFor()
      await pressInSight(page, page.locator('.button-primary'))
      await ann.heading('Your card is saved').waitFor()
    })
    expect(await signed(second.session_id)).toMatchObject({ language: 'en', text: words })
  })

  it.concurrent.each([
    ['none', undefined],
    ['one of another version', { version: 99, language: 'en', text: 'All of it.' }],
  ])('with %s there is no button', async (_, sentence) => {
    const session = await createSession(service.merchant)
    await browser.visit({}, async ({ page }) => {
      const without = (terms: object) => ({ ...terms, sentence })
      for (const path of ['**/api/passkeys/registrations', '**/api/approval-options']) {
        await page.route(path, async (route) => {
          const response = await route.fetch()
          const body = await response.json()
          const { approval = null, terms } = body
          const json = terms
            ? { ...body, terms: without(terms) }
            : { ...body, approval: approval && { ...approval, terms: without(approval.terms) } }
          await route.fulfill({ response, json })
        })
      }
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.enterCard()
      await ann.createPasskey()
      await page.getByText('This page does not understand the terms to approve.').waitFor()
      expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
    })
  })
})
