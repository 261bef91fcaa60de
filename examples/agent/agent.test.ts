// Guarantee: the example does what its page says, beside a service and its shop: it is linked, pays, is refused, asks,
// is allowed and reports; and it prints no card.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../apps/server/test/service.ts'
import { startShop } from '../sandbox-shop/server.ts'

const run = promisify(execFile)

let service: TestService
let shop: Awaited<ReturnType<typeof startShop>>
let home: string
beforeAll(async () => {
  service = await startTestService()
  home = await mkdtemp(join(tmpdir(), 'mintmark-agent-'))
  const key = Buffer.alloc(32, 7)
  const acquirer = { url: service.apiUrl, key: service.merchant.secretKey }
  shop = await startShop({ home: join(home, 'shop'), key: key.toString('base64url'), acquirer })
  await writeFile(join(home, 'shop.key'), key)
  const dev = { api_url: service.apiUrl, secret_key: service.merchant.secretKey }
  await writeFile(join(home, 'dev.json'), JSON.stringify(dev))
})
afterAll(async () => {
  await shop?.close()
  await service?.close()
  if (home) await rm(home, { recursive: true, force: true })
})

const example = (env: NodeJS.ProcessEnv) =>
  run(process.execPath, [join(import.meta.dirname, 'main.ts')], { env: { ...process.env, ...env } })

test('it buys what it may, asks for what it may not, and says so in order', { timeout: 60_000 }, async () => {
  const { stdout } = await example({ MINTMARK_HOME: home, SANDBOX_SHOP_URL: shop.url })
  const said = [
    ...['A new agent asks', '/links/lk_', 'Nobody is at the page', 'It is aa_', '60.00 USD a month'],
    ...['“Household may pay Sandbox Shop', 'Nobody is at the page', 'Approved: mdt_'],
    ...['A mug', '18.00 USD charged: txn_', 'The shop took the card', 'Reported.'],
    ...['A bowl', '42.00 USD refused: AGENT_LIMIT_EXCEEDED, the limit is "charge"', 'a test helper allows it'],
    ...['42.00 USD charged: txn_', 'The shop took the card', 'Reported.', 'What its owner allows'],
    ...['charge    30.00', 'day       100.00, used 60.00, left 40.00'],
  ]
  let at = 0
  for (const words of said) {
    expect(stdout.slice(at)).toContain(words)
    at = stdout.indexOf(words, at) + words.length
  }
  expect(stdout).not.toMatch(/\b\d{16}\b/)
})

test('without a sandbox it says what to start', async () => {
  const failed = await example({ MINTMARK_HOME: join(home, 'none') }).catch(
    (error: { code: number; stderr: string }) => error,
  )
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('Start it first: npm start') })
})
