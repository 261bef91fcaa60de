import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, complete, createSession, newUser, revoke, vaultRecord } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { accessibilityProblems } from './accessibility.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { type Cardholder, cardholder, fillCard, readyToApprove } from './cardholder.ts'
import { holdRequests } from './held.ts'

interface Stop {
  name: string
  /** Makes the session; returns where to go. */
  arrange(): Promise<string>
  /** Goes to the screen. */
  act?(ann: Cardholder, visit: Visit): Promise<unknown>
  heading: string | RegExp
}

const CART = {
  custom: {
    merchant_details: {
      name: 'The Exceedingly Long-Named Emporium of Fine Teas and Kettles',
      url: 'https://a-rather-long-subdomain.of-the-emporium.example',
      country_code_iso2: 'US',
    },
    product_details: Array.from({ length: 6 }, (_, index) => ({
      description: `Tea number ${index + 1}, hand-picked in the early hours of a particularly misty spring morning`,
      unit_price: '205.45',
      quantity: index + 1,
    })),
  },
}

describeInBrowser('every screen of the secure surface', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: { ...PATIENT, RATE_LIMIT_SURFACE_SECRET_ENTRY: '4' } })
  })
  afterAll(() => service?.close())

  const open = async (changes: Record<string, unknown> = {}, done?: Record<string, unknown>) => {
    const session = await createSession(service.merchant, changes)
    if (done !== undefined) expect((await complete(service.merchant, session.session_id, done)).status).toBe(200)
    return session.iframe_url
  }
  const returning = async () => {
    const user_id = newUser()
    for (const card_number of [CARDS.amex, '5555555555554444', CARDS.success]) await open({ user_id }, { card_number })
    return open({ user_id })
  }
  const vaulted = async () => {
    return open({ card: { vault_ref_id: await vaultRecord(service.merchant) } })
  }
  const revoked = async () => {
    const callback_url = 'https://tea.example/done'
    const { session_id, iframe_url } = await createSession(service.merchant, { callback_url })
    await revoke(service.merchant, session_id)
    return iframe_url
  }
  const refuse = async (ann: Cardholder) => {
    await ann.enterCard(CARDS.refused)
    await ann.surface.getByRole('alert').filter({ hasText: 'Your bank said no to this card' }).waitFor()
  }

  const stops: Stop[] = [
    { name: 'card', arrange: () => open({ description: 'Two weeks of tea' }), heading: 'Pay with a card' },
    {
      name: 'card-filled',
      arrange: open,
      act: (ann) => fillCard(ann.surface, CARDS.success),
      heading: 'Pay with a card',
    },
    {
      name: 'card-errors',
      arrange: open,
      act: (ann) => ann.button('Continue').click(),
      heading: 'Pay with a card',
    },
    { name: 'card-refused', arrange: open, act: refuse, heading: 'Pay with a card' },
    {
      name: 'long-cart',
      arrange: () => open({ total_amount: '4314.45', purchase_context: CART }),
      act: (ann) => ann.surface.getByText('See all 6 items').click(),
      heading: 'Pay with a card',
    },
    { name: 'returning', arrange: returning, heading: /^Approve \$40\.00/ },
    {
      name: 'saved-cards',
      arrange: returning,
      act: (ann) => ann.button('Change').click(),
      heading: /^Approve \$40\.00/,
    },
    { name: 'card-code', arrange: vaulted, heading: 'Confirm your card' },
    {
      name: 'verification',
      arrange: () => open({}, { card_number: CARDS.stepUp, stop_after: 'card' }),
      heading: 'Enter the code from your bank',
    },
    {
      name: 'verification-wrong',
      arrange: () => open({}, { card_number: CARDS.stepUp, stop_after: 'card' }),
      async act(ann) {
        await ann.surface.getByLabel('One-time code').fill('000000')
        await ann.button('Verify').click()
        await ann.surface.getByText('That code is not right.').waitFor()
      },
      heading: 'Enter the code from your bank',
    },
    { name: 'registration', arrange: () => open({}, { stop_after: 'card' }), heading: 'Create a passkey' },
    {
      name: 'dialog-closed',
      arrange: () => open({}, { stop_after: 'card' }),
      async act(ann, { authenticator }) {
        await authenticator.setUserVerified(false)
        await ann.createPasskey()
        await ann.surface.getByText('The dialog closed, and no passkey was created.').waitFor()
      },
      heading: 'Create a passkey',
    },
    {
      name: 'approval',
      arrange: () => open({}, { stop_after: 'passkey' }),
      act: (ann) => readyToApprove(ann.surface),
      heading: /^Approve \$40\.00/,
    },
    {
      name: 'cancel-question',
      arrange: () => open({}, { stop_after: 'passkey' }),
      act: (ann) => ann.button('Cancel').click(),
      heading: /^Approve \$40\.00/,
    },
    { name: 'processing', arrange: () => open({}, { card_number: CARDS.mintHangs }), heading: /Getting your payment/ },
    { name: 'approved', arrange: () => open({}, {}), heading: 'Approved' },
    { name: 'failed', arrange: () => open({}, { card_number: CARDS.mintDeclined }), heading: /did not go through/ },
    {
      name: 'cancelled',
      arrange: open,
      async act(ann) {
        await ann.button('Cancel').click()
        await ann.button('Yes, cancel').click()
      },
      heading: 'Payment cancelled',
    },
    {
      name: 'revoked',
      arrange: revoked,
      async act(ann) {
        await ann.surface.getByText('Tea House').waitFor()
        await ann.button('Return to tea.example').waitFor()
      },
      heading: 'This request was withdrawn',
    },
    { name: 'unknown-link', arrange: async () => `${await open()}0`, heading: 'This link does not work' },
    {
      name: 'incomplete-link',
      arrange: async () => (await open()).replace(/#.*/, ''),
      heading: 'This link is incomplete',
    },
    {
      name: 'rate-limited',
      arrange: open,
      async act(ann) {
        for (let tries = 0; tries < 4; tries += 1) await refuse(ann)
        await ann.enterCard(CARDS.refused)
      },
      heading: 'One moment, please',
    },
    {
      name: 'offline',
      arrange: open,
      async act(ann, { context }) {
        await ann.heading('Pay with a card').waitFor()
        await context.setOffline(true)
        await ann.enterCard()
      },
      heading: 'You are offline',
    },
    {
      name: 'service-down',
      arrange: open,
      async act(ann, { page }) {
        await ann.heading('Pay with a card').waitFor()
        await page.route('**/api/cards', (route) => route.fulfill({ status: 500, json: INTERNAL_ERROR }))
        await ann.enterCard()
      },
      heading: 'That did not work',
    },
  ]

  for (const stop of stops) {
    it.concurrent(`can be read and used: ${stop.name}`, async () => {
      await browser.visit({ expects: [/status of [45]\d\d/, /DISCONNECTED/] }, async (visit) => {
        await visit.page.goto(await stop.arrange())
        const ann = cardholder(visit.page)
        await stop.act?.(ann, visit)
        await ann.heading(stop.heading).waitFor()
        expect(await focusProblems(visit.page)).toEqual([])
        expect(await lookAt(visit, `surface-${stop.name}`)).toEqual([])
      })
    })
  }

  it('can be read and used before it has launched, and near its end', async () => {
    await browser.visit({}, async ({ page, shoot }) => {
      await page.setViewportSize(VIEWPORTS.phone)
      const go = await holdRequests(page, '**/api/launch')
      await page.clock.install()
      await page.goto(await open())
      await page.getByText('Loading the payment page').waitFor()
      await shoot('surface-loading-phone')
      go()
      await cardholder(page).heading('Pay with a card').waitFor()
      await page.clock.fastForward(13 * 60_000 + 5_000)
      await page.getByRole('timer').waitFor()
      await shoot('surface-countdown-phone')
      expect(await accessibilityProblems(page)).toEqual([])
    })
  })
})

const INTERNAL_ERROR = { error: { code: 'INTERNAL_ERROR', message: 'Something went wrong. Try again.' } }

/** A screen that came after the first one has the focus in it, so that a screen reader reads on there. */
async function focusProblems(page: Page): Promise<string[]> {
  const isLost = await page.evaluate(() => document.activeElement === null || document.activeElement === document.body)
  return isLost ? ['the focus is lost'] : []
}
