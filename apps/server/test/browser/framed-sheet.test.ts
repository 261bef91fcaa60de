// Guarantee: in a frame of a phone's width the first field of a new customer is in sight with payee, amount and what for, and all that is
// approved needs no more than a sheet of the SDK has; nothing in it is cut, with large text neither.
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { type Embedder, startEmbedder } from './embedder.ts'
import { enlarge, textProblems } from './text-fit.ts'

/** Half of a phone's screen. */
const FIRST_FIELD_WITHIN = 420
/** Those of the SDK's sheet: on a phone, and on a desk. */
const SHEETS = [
  { width: VIEWPORTS.phone.width, height: VIEWPORTS.phone.height - 24 },
  { width: 440, height: VIEWPORTS.desktop.height - 48 },
]
const APPROVALS = [
  ...['approval-one', 'approval-three', 'approval-thirty', 'quoted-approval', 'setup-approval', 'enroll-confirm'],
]

describeInBrowser('the sheet in a frame', (browser) => {
  let mock: Mock
  let embedder: Embedder
  beforeAll(async () => {
    mock = await startMock()
    embedder = await startEmbedder()
  })
  afterAll(async () => {
    mock?.close()
    await embedder?.close()
  })

  /** `fields` are changes of the session. */
  const framed = async (page: Page, scene: string, fields: object = {}): Promise<FrameLocator> => {
    await page.unrouteAll()
    await page.route('**/api/launch', async (route) => {
      const response = await route.fetch()
      const { view, ...launched } = await response.json()
      await route.fulfill({ response, json: { ...launched, view: { ...view, ...fields } } })
    })
    await page.goto(embedder.page({ url: `${mock.base}/${scene}#x`, host: 'localhost' }))
    await page.addStyleTag({ content: 'body { margin: 0 }' })
    const there = page.frameLocator('iframe')
    await there.locator('.page:not(.page-loading) h1').waitFor()
    return there
  }

  it.concurrent('has the first field in sight of one product, of three, of thirty, of a quote, a permission, a card alone', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.phone)
      const anew = { step: 'card', card: null }
      const scenes: [string, object?][] = [
        ...['approval-one', 'approval-three', 'approval-thirty', 'quoted-approval', 'enroll-confirm'].map(
          (scene): [string, object] => [scene, anew],
        ),
        ...['card', 'foreign', 'untold', 'enroll-card', 'setup-card'].map((scene): [string] => [scene]),
      ]
      for (const [scene, fields] of scenes) {
        const surface = await framed(page, scene, fields)
        const field = await surface.getByLabel('Card number').boundingBox()
        expect([scene, (field?.y ?? FIRST_FIELD_WITHIN) < FIRST_FIELD_WITHIN]).toEqual([scene, true])
        for (const place of ['.party-name', '.amount', '.way-out button'])
          expect([place, await surface.locator(place).isVisible()]).toEqual([place, true])
      }
    })
  })

  it.concurrent('is no higher than a sheet of the SDK where it is approved', async () => {
    await browser.visit({}, async ({ page }) => {
      for (const { width, height } of SHEETS) {
        await page.setViewportSize({ width, height })
        for (const scene of APPROVALS) {
          const surface = await framed(page, scene)
          await surface.locator('.sentence:not([aria-busy])').waitFor()
          const needed = await surface.locator('main').evaluate((main) => main.clientHeight)
          expect([scene, width, needed <= height]).toEqual([scene, width, true])
        }
      }
    })
  })

  it.concurrent('opens the list in place, with each price, and folds it again', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.phone)
      const surface = await framed(page, 'untold')
      const prices = surface.locator('.line-price:visible')
      expect(await prices.count()).toBe(1)
      await surface.getByRole('button', { name: 'See all 5 items' }).click()
      expect(await prices.count()).toBe(await surface.locator('.line').count())
      await surface.getByRole('button', { expanded: true }).click()
      expect(await prices.count()).toBe(1)
    })
  })

  it.concurrent('has nothing cut off in a narrow frame and with large text', async () => {
    await browser.visit({}, async ({ page }) => {
      const problems: string[] = []
      for (const size of [100, 200]) {
        for (const scene of ['card', 'quoted', 'untold', 'foreign', 'setup-card', 'enroll-card']) {
          const surface = await framed(page, scene)
          await enlarge(page, size)
          for (const width of [320, 390, 640]) {
            await page.setViewportSize({ width, height: 800 })
            const found = await surface.locator('html').evaluate(textProblems)
            problems.push(...found.map((problem) => `${scene}, ${size} %, ${width} px: ${problem}`))
          }
        }
      }
      expect(problems).toEqual([])
    })
  })
})
