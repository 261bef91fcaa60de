// Guarantee: payee, amount, what is signed and the button are in sight together, without a scroll, on a phone, on a small one and on
// its side, for one product and for thirty; a desk gets the same sheet.
import { beforeAll, expect, it } from 'vitest'
import { LOOKS } from '../../../surface/dev/scenes.ts'
import { OPERATOR } from '../../../surface/dev/views.ts'
import { axeProblems, axeSource } from './axe.ts'
import { VIEWPORTS } from './browser.ts'
import { APPROVE, SENTENCE } from './cardholder.ts'
import { inSight } from './in-sight.ts'
import { describeWithMock } from './mock.ts'
import { enlarge } from './text-fit.ts'

const SIZES = [LOOKS.phone, LOOKS.low, LOOKS.side].map(({ viewport }) => viewport)
const SCENES = [
  ...['approval-one', 'approval-three', 'approval-thirty', 'approval-branded', 'approval-once', 'quoted-approval'],
  'approval-expiring',
  ...['setup-approval', 'setup-adjustable', 'setup-any', 'enroll-confirm'],
]
const TOGETHER = ['.party-name', '.amount', '.sentence', '.button-primary']

describeWithMock('the sheet', (browser, { open, openFramed }) => {
  let axe = ''
  beforeAll(async () => {
    axe = await axeSource()
  })

  for (const size of SIZES) {
    it.concurrent(`of ${size.width} by ${size.height} px has all that is approved in sight`, async () => {
      await browser.visit({}, async ({ page }) => {
        await page.setViewportSize(size)
        for (const scene of SCENES) {
          await open(page, scene)
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
          expect([scene, outside, await axeProblems(page, axe)]).toEqual([scene, [], []])
        }
      })
    })
  }

  it.concurrent('can be approved with text of double size, in a tab and in a frame', async () => {
    await browser.visit({}, async ({ page }) => {
      for (const size of [...SIZES, LOOKS.narrow.viewport]) {
        await page.setViewportSize(size)
        for (const scene of ['approval-thirty', 'quoted-approval', 'setup-approval']) {
          await open(page, scene)
          await enlarge(page, 200)
          await inSight(page, page.locator('.button-primary'))
          const frame = await openFramed(page, scene)
          await inSight(frame, frame.locator('.button-primary'))
        }
      }
    })
  })

  it.concurrent('has the scheme that the merchant has, whatever the browser asks for', async () => {
    await browser.visit({}, async ({ page }) => {
      const ground = () => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
      const schemes = ['light', 'dark'] as const
      const own: Record<string, string> = {}
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme })
        await open(page, 'approval')
        await page.locator(SENTENCE).waitFor()
        own[colorScheme] = await ground()
      }
      expect(own.light).not.toBe(own.dark)
      for (const scheme of schemes) {
        await page.route('**/api/launch', async (route) => {
          const response = await route.fetch()
          const { view, ...launched } = await response.json()
          await route.fulfill({ response, json: { ...launched, view: { ...view, merchant: { brand: { scheme } } } } })
        })
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme })
          await open(page, 'approval')
          await page.locator(SENTENCE).waitFor()
          expect([scheme, colorScheme, await ground()]).toEqual([scheme, colorScheme, own[scheme]])
        }
      }
    })
  })

  it.concurrent('keeps its edges where the browser takes all colours away', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.emulateMedia({ forcedColors: 'active' })
      await open(page, 'approval')
      await page.locator('.button-primary:not(.button-waiting)').waitFor()
      const edge = (selector: string) =>
        page.locator(selector).evaluate((element) => Number.parseFloat(getComputedStyle(element).borderTopWidth))
      expect(await edge('.button-primary')).toBeGreaterThan(0)
      expect(await edge('.card-fixed')).toBeGreaterThan(0)
      expect(await axeProblems(page, axe)).toEqual([])
    })
  })

  it.concurrent('offers no other card while the passkey is asked for', async () => {
    await browser.visit({}, async ({ page }) => {
      await open(page, 'approval')
      await page.evaluate(() => {
        CredentialsContainer.prototype.get = () => new Promise(() => {})
      })
      await (await inSight(page, page.locator('.button-primary'))).click()
      await page.getByRole('button', { name: 'Waiting for your passkey…' }).waitFor()
      const change = page.getByRole('button', { name: 'Change' })
      await change.click({ force: true })
      await change.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Waiting for your passkey…' }).waitFor()
      expect(await change.evaluate((button) => button === document.activeElement)).toBe(false)
    })
  })

  it.concurrent('is the same on a desk, in its middle', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.desktop)
      for (const scene of SCENES) {
        await open(page, scene)
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
      await open(page, 'approval-branded')
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
      await open(page, 'approval')
      await page.locator('.button-primary:not(.button-waiting)').waitFor()
      const plain = await Promise.all(['.party-name', '.amount', '.sentence'].map(look))
      expect(own.map(({ color, backgroundColor }) => [color, backgroundColor])).toEqual(
        plain.map(({ color, backgroundColor }) => [color, backgroundColor]),
      )
    })
  })

  it.concurrent('leads to another card and back, and there is one way out of it', async () => {
    await browser.visit({}, async ({ page }) => {
      await open(page, 'approval')
      await page.getByRole('button', { name: 'Change' }).click()
      await page.getByRole('heading', { name: 'Pay with a card' }).waitFor()
      await page.getByRole('button', { name: 'Use a saved card' }).click()
      await page.locator('.button-primary:not(.button-waiting)').waitFor()
      expect(await page.getByRole('button', { name: /cancel/i }).count()).toBe(1)
    })
  })

  it.concurrent('opens the other saved cards in place, and takes no approval until one is chosen', async () => {
    await browser.visit({}, async ({ page }) => {
      await open(page, 'approval-cards')
      await inSight(page, page.getByRole('button', { name: APPROVE }))
      await page.getByRole('button', { name: 'Change' }).click()
      const [visa, amex] = ['4242', '0005'].map((last4) => page.getByRole('radio', { name: `ending in ${last4}` }))
      expect(await visa?.evaluate((radio) => radio === document.activeElement)).toBe(true)
      expect(await visa?.isChecked()).toBe(true)
      await page.getByText('Choose the card first.').waitFor()
      expect(await page.getByRole('button', { name: APPROVE }).getAttribute('aria-disabled')).toBe('true')
      await amex?.check()
      await page.getByRole('button', { name: 'Use this card' }).click()
      await page.locator('.card-fixed', { hasText: 'American Express ending in 0005' }).waitFor()
      await inSight(page, page.getByRole('button', { name: APPROVE }))
      await page.getByRole('button', { name: 'Change' }).click()
      await page.getByRole('button', { name: 'Use another card' }).click()
      await page.getByRole('heading', { name: 'Pay with a card' }).waitFor()
    })
  })

  it.concurrent('shows the first letter where the logo does not come', async () => {
    await browser.visit({ expects: [/status of 401/] }, async ({ page }) => {
      await open(page, 'approval-no-logo')
      await page.locator('span.mark', { hasText: 'N' }).waitFor()
    })
  })
})
