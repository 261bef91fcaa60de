/**
 * A DEVELOPMENT TOOL: takes the pictures of the README from the service that runs (`npm start`) and the example's shop
 * beside it (`npm run storefront`), and records a payment there: `node apps/surface/dev/readme-pictures.ts`, after `npm
 * run build`. It needs Chromium, and `cwebp` and `img2webp` of Debian's package `webp`. Look at them before you commit
 * them.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { record } from './pictures/recording.ts'
import { takeSheets } from './pictures/sheets.ts'
import { takeShop } from './pictures/shop.ts'

const PICTURES = join(import.meta.dirname, '../../../docs/pictures')
const GROUND = { light: '#e7ecea', dark: '#22302b' }

/** Screens beside each other, on a ground of their own. */
async function draw(browser: Browser, name: string, ground: string, screens: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'picture-'))
  const page = await browser.newPage({ viewport: { width: 980, height: 760 }, deviceScaleFactor: 1.5 })
  try {
    const images = screens.map((screen) => `<img src="data:image/png;base64,${screen}">`).join('')
    await page.setContent(`<!doctype html><style>
      body { display: grid; grid: auto / auto-flow 1fr; gap: 20px; margin: 0; padding: 20px; background: ${ground} }
      img { display: block; width: 100%; border-radius: 14px; box-shadow: 0 2px 10px #0003 }
    </style>${images}`)
    const drawn = join(folder, 'drawn.png')
    await page.locator('body').screenshot({ path: drawn })
    const target = join(PICTURES, `${name}.webp`)
    await promisify(execFile)('cwebp', ['-quiet', '-q', '88', '-m', '6', '-sharp_yuv', drawn, '-o', target])
  } finally {
    await page.close()
    await rm(folder, { recursive: true })
  }
}

const browser = await launchBrowser()
try {
  for (const scheme of ['light', 'dark'] as const) {
    const { payment, permission } = await takeSheets(browser, scheme)
    await draw(browser, `payment-${scheme}`, GROUND[scheme], payment)
    await draw(browser, `permission-${scheme}`, GROUND[scheme], permission)
  }
  await draw(browser, 'shop', GROUND.light, await takeShop(browser))
  await record(browser, join(PICTURES, 'checkout.webp'))
} finally {
  await browser.close()
}
