// Guarantee: payee, amount, what is signed and the button are in sight together, without a scroll, on a phone, on a small one and on
// its side, for one product and for thirty; a desk gets the same sheet.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { LOOKS } from '../../../surface/dev/scenes.ts'
import { OPERATOR } from '../../../surface/dev/views.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { SENTENCE } from './cardholder.ts'

const SIZES = [LOOKS.phone, LOOKS.low, LOOKS.side].map(({ viewport }) => viewport)
const SCENES = [
  ...['approval-one', 'approval-three', 'approval-thirty', 'approval-branded', 'approval-once', 'quoted-approval'],
  ...['setup-approval', 'setup-adjustable', 'setup-any', 'enroll-confirm'],
]
const TOGETHER = ['.party-name', '.amount', '.sentence', '.button-primary']

describeInBrowser('the sheet', (browser) => {
  let mock: Mock
  let base = ''
  beforeAll(async () => {
    mock = await startMock()
    base = mock.base
  })
  afterAll(() => mock?.close())

  for (const size of SIZES) {
    it.concurrent(`of ${size.width} by ${size.height} px has all that is approved in sight`, async () => {
      await browser.visit({}, async ({ page }) => {
        await page.setViewportSize(size)
        for (const scene of SCENES) {
          await page.goto('about:blank')
          await page.goto(`${base}/${scene}#x`)
          await page.locator(SENTENCE).waitFor()
          // It works where it stands: the guard has seen all of it.
          await page.locator('.button-primary:not(.button-waiting)').waitFor()
          const outside = await page.evaluate(
            (places) =>
              places.filter((place) => {
                const { top, bottom } = document.querySelector(place)?.getBoundingClientRect() ?? { top: -1, bottom: 0 }
                return top < 0 || bottom > innerHeight || scrollY > 0
              }),
            TOGETHER,
          )
          expect([scene, outside]).toEqual([scene, []])
        }
      })
    })
  }

  it.concurrent('is the same on a desk, in its middle', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.desktop)
      for (const scene of SCENES) {
        await page.goto('about:blank')
        await page.goto(`${base}/${scene}#x`)
        await page.locator('.button-primary:not(.button-waiting)').waitFor()
        const box = await page.locator('.page').boundingBox()
        expect([scene, box?.width, (box?.x ?? 0) * 2 + (box?.width ?? 0)]).toEqual([
          scene,
          440,
          VIEWPORTS.desktop.width,
        ])
      }
    })
  })

  it.concurrent('says who keeps the card and where more is said of that, and wears what the merchant has', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/approval-branded#x`)
      await page.locator('.button-primary:not(.button-waiting)').waitFor()
      await page.getByText(`${OPERATOR.name} keeps this card`).waitFor()
      const links = await page
        .locator('.operator a')
        .evaluateAll((all) =>
          all.map((link) => [link.textContent, link.getAttribute('href'), link.getAttribute('target')]),
        )
      expect(links).toEqual([
        ['Privacy', OPERATOR.privacy_url, '_blank'],
        ['Terms', OPERATOR.terms_url, '_blank'],
        ['Help', OPERATOR.support_url, '_blank'],
      ])
      const look = (selector: string) =>
        page.locator(selector).evaluate((element) => {
          const { color, backgroundColor, borderRadius } = getComputedStyle(element)
          return { color, backgroundColor, borderRadius }
        })
      expect(await page.locator('.mark').evaluate((mark) => (mark as HTMLImageElement).naturalWidth > 0)).toBe(true)
      expect(await look('.button-primary')).toMatchObject({
        ...{ backgroundColor: 'rgb(75, 42, 134)', color: 'rgb(255, 255, 255)', borderRadius: '14px' },
      })
      const own = await Promise.all(['.party-name', '.amount', '.sentence'].map(look))
      await page.emulateMedia({ colorScheme: 'dark' })
      expect((await look('.button-primary')).backgroundColor).toBe('rgb(187, 156, 242)')
      // Amount, payee and sentence look as they do on every page.
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto('about:blank')
      await page.goto(`${base}/approval#x`)
      await page.locator('.button-primary:not(.button-waiting)').waitFor()
      const plain = await Promise.all(['.party-name', '.amount', '.sentence'].map(look))
      expect(own.map(({ color, backgroundColor }) => [color, backgroundColor])).toEqual(
        plain.map(({ color, backgroundColor }) => [color, backgroundColor]),
      )
    })
  })

  it.concurrent('leads to another card and back, and there is one way out of it', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/approval#x`)
      await page.getByRole('button', { name: 'Change' }).click()
      await page.getByRole('heading', { name: 'Pay with a card' }).waitFor()
      await page.getByRole('button', { name: 'Use a saved card' }).click()
      await page.locator('.button-primary:not(.button-waiting)').waitFor()
      expect(await page.getByRole('button', { name: /cancel/i }).count()).toBe(1)
    })
  })

  it.concurrent('shows the first letter where the logo does not come', async () => {
    await browser.visit({ expects: [/status of 401/] }, async ({ page }) => {
      await page.goto(`${base}/approval-no-logo#x`)
      await page.locator('span.mark', { hasText: 'N' }).waitFor()
    })
  })
})
