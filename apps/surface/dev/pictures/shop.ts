/** A DEVELOPMENT TOOL: the example's shop, and what a customer does there. */
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { SHOP } from './service.ts'
import { typeCard } from './sheets.ts'

/** The shelf with two teas in the cart, and the checkout with the page in it: screens as PNG, in base64. */
export async function takeShop(browser: Browser): Promise<string[]> {
  const page = await browser.newPage({
    viewport: { width: 1000, height: 850 },
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
    locale: 'en-US',
  })
  const picture = async () => (await page.screenshot({ animations: 'disabled' })).toString('base64')
  try {
    await page.goto(SHOP)
    await addTo(page, ['Sencha', 'Assam'])
    await page.mouse.move(0, 0)
    const shelf = await picture()
    const surface = await checkOut(page)
    await typeCard(surface)
    await surface.getByLabel('Security code').blur()
    return [shelf, await picture()]
  } finally {
    await page.close()
  }
}

export async function addTo(page: Page, teas: readonly string[]): Promise<void> {
  for (const tea of teas) await page.getByRole('button', { name: `Add ${tea}` }).click()
}

export async function checkOut(page: Page): Promise<FrameLocator> {
  await page.getByRole('button', { name: 'Check out' }).click()
  const surface = page.frameLocator('iframe')
  await surface.getByLabel('Card number').waitFor()
  return surface
}
