/**
 * A DEVELOPMENT TOOL: pictures of every state of the page in `docs/pictures/states`, one sheet a state: two languages
 * and two schemes, each in three sizes of text and three windows. `npm run pictures [part of a name]`, after `npm run
 * build`. Look at them before you commit them.
 */
import { once } from 'node:events'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchBrowser, type Size, watchedPage } from './browser.ts'
import { createMockServer } from './mock-server.ts'
import { speaking } from './pictures/speaking.ts'
import { drawSheet, type Tile } from './pictures/state-sheet.ts'
import type { Shot } from './shot.ts'
import { SHOTS } from './shots.ts'

const STATES = join(import.meta.dirname, '../../../docs/pictures/states')
const AT_ONCE = 3

const WINDOWS: Size[] = [
  { name: 'small', width: 320, height: 640 },
  { name: 'phone', width: 390, height: 844 },
  { name: 'desk', width: 1280, height: 800 },
]
const TEXT_SIZES = [100, 150, 200]
const SCHEMES = ['light', 'dark'] as const
const LANGUAGES = ['en', 'ar'] as const
/** The size of usual text; larger text is as easy to read in a smaller picture. */
const SCALE = 0.28
/** Beside it a desk is empty. */
const SHEET_WIDTH = 520

/** The state in one language, in all its looks: a row for each scheme. */
async function look(
  browser: Browser,
  base: string,
  shot: Shot,
  language: (typeof LANGUAGES)[number],
): Promise<Tile[][]> {
  const { context, page } = await watchedPage(browser, { name: 'phone', width: 390, height: 844 }, language)
  try {
    await context.route('https://shop.test/**', (route) => route.fulfill({ status: 204 }))
    await reach(speaking(page, language), base, shot)
    const devtools = await context.newCDPSession(page)
    const rows: Tile[][] = []
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      rows.push(await inAllSizes(page, devtools))
    }
    return rows
  } finally {
    await context.close()
  }
}

async function reach(page: Page, base: string, shot: Shot): Promise<void> {
  await shot.before?.(page)
  const path = shot.scenario.startsWith('/') ? shot.scenario : `/s/ma_x/${shot.scenario}#x`
  await page.goto(base + path, { waitUntil: shot.heading === null ? 'commit' : 'load' })
  if (shot.heading === null) await page.waitForTimeout(400)
  else await page.locator('main:not([aria-busy]) h1').waitFor({ state: 'attached' })
  await shot.steps?.(page)
}

async function inAllSizes(page: Page, devtools: CDPSession): Promise<Tile[]> {
  const tiles: Tile[] = []
  for (const percent of TEXT_SIZES) {
    const fontSizes = { standard: (16 * percent) / 100, fixed: Math.round((13 * percent) / 100) }
    const enlarge = async () => {
      await devtools.send('Page.setFontSizes', { fontSizes })
      await page.waitForFunction(
        (size) => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) === size,
        fontSizes.standard,
      )
    }
    for (const { width, height } of WINDOWS) {
      await page.setViewportSize({ width, height })
      await enlarge()
      const tall = await page.evaluate(() => document.documentElement.scrollHeight)
      // A window that is resized for the picture alone forgets the size of its text.
      await page.setViewportSize({ width, height: tall })
      await enlarge()
      const shown = Math.min(width, (SHEET_WIDTH * percent) / 100)
      const clip = { x: (width - shown) / 2, y: 0, width: shown, height: tall, scale: 1 }
      const { data } = await devtools.send('Page.captureScreenshot', { clip })
      tiles.push({ png: data, scale: (SCALE * 100) / percent, width: shown, height: tall })
    }
  }
  return tiles
}

async function take(browser: Browser, base: string, shot: Shot): Promise<void> {
  const rows: Tile[][] = []
  for (const language of LANGUAGES) rows.push(...(await look(browser, base, shot, language)))
  await writeFile(join(STATES, `${shot.name}.webp`), await drawSheet(browser, rows))
}

/** The pictures of a state that is gone. */
async function removeOthers(): Promise<void> {
  const names = new Set(SHOTS.map(({ name }) => `${name}.webp`))
  for (const file of await readdir(STATES)) {
    if (file.endsWith('.webp') && !names.has(file)) await rm(join(STATES, file))
  }
}

const [wanted = ''] = process.argv.slice(2)
await mkdir(STATES, { recursive: true })
const server = createMockServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://localhost:${(server.address() as AddressInfo).port}`
const browser = await launchBrowser()
const problems: string[] = []
try {
  const left = SHOTS.filter(({ name }) => name.includes(wanted))
  const takeOn = async () => {
    for (let shot = left.shift(); shot !== undefined; shot = left.shift()) {
      const { name } = shot
      await take(browser, base, shot).catch((error: unknown) => problems.push(`${name}: ${error}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, takeOn))
  await removeOthers()
} finally {
  await browser.close()
  server.close()
  server.closeAllConnections()
}
process.stdout.write([...problems, `${problems.length} states could not be reached.\n`].join('\n'))
process.exitCode = problems.length === 0 ? 0 : 1
