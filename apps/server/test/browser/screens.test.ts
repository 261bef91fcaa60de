// Guarantee: on every screen of the page, in both schemes and with text up to double size, axe finds nothing, nothing
// has to be scrolled sideways, and no word is cut or torn apart; all of it can be done by the keyboard, in the
// browser's own colours, without motion, and on a phone that lies on its side.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Shot } from '../../../surface/dev/shot.ts'
import { SHOTS } from '../../../surface/dev/shots.ts'
import { axeProblems, axeSource, RULES_OF_LOOKS } from './axe.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { type MockPage, startMockPage } from './mock-page.ts'
import { enlarge, textProblems } from './text-fit.ts'
import { otherViewProblems } from './view-fit.ts'

/** Text in per cent of the browser's usual 16 px, the width of the window, and the scheme. */
const VIEWS = [
  { size: 100, width: 390, colorScheme: 'light', isFirst: true },
  { size: 100, width: 320, colorScheme: 'dark' },
  { size: 150, width: 390, colorScheme: 'light' },
  { size: 150, width: 1280, colorScheme: 'dark' },
  { size: 200, width: 390, colorScheme: 'light' },
  { size: 200, width: 1280, colorScheme: 'dark' },
] as const
/**
 * Another look of a screen that was seen by all rules needs few of them. `npm run sweep` has all of them each time.
 */
const isThorough = process.env.CRASH_SWEEP !== undefined

describeInBrowser('every screen, at every size of text', (browser) => {
  let mock: MockPage
  let base = ''
  let axe = ''
  beforeAll(async () => {
    axe = await axeSource()
    mock = await startMockPage()
    base = mock.url
  })
  afterAll(() => mock?.close())

  for (const shot of SHOTS) {
    it.concurrent(`is accessible and whole: ${shot.name}`, async () => {
      await browser.visit({ expects: [/status of [45]\d\d/, /DISCONNECTED|ERR_FAILED/] }, async ({ page }) => {
        await page.context().route('https://shop.test/**', (route) => route.fulfill({ status: 204 }))
        await open(page, base, shot)
        const problems: string[] = []
        for (const { size, width, colorScheme, ...view } of VIEWS) {
          await enlarge(page, size)
          await page.setViewportSize({ width, height: 844 })
          await page.emulateMedia({ colorScheme })
          const rules = isThorough || 'isFirst' in view ? undefined : RULES_OF_LOOKS
          const found = [...(await axeProblems(page, axe, rules)), ...(await page.evaluate(textProblems))]
          problems.push(...found.map((problem) => `${size} %, ${width} px, ${colorScheme}: ${problem}`))
        }
        await enlarge(page, 100)
        problems.push(...(await otherViewProblems(page, textProblems)))
        expect(problems).toEqual([])
      })
    })
  }

  describe('the checks themselves', () => {
    it.each([
      ['<p style="width:900px">wide</p>', 'wider than the window'],
      ['<p style="width:40px;overflow:hidden;white-space:nowrap">some words that are cut</p>', 'cut'],
      ['<p style="width:1ch;overflow-wrap:anywhere">Northwind</p>', 'torn apart'],
      ['<p style="position:absolute;left:-30px">half outside</p>', 'outside'],
      ['<p>whole words in the room they need</p>', null],
    ])('see %s', async (markup, problem) => {
      await browser.visit({}, async ({ page }) => {
        await page.setViewportSize(VIEWPORTS.phone)
        await page.goto('about:blank')
        await page.setContent(`<!doctype html><html lang="en"><title>x</title><body>${markup}</body>`)
        const found = await page.evaluate(textProblems)
        if (problem === null) expect(found).toEqual([])
        else expect(found.join('\n')).toContain(problem)
      })
    })

    it.each([
      ['button{outline:none}', 'focus is not seen'],
      ['button{transition:color 1s}', 'glides'],
      ['@keyframes go{to{translate:9px}}p{animation:go 9s}', 'moves: translate'],
      ['button{border:0}', 'no edge'],
      ['p{forced-color-adjust:none;color:#fff;background:#fff}', 'not seen'],
      ['p{position:sticky;bottom:0;height:70vh}', 'are always taken'],
      ['button:focus-visible{outline:3px solid}button{border:2px solid}', null],
    ])('see %s', async (style, problem) => {
      await browser.visit({}, async ({ page }) => {
        await page.setContent(
          `<!doctype html><title>x</title><style>${style}</style><p>words</p><button>press</button>`,
        )
        const found = await otherViewProblems(page, textProblems)
        if (problem === null) expect(found).toEqual([])
        else expect(found.join('\n')).toContain(problem)
      })
    })

    it('axe finds what is wrong', async () => {
      await browser.visit({}, async ({ page }) => {
        await page.setContent('<!doctype html><title>x</title><main><h1>x</h1><input><button></button></main>')
        const found = (await axeProblems(page, axe)).join('\n')
        for (const rule of ['label', 'button-name', 'html-has-lang']) expect(found).toContain(rule)
      })
    })
  })
})

async function open(page: Page, base: string, shot: Shot): Promise<void> {
  await shot.before?.(page)
  const path = shot.scenario.startsWith('/') ? shot.scenario : `/s/ma_x/${shot.scenario}#x`
  await page.goto(base + path, { waitUntil: shot.heading === null ? 'commit' : 'load' })
  if (shot.heading === null) await page.getByText('Loading the payment page').waitFor()
  else await page.getByRole('heading', { name: shot.heading, level: 1 }).waitFor()
  await shot.steps?.(page)
}
