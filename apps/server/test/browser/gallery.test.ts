// Guarantee: every part of packages/ui is drawn in the gallery; in both schemes and directions, with text of usual and
// of double size, in the narrowest windows for each, axe finds nothing, nothing has to be scrolled sideways, and no
// word is cut.
import { execFile } from 'node:child_process'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser } from './browser.ts'
import { enlarge, textProblems } from './text-fit.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** Both schemes, both ends of the sizes of text, each in the least room that it must do with. */
const VIEWS = [
  { scheme: 'light', percent: 100, width: 320 },
  { scheme: 'dark', percent: 200, width: 390 },
] as const
const ORIGIN = 'http://gallery.test'
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

describeInBrowser('the gallery of parts', (browser) => {
  let built = ''
  let axe = ''
  beforeAll(async () => {
    axe = await axeSource()
    built = await mkdtemp(join(tmpdir(), 'gallery-'))
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js')
    await run(process.execPath, [vite, 'build', 'packages/ui/gallery', '--outDir', built, '--logLevel', 'warn'], {
      cwd: ROOT,
    })
  })
  afterAll(() => rm(built, { recursive: true, force: true }))

  const open = async (page: Page, path: string) => {
    await page.route(`${ORIGIN}/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      await route.fulfill({ body: await readFile(join(built, pathname)), contentType: TYPES[extname(pathname)] ?? '' })
    })
    await page.goto(ORIGIN + path)
  }

  it('shows every part there is', async () => {
    await browser.visit({}, async ({ page }) => {
      await open(page, '/parts.html')
      const drawn = (await page.locator('html[data-drawn]').getAttribute('data-drawn'))?.split(' ')
      const parts = await partsOfPackage()
      expect(parts.length).toBeGreaterThan(30)
      expect(drawn?.sort()).toEqual(parts.sort())
    })
  })

  it.each(['ltr', 'rtl'])('is accessible and whole in both schemes: %s', async (direction) => {
    await browser.visit({}, async ({ page, shoot }) => {
      await open(page, `/parts.html?dir=${direction}`)
      await page.locator('.gallery').waitFor()
      const problems: string[] = []
      for (const { scheme, percent, width } of VIEWS) {
        await page.setViewportSize({ width, height: 800 })
        await page.evaluate((name) => document.documentElement.setAttribute('data-scheme', name), scheme)
        await enlarge(page, percent)
        const found = [...(await axeProblems(page, axe)), ...(await page.evaluate(textProblems))]
        problems.push(...found.map((problem) => `${scheme}, ${width} px, ${percent} %: ${problem}`))
        await shoot(`gallery-${direction}-${scheme}`)
      }
      expect(problems).toEqual([])
    })
  })

  it('says what is left of a limit in words, and shows the shares of it without its colours too', async () => {
    await browser.visit({}, async ({ page }) => {
      await open(page, '/parts.html?scheme=light')
      const meter = page.getByRole('meter', { name: 'This month' })
      await expect.poll(() => meter.count()).toBe(3)
      expect(await meter.first().getAttribute('aria-valuetext')).toBe('$150 of $200 spent, $50 left')
      expect(await meter.first().getAttribute('aria-valuenow')).toBe('150')
      // What was asked for is not taken.
      expect(await meter.last().getAttribute('aria-valuenow')).toBe('150')
      await page.emulateMedia({ forcedColors: 'active' })
      const fills = await page.evaluate(() =>
        ['.gauge-used', '.gauge-held', '.gauge-bar'].map((part) => {
          const { backgroundColor, backgroundImage } = getComputedStyle(document.querySelector(part) ?? document.body)
          return `${backgroundColor} ${backgroundImage}`
        }),
      )
      expect(new Set(fills).size).toBe(3)
    })
  })

  it('tells a story in its order: when, what, who', async () => {
    await browser.visit({}, async ({ page }) => {
      await open(page, '/parts.html?scheme=light')
      const moments = page.getByRole('list', { name: 'Timeline' }).locator(':scope > li')
      expect(await moments.count()).toBe(6)
      const first = moments.first()
      expect(await first.locator('time').getAttribute('datetime')).toBe('2026-11-23T13:08:31Z')
      await expect.poll(() => first.innerText()).toMatch(/14:08:31\s+Session created\s+Your backend/)
    })
  })

  it('puts the four drawings beside each other, each in its scheme and as high as it is', async () => {
    await browser.visit({}, async ({ page }) => {
      await open(page, '/index.html')
      const frames = page.locator('iframe')
      expect(await frames.count()).toBe(4)
      const grounds = await Promise.all(
        page
          .frames()
          .slice(1)
          .map(async (frame) => {
            await frame.locator('.gallery').waitFor()
            await expect
              .poll(() => frame.evaluate(() => document.documentElement.scrollHeight - innerHeight))
              .toBeLessThan(2)
            return frame.evaluate(() => getComputedStyle(document.body).backgroundColor)
          }),
      )
      expect(new Set(grounds).size).toBe(2)
    })
  })
})

/** What is written with a capital is drawn; all else serves it. */
async function partsOfPackage(): Promise<string[]> {
  const names: string[] = []
  for await (const path of glob('packages/ui/src/*.tsx', { cwd: ROOT })) {
    const source = await readFile(join(ROOT, path), 'utf8')
    for (const [, name = ''] of source.matchAll(/^export function ([A-Z]\w+)/gm)) names.push(name)
  }
  return names
}
