// Guarantee: what a verb has changed is shown and traced, also when what it was to change beside that is refused.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startTestService, TEST_ROOT_KEY, type TestService } from '../../test/service.ts'
import { readConfig } from '../config.ts'
import { createEndpoint } from '../webhooks/testing/endpoints.ts'
import { runCommandLine } from './command-line.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startTestService()
  folder = await mkdtemp(join(tmpdir(), 'mintmark-half-'))
  // What the service has sealed the verbs read, too.
  await writeFile(join(folder, 'root.key'), TEST_ROOT_KEY.reveal(), { mode: 0o600 })
})
afterAll(async () => {
  await service?.close()
  await rm(folder, { recursive: true })
})
afterEach(() => vi.restoreAllMocks())

/** What the verb writes as its answer and as its log, and how it ends. */
async function run(...words: string[]) {
  const written = (stream: NodeJS.WriteStream) => {
    const texts: string[] = []
    vi.spyOn(stream, 'write').mockImplementation((text) => texts.push(String(text)) > 0)
    return () => texts.join('')
  }
  const [log, answers] = [written(process.stderr), [] as string[]]
  vi.spyOn(console, 'log').mockImplementation((text) => void answers.push(String(text)))
  const env = { MINTMARK_HOME: folder, DATABASE_URL: service.database.url, ROOT_KEY_FILE: join(folder, 'root.key') }
  const failed = await runCommandLine(words, {
    loadConfig: async () => readConfig(env),
    runUntilStopped: () => Promise.reject(new Error('No role is run.')),
  }).catch((error: Error) => error)
  vi.restoreAllMocks()
  return { message: failed?.message, answers, log: log() }
}

const HOOKS = 'https://shop.example/hooks'

test('an account is suspended, and has five endpoints already', async () => {
  const merchant = await service.addMerchant()
  for (let count = 0; count < 5; count += 1) await createEndpoint(merchant)
  const { message, answers, log } = await run(
    'merchant',
    'update',
    merchant.merchantId,
    '--status',
    'suspended',
    '--webhook-url',
    HOOKS,
  )
  expect(message).toMatch(/^The webhook URL is as it was: .+ What else was named was changed\.$/)
  expect(answers.map((text) => JSON.parse(text))).toMatchObject([{ id: merchant.merchantId, status: 'suspended' }])
  expect(log).toContain(`"audit":"merchant_update","actor":"operator","row_id":"${merchant.merchantId}"`)
})

test('a URL alone that is refused is an error, and no change', async () => {
  const merchant = await service.addMerchant()
  for (let count = 0; count < 5; count += 1) await createEndpoint(merchant)
  const { message, answers, log } = await run('merchant', 'update', merchant.merchantId, '--webhook-url', HOOKS)
  expect(message).not.toContain('was changed')
  expect([answers, log]).toEqual([[], ''])
})

test('keys that are shown once are shown, whatever becomes of the URL', async () => {
  const { pool } = service
  await pool.query(
    "alter table webhook_endpoints add constraint none_more check (url <> 'https://shop.example/hooks') not valid",
  )
  onTestFinished(async () => void (await pool.query('alter table webhook_endpoints drop constraint none_more')))
  const { message, answers, log } = await run('merchant', 'create', '--name', 'Half', '--webhook-url', HOOKS)
  expect(message).toMatch(/^The webhook URL is as it was: .+ The account was made\.$/)
  const [made] = answers.map((text) => JSON.parse(text))
  expect(made.secret_key).toMatch(/^sk_test_/)
  expect(log).toContain(`"audit":"merchant_create","actor":"operator","row_id":"${made.merchant_id}"`)
})
