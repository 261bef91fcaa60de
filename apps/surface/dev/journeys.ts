/**
 * A DEVELOPMENT TOOL: whole journeys through the built page in a real browser, against the mock: typing, autofill, the
 * passkey ceremonies with a virtual authenticator, the embedded page and hostile neighbours.
 * `node apps/surface/dev/journeys.ts [part of a name]` after `npm run build`.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { launchBrowser, watchedPage } from './browser.ts'
import { FRAME_JOURNEYS } from './frame-journeys.ts'
import type { Journey } from './journey.ts'
import { createMockServer } from './mock-server.ts'
import { TAB_JOURNEYS } from './tab-journeys.ts'

const SIZE = { name: 'desktop', width: 1280, height: 1100 }

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

const servers = [createMockServer(), createMockServer()]
const [surface = '', shop = ''] = await Promise.all(servers.map(listen))
const browser = await launchBrowser()
let failures = 0

async function run([name, journey]: [string, Journey]): Promise<void> {
  const { context, page, complaints } = await watchedPage(browser, SIZE)
  page.setDefaultTimeout(10_000)
  try {
    await journey({ page, surface, shop })
  } catch (error) {
    complaints.push(String(error))
  } finally {
    await context.close()
  }
  if (complaints.length > 0) failures += 1
  process.stdout.write(
    `${complaints.length === 0 ? 'ok  ' : 'FAIL'} ${name}\n${complaints.map((c) => `     ${c}\n`).join('')}`,
  )
}

for (const journey of Object.entries({ ...TAB_JOURNEYS, ...FRAME_JOURNEYS })) {
  if (journey[0].includes(process.argv[2] ?? '')) await run(journey)
}
await browser.close()
for (const server of servers) {
  server.close()
  server.closeAllConnections()
}
process.exitCode = failures === 0 ? 0 : 1
