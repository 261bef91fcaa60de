// Guarantee: the shop of a sandbox is started again ever more slowly, is left alone when the service stops, and is
// nowhere in production.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Config, readConfig } from '../config.ts'
import { createLog, type LogFields } from '../platform/log.ts'
import { findSandboxShop, superviseShop } from './sandbox-shop.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mintmark-shop-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const configOf = (env: Record<string, string> = {}): Config => readConfig({ MINTMARK_HOME: home, ...env })

async function supervised(text: string | null) {
  const program = join(home, 'program.mjs')
  if (text !== null) await writeFile(program, text)
  const config = configOf({ LOG_LEVEL: 'silent' })
  const shop = await findSandboxShop(config)
  if (shop === null) throw new Error('There is no shop.')
  const warnings: (LogFields & { message: string })[] = []
  const warn = (message: string, fields: LogFields = {}) => void warnings.push({ message, ...fields })
  const log = { ...createLog({ level: 'silent' }), warn }
  return { warnings, ...superviseShop({ shop, config, acquirerKey: 'sk_test_1', log, program }) }
}

test('a shop that does not stay is started after a quarter of a second, half a second, a second', async () => {
  const { start, stop, warnings } = await supervised('process.exit(3)')
  start()
  await vi.waitFor(() => expect(warnings).toHaveLength(3), 15_000)
  expect(warnings.map(({ cause, duration_ms }) => [cause, duration_ms])).toEqual([
    ['3', 250],
    ['3', 500],
    ['3', 1000],
  ])
  await stop()
  const { length } = warnings
  await delay(1_200)
  expect(warnings).toHaveLength(length)
})

test('a stop before, and while it starts, leaves nothing behind', async () => {
  const early = await supervised('process.on("disconnect", () => process.exit(0))')
  await early.stop()
  early.start()
  const quick = await supervised('process.on("disconnect", () => process.exit(0))')
  quick.start()
  await quick.stop()
  expect([...early.warnings, ...quick.warnings]).toEqual([])
})

test('a shop whose key opens nothing at its acquirer is said in the log, with what mends it', async () => {
  const { start, stop, warnings } = await supervised(
    'process.on("disconnect", () => process.exit(0)); process.send({ problem: "key_refused" })',
  )
  start()
  await vi.waitFor(() => expect(warnings).toHaveLength(1), 15_000)
  await stop()
  expect(warnings[0]?.message).toMatch(
    /^nothing can be paid at the sandbox shop: .+ dev\.json.+ was revoked\. Start the service again/,
  )
})

const STAYS = 'process.on("disconnect", () => process.exit(0))'

test.each([
  ['says that it is open', `${STAYS}; process.send({ url: "http://127.0.0.1:1" })`],
  ['ends instead', 'process.exit(3)'],
  ['is not installed', null],
])('who waits for its opening goes on when it %s', async (_case, text) => {
  const { start, stop, opened } = await supervised(text)
  start()
  await opened()
  await stop()
})

test('who waits for its opening waits while it says nothing, and no longer when it is stopped', async () => {
  const { start, stop, opened } = await supervised(STAYS)
  start()
  const waiting = opened().then(() => 'opened')
  expect(await Promise.race([waiting, delay(300, 'waiting')])).toBe('waiting')
  await stop()
  expect(await waiting).toBe('opened')
})

test('an installation without the shop says so, and goes on', async () => {
  const { start, stop, warnings } = await supervised(null)
  start()
  await stop()
  expect(warnings.map(({ message }) => message)).toEqual([
    'the sandbox shop is not installed, so nothing can be bought in this sandbox',
  ])
})

test('its key is made once, for its owner alone, and its port follows the main API', async () => {
  const [first, second] = [await findSandboxShop(configOf()), await findSandboxShop(configOf({ PORT: '5000' }))]
  expect(second?.key.reveal()).toBe(first?.key.reveal())
  expect([first?.baseUrl, second?.baseUrl]).toEqual(['http://127.0.0.1:4005', 'http://127.0.0.1:5005'])
  expect((await stat(join(home, 'shop.key'))).mode & 0o777).toBe(0o600)
})

test('switched off, and in production, there is none', async () => {
  expect(await findSandboxShop(configOf({ SANDBOX_SHOP: 'off' }))).toBeNull()
  expect(await findSandboxShop({ ...configOf(), environment: 'production' })).toBeNull()
  await expect(stat(join(home, 'shop.key'))).rejects.toThrow('ENOENT')
})
