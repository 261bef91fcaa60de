import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { accessibilityProblems } from './accessibility.ts'
import { type Authenticator, addAuthenticator } from './authenticator.ts'

// Chromium for tests: a new profile each time, no name but the machine's own resolves, and whatever a page complains
// about (an error, a policy violation, a request to any other host) fails the test that opened it.

export const VIEWPORTS = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages of other sites come from this machine too; every other name is unknown, so nothing leaves it.
  '--host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
]
const EXECUTABLE = findChromium()
const HOW_TO_GET_IT =
  'Browser tests need Chromium: "apt-get install chromium", or set CHROMIUM_PATH to the program of one you have.'

/** For what hangs: the machine may be busy. It is less than a test has, so that it is the step that is reported. */
const STEP_WITHIN_MILLIS = 120_000

function findChromium(): string | null {
  const inPath = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'chromium'))
  // A path that was asked for is not replaced by another.
  const places = process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : ['/usr/bin/chromium', ...inPath]
  return places.find((place) => existsSync(place)) ?? null
}

export interface TestBrowser {
  /** A profile of its own for each visit. */
  visit(options: VisitOptions, work: (visit: Visit) => Promise<void>): Promise<void>
}

interface VisitOptions {
  /** Console errors that belong to what is tested, for example the status of a refusal. */
  expects?: RegExp[]
  /** Runs in every frame before the page's own scripts. */
  before?: () => void
  /** The browser's language and time zone. */
  reads?: Pick<BrowserContextOptions, 'locale' | 'timezoneId'>
}

export interface Visit {
  context: BrowserContext
  page: Page
  authenticator: Authenticator
  /** A virtual authenticator for another tab, with the same passkeys. */
  equip(tab: Page): Promise<Authenticator>
  shoot(name: string, of?: Page): Promise<void>
}

/** `describe` with a browser; without Chromium its tests are skipped and say how to get it. In CI they fail. */
export function describeInBrowser(name: string, define: (browser: TestBrowser) => void): void {
  const isMissing = EXECUTABLE === null
  if (isMissing) process.stderr.write(`${HOW_TO_GET_IT}\n`)
  describe.skipIf(isMissing && process.env.CI !== 'true')(name, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      if (EXECUTABLE === null) throw new Error(HOW_TO_GET_IT)
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS, timeout: STEP_WITHIN_MILLIS })
    })
    afterAll(() => browser?.close())
    define({
      async visit(options, work) {
        if (browser === undefined) throw new Error('The browser is not started.')
        await runVisit(browser, options, work)
      },
    })
  })
}

async function runVisit(browser: Browser, options: VisitOptions, work: (visit: Visit) => Promise<void>): Promise<void> {
  const context = await browser.newContext({
    viewport: VIEWPORTS.desktop,
    reducedMotion: 'reduce',
    ...options.reads,
  })
  context.setDefaultTimeout(STEP_WITHIN_MILLIS)
  const complaints = watch(context, options.expects ?? [])
  let page: Page | undefined
  try {
    if (options.before !== undefined) await context.addInitScript(options.before)
    const opened = await context.newPage()
    page = opened
    const authenticator = await addAuthenticator(opened)
    await work({
      context,
      page: opened,
      authenticator,
      equip: async (tab) => addAuthenticator(tab, await authenticator.credentials()),
      shoot: (name, of = opened) => shoot(of, name),
    })
  } catch (error) {
    if (page) await shoot(page, `failed-${expect.getState().currentTestName ?? 'test'}`).catch(() => {})
    if (complaints.length > 0 && error instanceof Error)
      error.message += `\nThe pages complained:\n${complaints.join('\n')}`
    throw error
  } finally {
    await context.close()
  }
  expect(complaints, 'what pages complained about').toEqual([])
}

/** Everything that must not happen in a page, as lines. A violated Content-Security-Policy is a console error. */
function watch(context: BrowserContext, expected: RegExp[]): string[] {
  const complaints: string[] = []
  context.on('console', (message) => {
    const text = `${message.text()} (${message.location().url})`
    const isBad = message.type() === 'error' || message.type() === 'warning'
    if (isBad && !expected.some((pattern) => pattern.test(text))) complaints.push(text)
  })
  context.on('weberror', (error) => complaints.push(String(error.error().stack)))
  context.on('request', (request: Request) => {
    if (!isOwn(request.url())) complaints.push(`request to a stranger: ${request.url()}`)
  })
  return complaints
}

function isOwn(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  if (protocol === 'data:' || protocol === 'about:' || protocol === 'blob:') return true
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname.endsWith('.test')
}

const SCREENSHOTS = process.env.SCREENSHOTS_DIR ?? join(tmpdir(), 'mintmark-screenshots')

/** One screen as different people see it. */
export const LOOKS = [
  { name: 'desktop', viewport: VIEWPORTS.desktop, colorScheme: 'light' },
  { name: 'phone', viewport: VIEWPORTS.phone, colorScheme: 'light' },
  { name: 'phone-dark', viewport: VIEWPORTS.phone, colorScheme: 'dark' },
] as const

/** Puts the screen that is shown in each of these looks; returns what is wrong with it in one of them. */
export async function lookAt({ page, shoot }: Visit, name: string, looks: readonly (typeof LOOKS)[number][] = LOOKS) {
  const problems: string[] = []
  for (const look of looks) {
    await page.setViewportSize(look.viewport)
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await shoot(`${name}-${look.name}`)
    problems.push(...(await accessibilityProblems(page)).map((problem) => `${look.name}: ${problem}`))
  }
  await page.setViewportSize(VIEWPORTS.desktop)
  return problems
}

/**
 * The whole page, by a taller window. A page with frames is shown as its window has it: a picture in a window that grows
 * and shrinks with one of another site leaves the browser, now and then, sending no press to the frame any more.
 */
async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  const height = await heightSettles(page)
  const size = page.viewportSize()
  const grows = size !== null && height > size.height && page.frames().length === 1
  if (grows) {
    await page.setViewportSize({ width: size.width, height })
    await heightSettles(page)
  }
  await page.screenshot({ path: join(SCREENSHOTS, `${name.replaceAll(/[^\w-]+/g, '-')}.png`), animations: 'disabled' })
  if (grows) await page.setViewportSize(size)
}

/** The height of a page whose frames have told it theirs. */
function heightSettles(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const frames = async (count: number) => {
      for (let seen = 0; seen < count; seen += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
      return document.documentElement.scrollHeight
    }
    for (let last = -1; ; ) {
      const height = await frames(document.querySelector('iframe') === null ? 2 : 10)
      if (height === last) return height
      last = height
    }
  })
}
