/** A DEVELOPMENT TOOL: a first payment in the example's shop, as an animated WebP. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { addAuthenticator } from '../browser.ts'
import { SHOP } from './service.ts'
import { ready, typeCard } from './sheets.ts'
import { addTo, checkOut } from './shop.ts'

const SIZE = { width: 780, height: 780 }
/** Waits for the machine are cut to this. */
const LONGEST_MILLIS = 120

interface Frame {
  data: string
  seconds: number
  /** At least this long, because there is something to read. */
  hold: number
}

/**
 * Writes the recording: what the browser sends of its screen whenever that changes, put together by `img2webp` (Debian:
 * `webp`).
 */
export async function record(browser: Browser, target: string): Promise<void> {
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-US', timezoneId: 'America/New_York' })
  await context.addInitScript(takeASecond)
  const page = await context.newPage()
  await addAuthenticator(page)
  const client = await context.newCDPSession(page)
  const frames: Frame[] = []
  client.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    frames.push({ data, seconds: metadata.timestamp ?? 0, hold: 0 })
    void client.send('Page.screencastFrameAck', { sessionId })
  })
  try {
    await page.goto(SHOP)
    await page.getByRole('button', { name: 'Add Sencha' }).waitFor()
    await client.send('Page.startScreencast', { format: 'png', maxWidth: SIZE.width, maxHeight: SIZE.height })
    await payThere(page, (millis, goesOn) => holdLast(frames, millis, goesOn))
    await client.send('Page.stopScreencast')
  } finally {
    await context.close()
  }
  await write(frames, target)
}

async function payThere(page: Page, hold: (millis: number, goesOn?: boolean) => Promise<void>): Promise<void> {
  await hold(1200)
  await addTo(page, ['Sencha'])
  await hold(500)
  await addTo(page, ['Assam'])
  await hold(700)
  const surface = await checkOut(page)
  await hold(1200)
  await typeCard(surface, 60)
  await hold(900)
  await surface.locator('[type=submit]').click()
  await ready(surface)
  await hold(2200)
  await (await ready(surface)).click()
  await surface.getByRole('heading', { name: 'approved', level: 1 }).waitFor()
  await hold(2000, true)
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await hold(2600)
}

/** A person's finger takes a second, the browser's own authenticator none. Runs in the page. */
function takeASecond(): void {
  for (const act of ['create', 'get'] as const) {
    const atOnce = navigator.credentials[act].bind(navigator.credentials)
    navigator.credentials[act] = async (options: object) => {
      await new Promise((resolve) => setTimeout(resolve, act === 'create' ? 1200 : 300))
      return atOnce(options)
    }
  }
}

/** Waits until the screen stands still, or a moment where it goes on by itself. */
async function holdLast(frames: Frame[], millis: number, goesOn = false): Promise<void> {
  for (let [seen, looks] = [-1, 0]; seen !== frames.length && looks < 3; looks += 1) {
    seen = frames.length
    await new Promise((resolve) => setTimeout(resolve, goesOn ? 100 : 900))
  }
  const last = frames.at(-1)
  if (last !== undefined) last.hold = millis
}

async function write(frames: readonly Frame[], target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'))
  try {
    const words = ['-loop', '0', '-min_size', '-lossy', '-q', '60', '-m', '6']
    for (const [index, { data, seconds, hold }] of frames.entries()) {
      const file = join(folder, `${index}.png`)
      await writeFile(file, data, 'base64')
      const lasted = Math.round(((frames[index + 1]?.seconds ?? seconds) - seconds) * 1000)
      words.push('-d', String(Math.max(hold, Math.min(LONGEST_MILLIS, lasted), 20)), file)
    }
    await promisify(execFile)('img2webp', [...words, '-o', target])
  } finally {
    await rm(folder, { recursive: true })
  }
}
