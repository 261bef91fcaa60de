import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { describeInBrowser, type TestBrowser } from './browser.ts'

/** Scenes of `apps/surface/dev/scenes.ts`, opened anew, also where that page is open already. */
interface Scenes {
  open(page: Page, scene: string): Promise<void>
  /** In a frame, of a page that has room for all of it. */
  openFramed(page: Page, scene: string): Promise<FrameLocator>
}

/** `describe` with a browser, and with a service that shows any state of the cardholder's page. */
export function describeWithMock(name: string, define: (browser: TestBrowser, scenes: Scenes) => void): void {
  describeInBrowser(name, (browser) => {
    let mock: Mock | undefined
    beforeAll(async () => {
      mock = await startMock()
    })
    afterAll(() => mock?.close())
    const addressOf = (scene: string) => `${mock?.base}/${scene}#x`
    define(browser, {
      async open(page, scene) {
        // A page whose address changes behind its # is not loaded again.
        await page.goto('about:blank')
        await page.goto(addressOf(scene))
      },
      async openFramed(page, scene) {
        const shop = new URL('/shop', addressOf(scene)).href
        const body = `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><iframe title="Payment"
          src="${addressOf(scene)}" allow="publickey-credentials-get" style="width: 100%; height: 3000px; border: 0"></iframe>`
        await page.route(shop, (route) => route.fulfill({ contentType: 'text/html', body }))
        await page.goto(shop)
        return page.frameLocator('iframe')
      },
    })
  })
}
