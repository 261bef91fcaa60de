/**
 * A DEVELOPMENT TOOL: draws the picture of the README, three screens of the built page beside each other, as they are on a phone.
 * `node apps/surface/dev/readme-picture.ts` after `npm run build`; look at it before you commit it.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchBrowser, watchedPage } from './browser.ts'
import { createMockServer } from './mock-server.ts'
import { SHOTS } from './shots.ts'

const PICTURE = join(import.meta.dirname, '../../../docs/pictures/payment-page.png')
const SCREENS = ['card-filled', 'approval', 'approved']
/** High enough for the longest of the three, so that its button works. */
const PHONE = { name: 'phone', width: 390, height: 960 }

async function take(browser: Browser, base: string, name: string): Promise<string> {
  const shot = SHOTS.find((shot) => shot.name === name)
  if (shot?.heading == null) throw new Error(`There is no screen ${name} with a heading.`)
  const { context, page, complaints } = await watchedPage(browser, PHONE)
  try {
    await page.goto(`${base}/s/ma_x/${shot.scenario}#x`)
    await page.getByRole('heading', { name: shot.heading, level: 1 }).waitFor()
    await shot.steps?.(page)
    if (complaints.length > 0) throw new Error(complaints.join('\n'))
    return (await page.screenshot()).toString('base64')
  } finally {
    await context.close()
  }
}

async function draw(browser: Browser, screens: readonly string[]): Promise<void> {
  const images = screens.map((screen) => `<img src="data:image/png;base64,${screen}">`).join('')
  const page = await browser.newPage({ viewport: { width: 980, height: 760 } })
  await page.setContent(`<!doctype html><style>
    body { display: flex; gap: 20px; margin: 0; padding: 20px; background: #e7ecea }
    img { width: 300px; border-radius: 14px; box-shadow: 0 2px 10px #0003 }
  </style>${images}`)
  await page.locator('body').screenshot({ path: PICTURE })
}

const server = createMockServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://localhost:${(server.address() as AddressInfo).port}`
const browser = await launchBrowser()
try {
  await draw(browser, await Promise.all(SCREENS.map((name) => take(browser, base, name))))
} finally {
  await browser.close()
  server.close()
  server.closeAllConnections()
}
