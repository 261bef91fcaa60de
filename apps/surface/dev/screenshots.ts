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

const directory = process.argv[2] ?? join(tmpdir(), 'mintmark-surface')
const wanted = process.argv[3] ?? ''
mkdirSync(directory, { recursive: true })
const server = createMockServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://localhost:${(server.address() as AddressInfo).port}`
const browser = await launchBrowser()
const complaints: string[] = []
try {
  const shots = SHOTS.filter(({ name }) => name.includes(wanted))
  for (const size of SIZES) {
    const taken = await Promise.all(shots.map((shot) => take(browser, base, shot, size, directory)))
    complaints.push(...taken.flat())
  }
} finally {
  await browser.close()
  server.close()
  server.closeAllConnections()
}
process.stdout.write(`${complaints.join('\n')}\n${complaints.length} complaints. Screens are in ${directory}\n`)
process.exitCode = complaints.length === 0 ? 0 : 1
