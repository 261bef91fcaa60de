// Guarantee: the sheet of the browser SDK shows one way out at every step, the page's own while there is something to lose and else its
// own; all that is approved stands in it together, and an approval is taken there.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSession, paymentResult, revoke } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { type Cardholder, cardholder, readyToApprove } from './cardholder.ts'
import { press } from './press.ts'
import { heardBySdk, holdLimits, openBySdk, type ShopPage, startShopPage } from './shop-page.ts'

describeInBrowser('the sheet of the browser SDK', (browser) => {
  let service: TestService
  let shop: ShopPage
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    shop = await startShopPage(service.surfaceUrl)
  })
  afterAll(async () => {
    await shop?.close()
    await service?.close()
  })

  /** A sheet that was just opened, over a shop's page of this size. */
  const opened = async (page: Page, size: { width: number; height: number }, styles = {}) => {
    const session = await createSession(service.merchant, { integration_type: 'embedding' })
    await page.setViewportSize(size)
    await page.goto(shop.url())
    await openBySdk(page, service.merchant, session, { presentation: 'sheet', styles })
    const ann = cardholder(page.frameLocator('iframe'))
    const dialog = page.getByRole('dialog', { name: 'Secure payment' })
    return { session, ann, dialog, ownWay: dialog.getByRole('button', { name: 'Close' }) }
  }

  for (const [name, size] of Object.entries(VIEWPORTS)) {
    it(`has the page's way out and no other until the approval, and its own from then on (${name})`, async () => {
      await browser.visit({ before: holdLimits }, async ({ page, shoot }) => {
        const { session, ann, dialog, ownWay } = await opened(page, size)
        const look = async (step: string) => {
          await ann.button('Cancel').waitFor()
          await shoot(`sheet-way-out-${name}-${step}`)
          expect([step, await ownWay.count(), await beyond(dialog, size)]).toEqual([step, 0, []])
        }
        await ann.heading('Pay with a card').waitFor()
        await look('card')
        await ann.enterCard()
        await ann.heading('Create a passkey').waitFor()
        await look('passkey')
        await ann.createPasskey()
        await readyToApprove(ann.surface)
        await look('approval')
        expect(await hiddenOf(ann)).toBe(0)
        await Promise.all([ownWay.waitFor(), ann.approve()])
        await ann.button('Cancel').waitFor({ state: 'hidden' })
        await dialog.waitFor({ state: 'detached' })
        const { body } = await paymentResult(service.merchant, session.session_id)
        expect(body.status).toBe('awaiting_result')
      })
    })
  }

  it('has its own way out at an end that stays, which closes it', async () => {
    await browser.visit(
      { before: holdLimits, expects: [/status of 401/, /^Mintmark: AUTH_1004/] },
      async ({ page, shoot }) => {
        const { session, ann, dialog, ownWay } = await opened(page, VIEWPORTS.phone)
        await ann.enterCard()
        await ann.heading('Create a passkey').waitFor()
        await revoke(service.merchant, session.session_id)
        await ann.createPasskey()
        await ann.heading('The merchant withdrew this payment').waitFor()
        await ownWay.waitFor()
        expect(await ann.button('Cancel').count()).toBe(0)
        await shoot('sheet-way-out-end')
        await press(ownWay)
        await dialog.waitFor({ state: 'detached' })
        expect((await heardBySdk(page)).at(-1)).toEqual(['onDismiss', { reason: 'closed' }])
      },
    )
  })

  it('has its own way out while the page hangs, at first and when it is loaded again', async () => {
    await browser.visit({ before: holdLimits }, async ({ page, shoot }) => {
      await page.route('**/api/launch', () => new Promise(() => {}))
      const accents = { accent: '#4b2a86', accentDark: '#bb9cf2' }
      const first = await opened(page, VIEWPORTS.phone, { ...accents, scheme: 'dark' })
      await first.ann.surface.locator('.page-loading').waitFor()
      await shoot('sheet-way-out-loading')
      // The first press of a key shows where the keyboard is.
      await page.keyboard.press('Shift')
      expect(await first.ownWay.evaluate((button) => getComputedStyle(button).outlineColor)).toBe('rgb(187, 156, 242)')
      await press(first.ownWay)
      await first.dialog.waitFor({ state: 'detached' })
      expect(await heardBySdk(page)).toEqual([['onDismiss', { reason: 'closed' }]])

      await page.unroute('**/api/launch')
      const { ann, dialog, ownWay } = await opened(page, VIEWPORTS.phone)
      await ann.heading('Pay with a card').waitFor()
      await ownWay.waitFor({ state: 'hidden' })
      await page.route('**/api/session', () => new Promise(() => {}))
      await ann.surface.locator('body').evaluate(() => location.reload())
      await ownWay.waitFor()
      await page.unroute('**/api/session')
      await ann.surface.locator('body').evaluate(() => location.reload())
      await ann.heading('Pay with a card').waitFor()
      await ownWay.waitFor({ state: 'hidden' })
      expect(await dialog.count()).toBe(1)
    })
  })
})

/** The sides by which a sheet reaches beyond the window. */
async function beyond(dialog: Locator, size: { width: number; height: number }): Promise<string[]> {
  const box = (await dialog.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 }
  const sides = {
    left: -box.x,
    top: -box.y,
    right: box.x + box.width - size.width,
    bottom: box.y + box.height - size.height,
  }
  return Object.entries(sides).flatMap(([side, by]) => (by > 0.5 ? [side] : []))
}

/** How much of the page is below the end of its frame. */
function hiddenOf({ surface }: Cardholder): Promise<number> {
  return surface.locator('html').evaluate((root) => root.scrollHeight - root.clientHeight)
}
