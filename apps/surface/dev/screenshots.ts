/**
 * A DEVELOPMENT TOOL: draws every scene of the built page in every look.
 * `node apps/surface/dev/screenshots.ts [directory] [part of a name]` after `npm run build`.
 */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { startMock } from './mock-server.ts'
import { LOOKS, openScene, SCENES } from './scenes.ts'

/** Eighty pages at once are more than a laptop can hold, and the browser ends. */
const AT_ONCE = 4

interface Camera {
  browser: Browser
  /** Opens a scene and draws what is there. */
  take<Picture>(name: string, look: BrowserContextOptions, draw: (page: Page) => Promise<Picture>): Promise<Picture>
}

/** A browser of its own, and the mock beside it. */
export async function withCamera(work: (camera: Camera) => Promise<void>): Promise<void> {
  const mock = await startMock()
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  try {
    await work({
      browser,
      async take(name, look, draw) {
        const context = await browser.newContext({ ...look, reducedMotion: 'reduce' })
        try {
          const page = await context.newPage()
          await openScene(page, mock.base, name)
          return await draw(page)
        } finally {
          await context.close()
        }
      },
    })
  } finally {
    await browser.close()
    mock.close()
  }
}

async function drawAll(directory: string, wanted: string): Promise<void> {
  mkdirSync(directory, { recursive: true })
  const names = Object.keys(SCENES).filter((name) => name.includes(wanted))
  const left = names.flatMap((name) => Object.entries(LOOKS).map(([size, look]) => ({ name, size, look })))
  await withCamera(async ({ take }) => {
    const takeOn = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const path = join(directory, `${next.name}.${next.size}.png`)
        await take(next.name, next.look, (page) => page.screenshot({ path, fullPage: true })).catch(
          (error: unknown) => {
            process.stderr.write(`${next.name} is not drawn: ${error}\n`)
            process.exitCode = 1
          },
        )
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, takeOn))
  })
  process.stdout.write(`The scenes are in ${directory}\n`)
}

if (process.argv[1] === import.meta.filename) {
  const [directory = join(tmpdir(), 'mintmark-surface'), wanted = ''] = process.argv.slice(2)
  if (directory.startsWith('-')) {
    // An option would name a folder, and a developer would commit it.
    process.stderr.write('Usage: node apps/surface/dev/screenshots.ts [directory] [part of a name]\n')
    process.exitCode = 1
  } else await drawAll(directory, wanted)
}
