/** A DEVELOPMENT TOOL: a headless Chromium that collects everything a page complains about. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

interface Watched {
  page: Page
  complaints: string[]
}

export interface Size {
  name: string
  width: number
  height: number
  dark?: boolean
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A refused call is what some scenarios are about, so Chromium's own line about its status is no complaint. */
const EXPECTED = /^Failed to load resource: (the server responded with a status of [45]\d\d|net::ERR_(INTERNET|FAILED))/

export async function watchedPage(
  browser: Browser,
  size: Size,
  locale = 'en-US',
): Promise<Watched & { context: BrowserContext }> {
  const context = await browser.newContext({
    viewport: { width: size.width, height: size.height },
    colorScheme: size.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  context.on('page', (other) => listen(other, complaints))
  listen(page, complaints)
  return { context, page, complaints }
}

function listen(page: Page, complaints: string[]): void {
  page.on('console', (message) => {
    const text = message.text()
    if ((message.type() === 'error' || message.type() === 'warning') && !EXPECTED.test(text)) complaints.push(text)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
}

/** A virtual platform authenticator; `present` false makes each ceremony fail as if the person had dismissed it. */
export async function addAuthenticator(page: Page, present = true): Promise<void> {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: present,
      automaticPresenceSimulation: present,
    },
  })
}
