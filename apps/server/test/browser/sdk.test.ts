// Guarantee: a shop's page that uses the browser SDK takes a payment, in a frame and in a sheet, under a strict policy
// of its own; hears what happened and nothing secret; and is given back as it was.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, createEnrollment, createSession, enrollmentStatus, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInFrames, VIEWPORTS } from './browser.ts'
import { CARD_SECRETS, cardholder, fillCard, readyToApprove } from './cardholder.ts'
import { callSdk, heardBySdk, openBySdk, type ShopPage, startShopPage } from './shop-page.ts'

describeInFrames('a page that uses the browser SDK', (browser) => {
  let service: TestService
  let shop: ShopPage
  let axe: string
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    shop = await startShopPage(service.surfaceUrl)
    axe = await axeSource()
  })
  afterAll(async () => {
    await shop?.close()
    await service?.close()
  })

  const newSession = () => createSession(service.merchant, { integration_type: 'embedding' })
  const statusOf = async (id: string) => (await paymentResult(service.merchant, id)).body.status as string
  const namesHeard = async (page: Page) => (await heardBySdk(page)).map(([name]) => name)

  it('takes a payment in a frame, and hears the card and the end, once, and nothing secret', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(shop.url())
      await openBySdk(page, service.merchant, session, { styles: { radius: 12 } })
      await cardholder(page.frameLocator('iframe')).payAnew()
      await expect.poll(() => namesHeard(page)).toContain('onSuccess')
      const heard = await heardBySdk(page)
      const { body } = await paymentResult(service.merchant, session.session_id)
      const year = new Date().getFullYear() + 3
      const card = { cardLast4: '4242', cardBrand: 'visa', cardExpMonth: 12, cardExpYear: year }
      const enrollmentId = body.transactions[0].card_id
      expect(heard.filter(([name]) => name === 'onSuccess')).toEqual([
        ['onSuccess', { sessionId: session.session_id, enrollmentId, ...card }],
      ])
      expect(heard[0]).toEqual(['onReady', { sessionId: session.session_id }])
      expect(heard).toContainEqual(['onChange', expect.objectContaining({ step: 'card', brand: 'visa', card: null })])
      expect(heard).toContainEqual(['onChange', expect.objectContaining({ card: { enrollmentId, ...card } })])
      expect(JSON.stringify(heard)).not.toMatch(CARD_SECRETS)
      expect(JSON.stringify(heard)).not.toMatch(/\bey[\w-]+\./)
      // It stays until the page takes it away.
      expect(await page.locator('iframe').evaluate((frame) => frame.clientHeight)).toBeGreaterThan(200)
      await callSdk(page, 'destroy')
      expect(await page.locator('iframe').count()).toBe(0)
    })
  })

  it('begins the next screen where the cardholder looks, who pressed far below: what is shorter would be above the window', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(shop.url())
      await openBySdk(page, service.merchant, session)
      const ann = cardholder(page.frameLocator('iframe'))
      const frame = page.locator('iframe')
      await fillCard(ann.surface, CARDS.success)
      // The page has told the one around it how high it is.
      const hidden = () => ann.surface.locator('html').evaluate((html) => html.scrollHeight - html.clientHeight)
      await expect.poll(hidden).toBe(0)
      const send = ann.surface.locator('[type=submit]')
      await send.evaluate((button) => button.scrollIntoView({ block: 'start' }))
      const typing = await frame.boundingBox()
      await send.click()
      await ann.surface.locator('.sheet[data-step=passkey_registration]').waitFor()
      await expect.poll(async () => (await frame.boundingBox())?.height).toBeLessThan(typing?.height ?? 0)
      const asked = await frame.boundingBox()
      // It would have gone: its end was above the window.
      expect((typing?.y ?? 0) + (asked?.height ?? 0)).toBeLessThan(0)
      // At the top of the window, or below it where the page was too short for a moment to be scrolled as far.
      expect(asked?.y).toBeGreaterThan(-1)
      expect(asked?.y).toBeLessThan(VIEWPORTS.desktop.height / 2)
      await (await readyToApprove(ann.surface, 'passkey_registration')).click()
      await expect.poll(() => namesHeard(page)).toContain('onSuccess')
    })
  })

  it('enrolls a card in a sheet on a phone: labelled, from below, the page behind it still, and given back with its focus', async () => {
    const session = await createEnrollment(service.merchant, { integration_type: 'embedding' })
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.setViewportSize(VIEWPORTS.phone)
      await page.goto(shop.url())
      await page.locator('#buy').focus()
      await page.evaluate(() => scrollTo(0, 300))
      await openBySdk(page, service.merchant, session, { presentation: 'sheet' }, 'enrollCard')
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('Enter the card to save').waitFor()
      const dialog = page.getByRole('dialog', { name: 'Save a card' })
      const box = await dialog.boundingBox()
      expect(box).toMatchObject({ x: 0, width: VIEWPORTS.phone.width })
      expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(VIEWPORTS.phone.height)
      expect(await axeProblems(page, axe)).toEqual([])
      await page.mouse.move(100, 20)
      await page.mouse.wheel(0, 400)
      // Nothing of the page below takes the focus.
      for (let presses = 0; presses < 12; presses += 1) {
        await page.keyboard.press('Tab')
        expect(await page.evaluate(() => document.activeElement?.id)).not.toBe('buy')
      }
      expect(await page.evaluate(() => scrollY)).toBe(300)
      await visit.shoot('sdk-sheet-phone')
      await page.evaluate(() => scrollTo(0, 300))
      await ann.enterCard()
      await ann.createPasskey()
      await ann.heading('Your card is saved').waitFor()
      // Time to see the tick, then it goes by itself.
      await dialog.waitFor({ state: 'detached' })
      const { body } = await enrollmentStatus(service.merchant, session.session_id)
      expect(body.status).toBe('completed')
      const heard = (await heardBySdk(page)).filter(([name]) => name !== 'onChange')
      const saved = { sessionId: session.session_id, enrollmentId: body.card_id, cardLast4: '4242', cardBrand: 'visa' }
      expect(heard.map(([name]) => name)).toEqual(['onReady', 'onSuccess'])
      expect(heard[1]?.[1]).toMatchObject(saved)
      expect(await leftBehind(page)).toEqual({ focus: 'buy', style: '', scrollY: 300, elements: 0 })
    })
  })

  it('sets up a standing permission, and hears with which card', async () => {
    const mandate_setup = { recurring_frequency: 'monthly', max_charges: 12 }
    const session = await createSession(service.merchant, { integration_type: 'embedding', mandate_setup })
    await browser.visit({}, async ({ page }) => {
      await page.goto(shop.url())
      await openBySdk(page, service.merchant, session, {}, 'setUpMandate')
      await page.getByTitle('Permission to charge').waitFor()
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      await ann.createPasskeyOnly()
      await ann.approve()
      await expect.poll(() => namesHeard(page)).toContain('onSuccess')
      const [, success] = (await heardBySdk(page)).find(([name]) => name === 'onSuccess') ?? []
      expect(success).toMatchObject({ sessionId: session.session_id, cardLast4: '4242', cardExpMonth: 12 })
      await expect.poll(() => statusOf(session.session_id)).toBe('completed')
    })
  })

  it('takes a payment in the sheet on a small phone that moves things, the page scrolling in it', async () => {
    const session = await newSession()
    await browser.visit({ expects: [/status of 4\d\d/] }, async (visit) => {
      const { page } = visit
      await page.setViewportSize({ width: 375, height: 553 })
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      await page.goto(shop.url())
      await openBySdk(page, service.merchant, session, { presentation: 'sheet' })
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard(CARDS.cvvMismatch)
      // What the cardholder can mend is told to the page, and is no complaint in its console.
      await expect
        .poll(() => heardBySdk(page))
        .toContainEqual(['onError', expect.objectContaining({ code: 'CARD_REFUSED', retryable: true })])
      await ann.enterCard()
      await ann.createPasskeyOnly()
      await readyToApprove(ann.surface)
      await visit.shoot('sdk-sheet-small')
      expect((await page.getByRole('dialog').boundingBox())?.height).toBeLessThanOrEqual(553)
      await ann.approve()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect((await heardBySdk(page)).at(-1)?.[0]).toBe('onSuccess')
      expect(await statusOf(session.session_id)).toBe('awaiting_result')
    })
  })

  it('asks in the sheet before it goes, by Escape, by its button and beside it, with no way out of its own beside them, and ends the session then', async () => {
    const session = await newSession()
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.goto(shop.url())
      await page.locator('#buy').focus()
      await openBySdk(page, service.merchant, session, { presentation: 'sheet', summary: 'compact' })
      const ann = cardholder(page.frameLocator('iframe'))
      const dialog = page.getByRole('dialog', { name: 'Secure payment' })
      const question = ann.button('No, go on')
      await expect.poll(() => namesHeard(page)).toContain('onReady')
      expect((await dialog.boundingBox())?.width).toBe(440)
      const ways = [
        () => ann.surface.getByLabel('Card number').press('Escape'),
        () => dialog.getByRole('button', { name: 'Close' }).click(),
        () => page.mouse.click(20, 20),
      ]
      for (const way of ways) {
        await way()
        await question.waitFor()
        // Taken back by the same key, which ends nothing.
        await question.press('Escape')
        await question.waitFor({ state: 'detached' })
        // The keyboard goes on in the page: what it had asked by is not there.
        await ann.surface.locator('h1:focus').waitFor()
        expect(await ann.button('Not now').count()).toBe(0)
      }
      // Longer than it waits for a page that does not answer.
      await page.waitForTimeout(1_600)
      expect(await dialog.count()).toBe(1)
      await dialog.getByRole('button', { name: 'Close' }).focus()
      await page.keyboard.press('Escape')
      await visit.shoot('sdk-sheet-asks')
      await ann.button('Yes, cancel').click()
      await dialog.waitFor({ state: 'detached' })
      expect((await heardBySdk(page)).at(-1)).toEqual(['onDismiss', { reason: 'cancelled' }])
      expect(await statusOf(session.session_id)).toBe('failed')
      expect(await leftBehind(page)).toMatchObject({ focus: 'buy', style: '', elements: 0 })
    })
  })

  it('is as light or dark as the page says, the payment page with it', async () => {
    const session = await newSession()
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.goto(shop.url())
      const ann = cardholder(page.frameLocator('iframe'))
      const ground = () => ann.surface.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
      // Playwright's word for the device would be everybody's: without one the device is light, and each frame is what
      // it is told to be.
      await page.emulateMedia({ colorScheme: null })
      for (const [scheme, colour] of [
        ['light', 'rgb(255, 255, 255)'],
        ['dark', 'rgb(20, 28, 25)'],
        ['auto', 'rgb(255, 255, 255)'],
        // A frame is light unless it is told, whatever the device is.
        [undefined, 'rgb(255, 255, 255)'],
      ] as const) {
        if (scheme === undefined) await page.emulateMedia({ colorScheme: 'dark' })
        await openBySdk(page, service.merchant, session, { presentation: 'sheet', styles: { scheme, radius: 24 } })
        await ann.heading('Pay with a card').waitFor()
        await visit.shoot(`sdk-sheet-${scheme}`)
        expect([scheme, await ground()]).toEqual([scheme, colour])
        await callSdk(page, 'destroy')
      }
    })
  })

  it('wears the colour and the corners of the page, in each scheme its own; not in what is paid, to whom, and what is allowed', async () => {
    const session = await newSession()
    const styles = { accent: '#7a1fa2', accentDark: '#e0b0ff', radius: 3 }
    await browser.visit({}, async ({ page }) => {
      await page.goto(shop.url())
      const ann = cardholder(page.frameLocator('iframe'))
      const look = async (given: object) => {
        await openBySdk(page, service.merchant, session, { styles: given })
        await readyToApprove(ann.surface, 'passkey_registration')
        const worn = await ann.surface.locator('.sheet').evaluate(lookOf)
        await callSdk(page, 'destroy')
        return worn
      }
      await openBySdk(page, service.merchant, session)
      await ann.enterCard()
      await ann.surface.locator('.sheet[data-step=passkey_registration]').waitFor()
      await callSdk(page, 'destroy')
      for (const [scheme, accent] of [
        ['light', 'rgb(122, 31, 162)'],
        ['dark', 'rgb(224, 176, 255)'],
      ]) {
        const own = await look({ scheme })
        const worn = await look({ scheme, ...styles })
        expect(worn).toMatchObject({ button: accent, mark: accent, corner: '3px' })
        expect(own.button).not.toBe(accent)
        expect(worn.words).toEqual(own.words)
        expect(worn.words.map(([name]) => name)).toEqual([
          'Tea House',
          '$40.00',
          expect.any(String),
          expect.any(String),
        ])
      }
      // What the operator has set for the merchant goes before what its page says.
      await service.app.merchants.setBrand(service.merchant.merchantId, { accent: '#0b5cad' })
      expect(await look(styles)).toMatchObject({ button: 'rgb(11, 92, 173)', corner: '3px' })
      await service.app.merchants.setBrand(service.merchant.merchantId, { accent: null })
    })
  })
})

/** Runs in the page: what has the merchant's colour and corners; and the words that must not, with how they look. */
function lookOf(sheet: Element) {
  const styleOf = (selector: string) => getComputedStyle(sheet.querySelector(selector) ?? sheet)
  const words = ['.merchant-name', '.amount', '.say', '.button-approve span'].map((selector) => {
    const { color, fontFamily, fontSize, fontWeight, opacity } = styleOf(selector)
    return [
      sheet.querySelector(selector)?.textContent?.replaceAll('\u00a0', ' '),
      color,
      fontFamily,
      fontSize,
      fontWeight,
      opacity,
    ]
  })
  const { backgroundColor: button, borderRadius: corner } = styleOf('.button-approve')
  return { button, corner, mark: styleOf('.mark').backgroundColor, words }
}

/** What a sheet has left in the page. */
function leftBehind(page: Page) {
  return page.evaluate(() => ({
    focus: document.activeElement?.id,
    style: document.documentElement.style.cssText,
    scrollY,
    elements: document.querySelectorAll('body > :not(main)').length,
  }))
}
