import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Mintmark, SurfaceOptions } from '@mintmark/browser'
import type { Page } from 'playwright-core'
import { bundleScript } from '../../../../packages/browser/bundle.ts'
import type { TestMerchant } from '../service.ts'

/** A session as the API made it. */
export interface Made {
  session_id: string
  session_token: string
  iframe_url: string
}

interface PageOptions {
  /** Response headers in place of the strict policy. */
  headers?: Record<string, string>
  /** The page inside a frame of a page with this `allow`. */
  framed?: string
}

/**
 * A shop's page that uses the browser SDK, under the strictest policy that lets it: no inline style, no inline script,
 * no eval, no other frame.
 */
export interface ShopPage {
  url(options?: PageOptions): string
  /** Serves one more script. */
  script(name: string, text: string): void
  close(): Promise<void>
}

const MARKUP = `<!doctype html><html lang="en"><title>Shop</title><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css"><script src="/mintmark.js"></script><body><main><h1>Shop</h1>
<button id="buy">Buy</button><div id="place"></div><p class="tall">The rest of the shop.</p></main>`
// What shops have in their style sheets, and a sheet must not take over.
const STYLES = `body { margin: 0; font-family: serif; background: #fdf6e3 } .tall { height: 1600px }
dialog { background: red; top: 200px } iframe { max-width: 100px } button { border-radius: 0; text-transform: uppercase }`

export async function startShopPage(surfaceUrl: string): Promise<ShopPage> {
  const scripts = new Map([['/mintmark.js', await bundleScript()]])
  const pages: PageOptions[] = []
  const strict = `default-src 'none'; script-src 'self'; style-src 'self'; frame-src ${surfaceUrl}; img-src data:; \
require-trusted-types-for 'script'; trusted-types 'none'`
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const script = scripts.get(path)
    const options = pages[Number(/^\/page\/(\d+)$/.exec(path)?.[1])]
    if (script !== undefined) response.setHeader('content-type', 'text/javascript').end(script)
    else if (path === '/shop.css') response.setHeader('content-type', 'text/css').end(STYLES)
    else if (options === undefined) response.writeHead(404).end()
    else {
      const headers = options.headers ?? { 'content-security-policy': strict }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
      response.end(options.framed ?? MARKUP)
    }
  })
  const port = await listen(server)
  const url = (options: PageOptions = {}) => `http://127.0.0.1:${port}/page/${pages.push(options) - 1}`
  return {
    url,
    script: (name, text) => scripts.set(name, text),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** What the page's callbacks were called with. */
export type Heard = [name: string, value: Record<string, unknown>][]

/** The page's side of the SDK; `window.shop`. */
interface Shop {
  client: Mintmark
  heard: Heard
}

type Options = Partial<Omit<SurfaceOptions, 'container'>> & Record<string, unknown>
type Method = 'collectPAN' | 'enrollCard' | 'setUpMandate'

/** Opens the payment page of a session by the SDK, as a script of the page would. */
export async function openBySdk(
  page: Page,
  merchant: Pick<TestMerchant, 'publishableKey'>,
  session: Made,
  options: Options = {},
  method: Method = 'collectPAN',
): Promise<void> {
  const given = { sessionToken: session.session_token, iframeUrl: session.iframe_url, container: '#place', ...options }
  await page.evaluate(
    ({ publishableKey, options, method }) => {
      const page = window as unknown as { Mintmark: typeof Mintmark; shop?: Shop }
      const heard: Heard = page.shop?.heard ?? []
      const hear = (name: string) => (value: object) => {
        const { message } = value as { message?: string }
        heard.push([name, { ...value, ...(message !== undefined && { message }) }])
      }
      const names = ['onReady', 'onChange', 'onSuccess', 'onError', 'onDismiss']
      const callbacks = Object.fromEntries(names.map((name) => [name, hear(name)]))
      const client = page.shop?.client ?? new page.Mintmark({ publishableKey })
      page.shop = { client, heard }
      client[method]({ ...callbacks, ...options } as SurfaceOptions)
    },
    { publishableKey: merchant.publishableKey, options: given, method },
  )
}

export function heardBySdk(page: Page): Promise<Heard> {
  return page.evaluate(() => (window as unknown as { shop: Shop }).shop.heard)
}

export function callSdk(page: Page, method: 'destroy' | 'cancel'): Promise<void> {
  return page.evaluate((name) => (window as unknown as { shop: Shop }).shop.client[name](), method)
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
