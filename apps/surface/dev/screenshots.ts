/**
 * A DEVELOPMENT TOOL: draws every screen of the built page at a desktop's and a phone's size, light and dark, and fails
 * when the page complains of anything, a breach of its Content-Security-Policy above all.
 * `node apps/surface/dev/screenshots.ts [directory] [part of a name]` after `npm run build`.
 */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchBrowser, type Size, watchedPage } from './browser.ts'
import { createMockServer } from './mock-server.ts'
import type { Shot } from './shot.ts'
import { SHOTS } from './shots.ts'

const SIZES: Size[] = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
  { name: 'desktop-dark', width: 1280, height: 800, dark: true },
  { name: 'phone-dark', width: 390, height: 844, dark: true },
  { name: 'narrow', width: 320, height: 640 },
]

const AT_ONCE = 4

async function take(browser: Browser, base: string, shot: Shot, size: Size, directory: string): Promise<string[]> {
  const { context, page, complaints } = await watchedPage(browser, size)
  try {
    await shot.before?.(page)
    const path = shot.scenario.startsWith('/') ? shot.scenario : `/s/ma_x/${shot.scenario}#x`
    await page.goto(base + path, { waitUntil: shot.heading === null ? 'commit' : 'load' })
    if (shot.heading === null) await page.waitForTimeout(400)
    else await page.getByRole('heading', { name: shot.heading, level: 1 }).waitFor()
    await shot.steps?.(page)
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    if (wide) complaints.push('The page scrolls sideways.')
    await page.screenshot({ path: join(directory, `${shot.name}.${size.name}.png`), fullPage: true })
  } catch (error) {
    complaints.push(String(error))
  } finally {
    await context.close()
  }
  return complaints.map((text) => `${shot.name} at ${size.name}: ${text}`)
}

const [directory = join(tmpdir(), 'mintmark-surface'), wanted = ''] = process.argv.slice(2)
// A folder of that name would be made, and committed by who does not look.
if (directory.startsWith('-')) {
  process.stderr.write('Usage: node apps/surface/dev/screenshots.ts [directory] [part of a name]\n')
  process.exit(1)
}
mkdirSync(directory, { recursive: true })
const server = createMockServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://localhost:${(server.address() as AddressInfo).port}`
const browser = await launchBrowser()
const complaints: string[] = []
try {
  const shots = SHOTS.filter(({ name }) => name.includes(wanted))
  for (const size of SIZES) {
    // A few at a time: eighty pages at once are more than a laptop can hold, and the browser ends.
    const left = [...shots]
    const takeOn = async () => {
      for (let shot = left.shift(); shot !== undefined; shot = left.shift())
        complaints.push(...(await take(browser, base, shot, size, directory)))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, takeOn))
  }
} finally {
  await browser.close()
  server.close()
  server.closeAllConnections()
}
process.stdout.write(`${complaints.join('\n')}\n${complaints.length} complaints. Screens are in ${directory}\n`)
process.exitCode = complaints.length === 0 ? 0 : 1
