/**
 * A DEVELOPMENT TOOL: draws the picture of the README, three scenes of the built page beside each other, as they are on a phone.
 * `node apps/surface/dev/readme-picture.ts` after `npm run build`; look at it before you commit it.
 */
import { join } from 'node:path'
import { withCamera } from './screenshots.ts'

const PICTURE = join(import.meta.dirname, '../../../docs/pictures/payment-page.png')
const PHONE = { viewport: { width: 390, height: 844 } }

await withCamera(async ({ browser, take }) => {
  const scenes = await Promise.all(
    ['card-filled', 'approval', 'approved'].map((name) => take(name, PHONE, (page) => page.screenshot())),
  )
  const images = scenes.map((scene) => `<img src="data:image/png;base64,${scene.toString('base64')}">`).join('')
  const page = await browser.newPage({ viewport: { width: 980, height: 900 } })
  await page.setContent(`<!doctype html><style>
    body { display: flex; gap: 20px; margin: 0; padding: 20px; background: #e7ecea }
    img { width: 300px; border-radius: 14px; box-shadow: 0 2px 10px #0003 }
  </style>${images}`)
  await page.locator('body').screenshot({ path: PICTURE })
})
