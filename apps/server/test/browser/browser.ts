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
// about (an error, a policy violation, a request to another host) fails the test that opened it.

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
const WHOLE = 'chromium'
/**
 * The same pages without the browser around them, for half the time of a processor. A press in another site's frame
 * gets lost there now and then.
 */
const BARE = 'chromium-headless-shell'
const HOW_TO_GET_IT =
  'Browser tests need Chromium: "apt-get install chromium", or set CHROMIUM_PATH to the program of one you have.'

/** Bounds, not expectations: the machine may be busy. A step ends first, so that it is the step that is reported. */
const STEP_WITHIN_MILLIS = 30_000
const TEST_WITHIN_MILLIS = 180_000
/** The first start of a browser reads it from the disk. */
const STARTED_WITHIN_MILLIS = 55_000

function findChromium(...programs: string[]): string | null {
  const directories = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  const found = programs.flatMap((program) => directories.map((directory) => join(directory, program)))
  // A path that was asked for is not replaced by another.
  const places = process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : found
  return places.find((place) => existsSync(place)) ?? null
}

interface TestBrowser {
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
  describeIn(findChromium(BARE, WHOLE), name, define)
}

/** The same for pages that press in a frame of another site. */
export function describeInFrames(name: string, define: (browser: TestBrowser) => void): void {
  describeIn(findChromium(WHOLE), name, define)
}

function describeIn(executablePath: string | null, name: string, define: (browser: TestBrowser) => void): void {
  const isMissing = executablePath === null
  if (isMissing) process.stderr.write(`${HOW_TO_GET_IT}\n`)
  describe.skipIf(isMissing && process.env.CI !== 'true')(name, { timeout: TEST_WITHIN_MILLIS }, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      if (executablePath === null) throw new Error(HOW_TO_GET_IT)
      browser = await chromium.launch({ executablePath, args: FLAGS, timeout: STARTED_WITHIN_MILLIS })
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
  if (options.before !== undefined) await context.addInitScript(options.before)
  const page = await context.newPage()
  try {
    const authenticator = await addAuthenticator(page)
    await work({
      context,
      page,
      authenticator,
      equip: async (tab) => addAuthenticator(tab, await authenticator.credentials()),
      shoot: async (name, of = page) => {
        if (SCREENSHOTS === undefined) await heightSettles(of)
        else await shoot(of, SCREENSHOTS, name)
      },
    })
  } catch (error) {
    await shoot(page, FAILURES, `failed-${expect.getState().currentTestName ?? 'test'}`).catch(() => {})
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

/** Pictures for people are taken where this says: each takes a third of a second. One of a failure is always taken. */
const SCREENSHOTS = process.env.SCREENSHOTS_DIR
const FAILURES = SCREENSHOTS ?? join(tmpdir(), 'mintmark-screenshots')

/** One screen as different people see it. */
export const LOOKS = [
  { name: 'desktop', viewport: VIEWPORTS.desktop, colorScheme: 'light' },
  { name: 'phone', viewport: VIEWPORTS.phone, colorScheme: 'light' },
  { name: 'phone-dark', viewport: VIEWPORTS.phone, colorScheme: 'dark' },
] as const

interface Look {
  name: string
  viewport: { width: number; height: number }
  colorScheme: 'light' | 'dark'
}

/** Puts the screen that is shown in each of these looks; returns what is wrong with it in one of them. */
export async function lookAt({ page, shoot }: Visit, name: string, looks: readonly Look[] = LOOKS) {
  const problems: string[] = []
  for (const look of looks) {
    await page.setViewportSize(look.viewport)
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await shoot(`${name}-${look.name}`)
    await page.evaluate(motionEnds)
    problems.push(...(await accessibilityProblems(page)).map((problem) => `${look.name}: ${problem}`))
  }
  await page.setViewportSize(VIEWPORTS.desktop)
  return problems
}

/** What is fading in has no contrast yet. What turns for ever is not waited for. Runs in the page. */
async function motionEnds(): Promise<void> {
  const ending = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
  await Promise.allSettled(ending.map(({ finished }) => finished))
}

/** The whole page, not only what is in view; by a taller window, because a frame is not stretched otherwise. */
async function shoot(page: Page, directory: string, name: string): Promise<void> {
  mkdirSync(directory, { recursive: true })
  const size = page.viewportSize()
  const height = await heightSettles(page)
  if (size !== null && height > size.height) await page.setViewportSize({ width: size.width, height })
  await heightSettles(page)
  await page.screenshot({ path: join(directory, `${name.replaceAll(/[^\w-]+/g, '-')}.png`), animations: 'disabled' })
  if (size !== null && height > size.height) await page.setViewportSize(size)
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
