// Guarantee: on every screen of the page, with text of usual and of double size, axe finds nothing, nothing has to be
// scrolled sideways, and no word is cut or torn apart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { LOOKS, openScene, SCENES } from '../../../surface/dev/scenes.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { enlarge, textProblems } from './text-fit.ts'

const { phone: PHONE, 'desktop-dark': DESKTOP } = LOOKS

/** Text in per cent of the browser's usual 16 px, and what looks at it. */
interface View {
  size: number
  look: typeof PHONE | typeof DESKTOP
  isAxeDue: boolean
}

/** Both looks and both ends of the sizes, and the narrowest room for the largest text. */
const SHORT: View[] = [
  { size: 100, look: PHONE, isAxeDue: true },
  { size: 200, look: PHONE, isAxeDue: false },
  { size: 200, look: DESKTOP, isAxeDue: true },
]
const EVERY: View[] = [100, 150, 200].flatMap((size) =>
  [PHONE, DESKTOP].map((look) => ({ size, look, isAxeDue: true })),
)
/** `npm run sweep` looks at every size in both looks, which takes three times as long. */
const VIEWS = process.env.CRASH_SWEEP === undefined ? SHORT : EVERY

describeInBrowser('every screen, at every size of text', (browser) => {
  let mock: Mock
  let axe = ''
  beforeAll(async () => {
    axe = await axeSource()
    mock = await startMock()
  })
  afterAll(() => mock?.close())

  for (const name of Object.keys(SCENES)) {
    it.concurrent(`is accessible and whole: ${name}`, async () => {
      await browser.visit({ expects: [/status of [45]\d\d/, /DISCONNECTED|ERR_FAILED/] }, async ({ page }) => {
        await openScene(page, mock.base, name)
        const problems: string[] = []
        for (const { size, look, isAxeDue } of VIEWS) {
          await enlarge(page, size)
          await page.setViewportSize(look.viewport)
          await page.emulateMedia({ colorScheme: look.colorScheme })
          const seen = isAxeDue ? await axeProblems(page, axe) : []
          const found = [...seen, ...(await page.evaluate(textProblems))]
          problems.push(...found.map((problem) => `${size} %, ${look.viewport.width} px: ${problem}`))
        }
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

    it('axe finds what is wrong', async () => {
      await browser.visit({}, async ({ page }) => {
        await page.setContent('<!doctype html><title>x</title><main><h1>x</h1><input><button></button></main>')
        const found = (await axeProblems(page, axe)).join('\n')
        for (const rule of ['label', 'button-name', 'html-has-lang']) expect(found).toContain(rule)
      })
    })
  })
})
