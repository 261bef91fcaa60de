// Guarantee: every verb answers in one spelling, which is that of the API, whatever the program calls things inside.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { approvedSession, createSession, newUser } from '../../test/flows.ts'
import { TEST_ROOT_KEY } from '../../test/service.ts'
import { approvedQuote, type Buying, startBuying } from '../checkout/purchases/testing/quoted.ts'
import { readConfig } from '../config.ts'
import { addAdminCommands } from './admin.ts'
import { answerText } from './answer.ts'
import { runCommandLine } from './command-line.ts'

let buying: Buying
let folder: string
beforeAll(async () => {
  buying = await startBuying()
  folder = await mkdtemp(join(tmpdir(), 'mintmark-answer-'))
  await writeFile(join(folder, 'root.key'), TEST_ROOT_KEY.reveal(), { mode: 0o600 })
})
afterAll(async () => {
  await buying?.service.close()
  await rm(folder, { recursive: true })
})
afterEach(() => vi.restoreAllMocks())

const ran = new Set<string>()

/** Runs a verb: the words of it, then what it is told. Its answer, read. */
async function answerOf(verb: string, ...words: string[]) {
  const answers: string[] = []
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  vi.spyOn(console, 'log').mockImplementation((text) => void answers.push(String(text)))
  const { url } = buying.service.database
  const env = { MINTMARK_HOME: folder, DATABASE_URL: url, ROOT_KEY_FILE: join(folder, 'root.key') }
  await runCommandLine([...verb.split(' '), ...words], {
    loadConfig: async () => readConfig(env),
    runUntilStopped: () => Promise.reject(new Error('No role is run.')),
  })
  vi.restoreAllMocks()
  ran.add(verb)
  const answer = JSON.parse(answers.join('\n'))
  expect({ verb, misspelt: namesIn(answer).filter((name) => !isSpelt(name)) }).toEqual({ verb, misspelt: [] })
  return answer
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(namesIn)]
}

/** A currency is no name of a field. */
const isSpelt = (name: string) => name === 'USD' || !/[A-Z]/.test(name)

/** What a verb lists, which has to be something: of nothing every spelling is right. */
async function listOf(verb: string, ...words: string[]) {
  const list = await answerOf(verb, ...words)
  expect({ verb, isEmpty: list.length === 0 }).toEqual({ verb, isEmpty: false })
  return list
}

const file = async (name: string, text: string) => {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

test('accounts, their keys and contacts', async () => {
  const { merchant_id } = await answerOf('merchant create', '--name', 'Spelt', '--origin', 'https://spelt.example')
  await answerOf('merchant update', merchant_id, '--webhook-url', 'https://spelt.example/hooks')
  await answerOf('merchant cards', merchant_id, '--country', 'US')
  const [merchant] = await listOf('merchant list')
  expect(merchant).toMatchObject({ allowed_origins: expect.any(Array), network_profile: 'simulator' })
  const { key_id } = await answerOf('key create', merchant_id, '--kind', 'secret')
  await answerOf('key revoke', key_id)
  await listOf('key list', merchant_id)
  const ann = ['--email', 'ann@spelt.example']
  await answerOf('merchant contacts add', merchant_id, ...ann)
  await buying.service.clock.advance(3600)
  await answerOf('merchant contacts resend', merchant_id, ...ann)
  await listOf('merchant contacts list', merchant_id)
  await answerOf('merchant contacts remove', merchant_id, ...ann)
})

test('shops, what is bought there, and what is sold', async () => {
  const { service, shop } = buying
  const words = ['--name', 'Bread', '--url', 'https://bread.example', '--country', 'US', '--adapter', 'native']
  const { id } = await answerOf('shop add', ...words, '--base-url', 'https://bread.example/api')
  await answerOf('shop update', id, '--name', 'Bread & Co.')
  await answerOf('shop disable', id)
  await listOf('shop list')
  shop.script('pay', 'needs_human')
  await approvedQuote(buying)
  await service.runJobs()
  const [{ merchant_id, transaction }] = await listOf('checkout list')
  await answerOf('checkout resolve', '--merchant', merchant_id, '--transaction', transaction, '--outcome', 'failed')
  await answerOf('bins import', await file('bins.csv', 'bin,country,issuer\n42000000,US,First Bank\n'))
  const catalog = { type: 'merchant', id: 'tea', name: 'Tea House', category: 'food', currency: 'USD' }
  const lines = await file('catalog.jsonl', JSON.stringify(catalog))
  await answerOf('store import', lines, '--merchant', merchant_id)
})

test('customers and their passkeys', async () => {
  const { merchant } = buying.service
  const [paid, gone] = [newUser(), newUser()]
  await approvedSession(merchant, undefined, { user_id: paid })
  await answerOf('passkey reset', merchant.merchantId, paid)
  const { session_id } = await createSession(merchant, { user_id: gone })
  await merchant.post(`/v1/sessions/${session_id}/revoke`)
  await answerOf('customer erase', merchant.merchantId, gone)
})

test('the ring of keys, the books, the events and the door', async () => {
  const { service } = buying
  await service.pool.query(
    `insert into captured_events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version,
       environment, data, occurred_at, parked)
     values ($1, 'evt_spelt', 'payment.failed', 'payment', 'txn_spelt', 1, '2026-11-21', 'sandbox', '{}', $2, 'duplicate')`,
    [service.merchant.merchantId, service.clock.now()],
  )
  await listOf('events parked')
  await answerOf('ledger verify')
  await answerOf('restored show')
  await answerOf('events restored')
  const { id } = await answerOf('keys add', 'local')
  await answerOf('keys list')
  await answerOf('keys rewrap')
  expect(id).toMatch(/^local:/)
  await answerOf('restored open', '--force')
})

/** They want a passkey whose counter went back, and a process that has proven to reach a new key. Their answers pass the same one place. */
const NOT_RUN = ['passkey unflag', 'keys rotate', 'keys retire']

test('no verb is left out', () => {
  const program = new Command()
  addAdminCommands(program, () => Promise.reject(new Error('Nothing is run.')))
  expect([...ran, ...NOT_RUN].toSorted()).toEqual(verbsOf(program).toSorted())
})

function verbsOf(command: Command, path: string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')]
  return command.commands.flatMap((verb) => verbsOf(verb, [...path, verb.name()]))
}

test('names alone are spelt anew', () => {
  const at = new Date(0)
  const value = { merchantId: 'aB', of: [{ keyId: 1n, at, balances: { USD: { inAll: null } } }], 'charges.aB': 1 }
  expect(JSON.parse(answerText(value))).toEqual({
    ...{ merchant_id: 'aB', of: [{ key_id: 1, at: at.toISOString(), balances: { USD: { in_all: null } } }] },
    'charges.aB': 1,
  })
})
