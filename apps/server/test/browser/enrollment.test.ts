// Guarantee: a card is enrolled in a real page with a real ceremony, by a cardholder who is new or comes back, in a tab or in a
// frame; what goes wrong and can be mended is mended in the same page; and what the shop's server reads is what happened there.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, createEnrollment, enrollmentStatus, newUser, vaultRecord } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, lookAt } from './browser.ts'
import { cardholder, open, SENTENCE } from './cardholder.ts'
import { type Embedder, heardBy, startEmbedder } from './embedder.ts'
import { pressInSight } from './in-sight.ts'
import { press } from './press.ts'

const REFUSED = [/status of [45]\d\d/]
const SAVED = 'Your card is saved'
const CALLBACK = 'https://shop.test/cards?from=mintmark'

describeInBrowser('the enrollment of a card', (browser) => {
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

  const begin = (changes: Record<string, unknown> = {}) => createEnrollment(service.merchant, changes)
  const statusOf = async (id: string) => (await enrollmentStatus(service.merchant, id)).body

  it('hosted, with a new passkey; then again with the one that is there', async () => {
    const user_id = newUser()
    const first = await begin({ user_id })
    const second = await begin({ user_id })
    await browser.visit({}, async (visit) => {
      const { page } = visit
      const ann = await open(visit.page, first.iframe_url)
      await ann.heading('Enter the card to save').waitFor()
      expect(await page.title()).toBe('Save your card with \u2068Test Shop\u2069')
      expect(await lookAt(visit, 'enrollment-card')).toEqual([])
      await ann.enterCard()
      await ann.heading('Create a passkey').waitFor()
      expect(await lookAt(visit, 'enrollment-passkey')).toEqual([])
      await ann.createPasskey()
      await ann.heading(SAVED).waitFor()
      await page.getByText('You may close this window.').waitFor()
      expect(await read(page, '.receipt')).toContain('Created just now')
      expect(await lookAt(visit, 'enrollment-saved')).toEqual([])
      expect(await statusOf(first.session_id)).toMatchObject({
        status: 'completed',
        outcome: 'fully_enrolled',
        passkey: 'registered',
      })
      // It stays what it is after the page is loaded again.
      await page.reload()
      await ann.heading(SAVED).waitFor()

      await page.goto(second.iframe_url)
      await ann.enterCard(CARDS.amex)
      await page.locator(SENTENCE).waitFor()
      expect(await read(page, '.card-fixed')).toContain('American Express ending in 0005')
      expect(await lookAt(visit, 'enrollment-confirm')).toEqual([])
      await pressInSight(page, page.getByRole('button', { name: 'Save this card' }))
      await ann.heading(SAVED).waitFor()
      expect(await read(page, '.receipt')).toContain('The one you had already')
      expect(await statusOf(second.session_id)).toMatchObject({ status: 'completed', passkey: 'existing' })
    })
  })

  it('hosted, and brings the cardholder back where there is somewhere to go', async () => {
    const session = await begin({ callback_url: CALLBACK })
    await browser.visit({}, async (visit) => {
      await visit.context.route('https://shop.test/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<title>Shop</title>' }),
      )
      const ann = await open(visit.page, session.iframe_url)
      await ann.enterCard()
      await ann.createPasskey()
      await visit.page.waitForURL(`${CALLBACK}&session_id=${session.session_id}`)
    })
  })

  it('embedded: the page around it hears of the card, of the end, and of nothing secret', async () => {
    const session = await begin({ integration_type: 'embedding' })
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.goto(embedder.page({ url: session.iframe_url }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      await ann.createPasskey()
      await ann.heading(SAVED).waitFor()
      await ann.surface.getByText('You can go on in the page around this one.').waitFor()
      await visit.shoot('enrollment-embedded')
      await expect.poll(async () => (await heardBy(page)).map(({ type }) => type)).toContain('completed')
      const heard = await heardBy(page)
      const { card_id } = await statusOf(session.session_id)
      const collected = heard.filter(({ type }) => type === 'card_collected')
      expect(collected).toMatchObject([{ card: { card_id, card_last4: '4242', card_brand: 'visa' } }])
      expect(heard.filter(({ type }) => type === 'completed')).toMatchObject([
        { session_id: session.session_id, outcome: 'approved' },
      ])
      expect(JSON.stringify(heard)).not.toContain(CARDS.success)
      expect(JSON.stringify(heard)).not.toContain(session.session_token)
    })
  })

  it('embedded: an error and the cancel are heard, and the status says cancelled', async () => {
    const session = await begin({ integration_type: 'embedding' })
    await browser.visit({ expects: REFUSED }, async ({ page }) => {
      await page.goto(embedder.page({ url: session.iframe_url }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard(CARDS.cvvMismatch)
      await ann.surface.getByRole('alert').filter({ hasText: 'The security code does not match' }).waitFor()
      expect(await statusOf(session.session_id)).toMatchObject({ error: { code: 'CVV_MISMATCH', retryable: true } })
      await press(ann.button(/^Cancel/))
      await press(ann.button(/^Yes/))
      await ann.heading('Cancelled').waitFor()
      await expect.poll(async () => (await heardBy(page)).map(({ type }) => type)).toContain('cancelled')
      const error = (await heardBy(page)).find(({ type }) => type === 'error')
      expect(error).toMatchObject({ code: 'CARD_REFUSED', retryable: true })
    })
    expect(await statusOf(session.session_id)).toMatchObject({ status: 'cancelled', error: null })
  })

  it('a device binding that fails is tried again in the same page, with the card as it was typed', async () => {
    const session = await begin()
    await browser.visit({ expects: REFUSED }, async (visit) => {
      const ann = await open(visit.page, session.iframe_url)
      await ann.enterCard(CARDS.deviceBindingFailsOnce)
      await visit.page
        .getByRole('alert')
        .filter({ hasText: 'The card could not be linked to this device. Try again.' })
        .waitFor()
      expect(await visit.page.getByLabel('Card number').inputValue()).toContain('0044')
      expect(await lookAt(visit, 'enrollment-binding-failed')).toEqual([])
      expect(await statusOf(session.session_id)).toMatchObject({
        status: 'requires_action',
        error: { code: 'DEVICE_BINDING_FAILED', retryable: true },
      })
      await ann.button('Continue').click()
      await ann.createPasskey()
      await ann.heading(SAVED).waitFor()
    })
    expect(await statusOf(session.session_id)).toMatchObject({ status: 'completed', error: null })
  })

  it('a passkey that was not used is tried again, and keeps the card', async () => {
    const session = await begin()
    await browser.visit({ expects: REFUSED }, async (visit) => {
      const ann = await open(visit.page, session.iframe_url)
      await ann.enterCard()
      await ann.heading('Create a passkey').waitFor()
      await visit.authenticator.setUserVerified(false)
      await ann.createPasskey()
      await visit.page.getByText('The dialog closed, and no passkey was created.').waitFor()
      const { card_id, ...rest } = await statusOf(session.session_id)
      expect(rest).toMatchObject({ status: 'requires_action', outcome: 'card_provisioned' })
      await visit.authenticator.setUserVerified(true)
      await ann.createPasskey()
      await ann.heading(SAVED).waitFor()
      expect(await statusOf(session.session_id)).toMatchObject({ status: 'completed', card_id })
    })
  })

  it('with a vault reference only the security code and the bank’s code are asked for', async () => {
    const vault_ref_id = await vaultRecord(service.merchant)
    const session = await begin({ vault_ref_id })
    await browser.visit({}, async (visit) => {
      const { page } = visit
      const ann = await open(visit.page, session.iframe_url)
      await ann.heading('Confirm your card').waitFor()
      expect(await page.getByLabel('Card number').count()).toBe(0)
      expect(await lookAt(visit, 'enrollment-cvv')).toEqual([])
      await page.getByLabel('Security code').fill('123')
      await ann.button('Continue').click()
      await ann.heading('Enter the code from your bank').waitFor()
      expect(await ann.button('Use another card').count()).toBe(0)
      expect(await lookAt(visit, 'enrollment-code')).toEqual([])
      // The sandbox sends nothing: its page says the code.
      await page.getByText('123456', { exact: true }).waitFor()
      await page.getByLabel('One-time code').fill('123456')
      await ann.button('Verify').click()
      await ann.createPasskey()
      await ann.heading(SAVED).waitFor()
    })
    expect(await statusOf(session.session_id)).toMatchObject({ status: 'completed', passkey: 'registered' })
  })

  it('a card that no rule lets in ends it, and the page says so at once', async () => {
    const session = await begin()
    await browser.visit({ expects: REFUSED }, async (visit) => {
      const ann = await open(visit.page, session.iframe_url)
      await ann.enterCard(CARDS.binCountryRefused)
      await ann.heading('This card could not be saved').waitFor()
      expect(await read(visit.page, '.screens')).toContain('This card is not accepted here.')
      expect(await lookAt(visit, 'enrollment-failed')).toEqual([])
    })
    expect(await statusOf(session.session_id)).toMatchObject({
      status: 'failed',
      error: { code: 'BIN_COUNTRY_NOT_ALLOWED', retryable: false },
    })
  })

  it('whose time is over says so, and the status as well', async () => {
    const session = await begin()
    await browser.visit({ expects: REFUSED }, async (visit) => {
      const ann = await open(visit.page, session.iframe_url)
      await ann.heading('Enter the card to save').waitFor()
      await service.clock.advance(16 * 60)
      await ann.enterCard()
      await ann.heading('This request has expired').waitFor()
      expect(await lookAt(visit, 'enrollment-expired')).toEqual([])
    })
    expect(await statusOf(session.session_id)).toMatchObject({ status: 'expired', outcome: 'not_started' })
  })
})

async function read(page: Page, selector: string): Promise<string> {
  return ((await page.locator(selector).first().textContent()) ?? '').replaceAll('\u00a0', ' ')
}

/** The button that signs, once all of it has been in sight for a moment. */
