// Guarantee: a shop's page that uses the browser SDK takes a payment, in a frame and in a sheet, under a strict policy of its own; hears
// what happened and nothing secret; and is given back as it was.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, createEnrollment, createSession, enrollmentStatus, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { CARD_SECRETS, cardholder, readyToApprove } from './cardholder.ts'
import { press } from './press.ts'
import {
  callSdk,
  endLimit,
  heardBySdk,
  holdLimits,
  openBySdk,
  type ShopPage,
  startShopPage,
  waitsFor,
} from './shop-page.ts'

/** How long a sheet waits for the page to ask. */
const ASKS_WITHIN_MILLIS = 1_500

describeInBrowser('a page that uses the browser SDK', (browser) => {
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
    await browser.visit({ before: holdLimits }, async ({ page }) => {
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

  it('enrolls a card in a sheet on a phone: labelled, from below, the page behind it still, and given back with its focus', async () => {
    const session = await createEnrollment(service.merchant, { integration_type: 'embedding' })
    await browser.visit({ before: holdLimits }, async (visit) => {
      const { page } = visit
      await page.setViewportSize(VIEWPORTS.phone)
      await page.goto(shop.url())
      await page.locator('#buy').focus()
      await page.evaluate(() => scrollTo(0, 300))
      await openBySdk(page, service.merchant, session, { presentation: 'sheet' })
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('Enter the card to save').waitFor()
      const dialog = page.getByRole('dialog', { name: 'Secure payment' })
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
      expect(await enrollmentStatus(service.merchant, session.session_id)).toMatchObject({
        body: { status: 'completed' },
      })
      expect((await namesHeard(page)).filter((name) => name !== 'onChange')).toEqual(['onReady', 'onSuccess'])
      expect(await leftBehind(page)).toEqual({ focus: 'buy', style: '', scrollY: 300, elements: 0 })
    })
  })

  it('takes a payment in the sheet on a small phone that moves things, the page scrolling in it', async () => {
    const session = await newSession()
    await browser.visit({ before: holdLimits, expects: [/status of 4\d\d/] }, async (visit) => {
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
      await ann.createPasskey()
      await readyToApprove(ann.surface)
      await visit.shoot('sdk-sheet-small')
      expect((await page.getByRole('dialog').boundingBox())?.height).toBeLessThanOrEqual(553)
      await ann.approve()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect((await heardBySdk(page)).at(-1)?.[0]).toBe('onSuccess')
      expect(await statusOf(session.session_id)).toBe('awaiting_result')
    })
  })

  it('asks in the sheet before it goes, by Escape within and around it and by a press beside it, and ends the session then', async () => {
    const session = await newSession()
    await browser.visit({ before: holdLimits }, async (visit) => {
      const { page } = visit
      await page.goto(shop.url())
      await page.locator('#buy').focus()
      await openBySdk(page, service.merchant, session, { presentation: 'sheet' })
      const ann = cardholder(page.frameLocator('iframe'))
      const dialog = page.getByRole('dialog', { name: 'Secure payment' })
      const question = ann.button(/^No/)
      await expect.poll(() => namesHeard(page)).toContain('onReady')
      expect((await dialog.boundingBox())?.width).toBe(440)
      const escapeAround = async () => {
        await page.locator('iframe').evaluate((frame) => frame.blur())
        await page.keyboard.press('Escape')
      }
      const ways = [
        () => ann.surface.getByLabel('Card number').press('Escape'),
        escapeAround,
        () => page.mouse.click(20, 20),
      ]
      for (const way of ways) {
        await way()
        await question.waitFor()
        await expect.poll(() => waitsFor(page, ASKS_WITHIN_MILLIS)).toBe(false)
        // Taken back by the same key, which ends nothing.
        await question.press('Escape')
        await question.waitFor({ state: 'detached' })
      }
      // As when it has waited longer than for a page that does not answer.
      expect(await endLimit(page, ASKS_WITHIN_MILLIS)).toBeGreaterThanOrEqual(ways.length)
      expect(await dialog.count()).toBe(1)
      await escapeAround()
      await visit.shoot('sdk-sheet-asks')
      await press(ann.button(/^Yes/))
      await dialog.waitFor({ state: 'detached' })
      expect((await heardBySdk(page)).at(-1)).toEqual(['onDismiss', { reason: 'cancelled' }])
      expect(await statusOf(session.session_id)).toBe('failed')
      expect(await leftBehind(page)).toMatchObject({ focus: 'buy', style: '', elements: 0 })
    })
  })

  it('is as light or dark as the page says, the payment page with it', async () => {
    const session = await newSession()
    await browser.visit({ before: holdLimits }, async (visit) => {
      const { page } = visit
      await page.goto(shop.url())
      const ann = cardholder(page.frameLocator('iframe'))
      const ground = () => ann.surface.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
      // Playwright's word for the device would be everybody's: without one the device is light, and each frame is what it is told to be.
      await page.emulateMedia({ colorScheme: null })
      for (const [scheme, colour] of [
        ['light', 'rgb(255, 255, 255)'],
        ['dark', 'rgb(20, 28, 25)'],
        ['auto', 'rgb(255, 255, 255)'],
      ] as const) {
        await openBySdk(page, service.merchant, session, { presentation: 'sheet', styles: { scheme, radius: 24 } })
        await ann.heading('Pay with a card').waitFor()
        await visit.shoot(`sdk-sheet-${scheme}`)
        expect([scheme, await ground()]).toEqual([scheme, colour])
        await callSdk(page, 'destroy')
      }
    })
  })
})

/** What a sheet has left in the page. */
function leftBehind(page: Page) {
  return page.evaluate(() => ({
    focus: document.activeElement?.id,
    style: document.documentElement.style.cssText,
    scrollY,
    elements: document.querySelectorAll('body > :not(main)').length,
  }))
}
