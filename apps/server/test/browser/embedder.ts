import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'

interface EmbedOptions {
  /** A session's `iframe_url`. */
  url: string
  /** The site the page is on; a name under `.test` is this machine too. */
  host?: string
  /** The frame's permissions policy; the empty one gives no passkeys. */
  allow?: string
  sandbox?: string
  /** Says no hello by itself. */
  quiet?: boolean
}

/** What the surface said to the page, with the origin it came from. */
type Heard = Record<string, unknown> & { type: string; origin: string }

/** A merchant's page at its smallest: the surface in a frame, and what it says as lines of text. */
export interface Embedder {
  page(options: EmbedOptions): string
  close(): Promise<void>
}

const PASSKEYS = 'publickey-credentials-get *; publickey-credentials-create *'

export async function startEmbedder(): Promise<Embedder> {
  // By number: a page's own address must not hold the secret in the frame's.
  const pages: EmbedOptions[] = []
  const server = createServer((request, response) => {
    const options = pages[Number(request.url?.slice('/page/'.length))]
    response.writeHead(options === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(options === undefined ? '' : markup(options))
  })
  const port = await listen(server)
  return {
    page: (options) => `http://${options.host ?? '127.0.0.1'}:${port}/page/${pages.push(options) - 1}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Everything the page has heard so far. */
export function heardBy(page: Page): Promise<Heard[]> {
  return page
    .locator('#log li')
    .evaluateAll((lines) => lines.map((line) => JSON.parse((line as HTMLElement).dataset.message ?? '{}')))
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function markup({ url, allow = PASSKEYS, sandbox, quiet = false }: EmbedOptions): string {
  const box = sandbox === undefined ? '' : ` sandbox="${sandbox}"`
  return `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
<iframe title="Payment" src="${url}" allow="${allow}"${box} style="width: 100%; height: 700px; border: 0"></iframe>
<ol id="log"></ol>
<script>(${talk})(${JSON.stringify(new URL(url).origin)}, ${quiet})</script>`
}

/** Runs in the page. */
function talk(origin: string, quiet: boolean): void {
  const frame = document.querySelector('iframe')
  const log = document.querySelector('#log')
  if (frame === null || log === null) return
  const hello = () => frame.contentWindow?.postMessage({ protocol: 'mintmark.frame.1', type: 'hello' }, origin)
  let timer: ReturnType<typeof setInterval> | undefined
  frame.addEventListener('load', () => {
    if (!quiet) timer = setInterval(hello, 100)
  })
  addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow) return
    if (event.data.type === 'ready') clearInterval(timer)
    if (event.data.type === 'resize') frame.style.height = `${event.data.height}px`
    const line = document.createElement('li')
    line.textContent = [event.data.type, event.data.outcome ?? event.data.step ?? event.data.code ?? ''].join(' ')
    line.dataset.message = JSON.stringify({ ...event.data, origin: event.origin })
    log.append(line)
  })
}
