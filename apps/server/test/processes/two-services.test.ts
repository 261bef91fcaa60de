// Guarantee: any number of services over one database are one service: what may happen once happens once, and what one is
// told the others know within a second.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSoftwareAuthenticator } from '../../src/passkeys/software-authenticator.ts'
import { AT_REST, expectNoStrays, readLedger } from '../crash/ledger.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { type Answer, sessionBody } from '../service.ts'
import {
  type Caller,
  callerOf,
  eventually,
  freePorts,
  note,
  type Program,
  readDevFile,
  runProgram,
  startProgram,
  temporaryHome,
} from './program.ts'

const POINTS = 200

let database: TestDatabase
let home: string
let env: Record<string, string>
let programs: Program[]
/** Two services, to be asked in turn. */
let nodes: [Program, Program]

beforeAll(async () => {
  database = await createTestDatabase()
  home = await temporaryHome()
  const ports = [await freePorts(), await freePorts()] as const
  const surfaceUrl = `http://localhost:${ports[0] + 2}`
  env = { DATABASE_URL: database.url, SURFACE_URL: surfaceUrl, RATE_LIMIT_MERCHANT: String(POINTS) }
  // Started together: they also race for the root key, the demo account and its file.
  nodes = [
    startProgram(['serve'], { home, port: ports[0], env }),
    startProgram(['serve'], { home, port: ports[1], env }),
  ]
  programs = [...nodes, startProgram(['worker'], { home, env })]
  await Promise.all(nodes.map((node) => node.ready()))
})

afterAll(async () => {
  await Promise.all((programs ?? []).map((program) => program.stop()))
  await database?.close()
})

async function admin(...words: string[]) {
  const { code, output } = await runProgram(words, { home, env: { ...env, LOG_LEVEL: 'silent' } })
  expect({ code, output }).toMatchObject({ code: 0 })
  return JSON.parse(output)
}

/** A merchant of its own, so that tests share no limit; called on both nodes. */
async function newMerchant(): Promise<[Caller, Caller]> {
  const { secret_key } = await admin('merchant', 'create', '--name', 'Shop')
  return [callerOf(nodes[0].apiUrl, secret_key), callerOf(nodes[1].apiUrl, secret_key)]
}

/** The cardholder's page, on either node. */
async function openPage(merchant: Caller) {
  const { body } = await merchant.post('/v1/sessions', sessionBody())
  const url = new URL(body.iframe_url)
  const [, , merchant_id, session_id] = url.pathname.split('/')
  const launch = { merchant_id, session_id, launch_secret: url.hash.slice(1) }
  const launched = await callerOf(nodes[0].surfaceUrl, '').post('/api/launch', launch)
  const pages = nodes.map((node) => callerOf(node.surfaceUrl, launched.body.session_token))
  const [page = pages[0]] = pages
  return { sessionId: String(session_id), page: page as Caller, pages }
}

/** Up to the approval, with a passkey of ours. */
async function openApproval(merchant: Caller) {
  const { sessionId, page, pages } = await openPage(merchant)
  const authenticator = createSoftwareAuthenticator({
    seed: createHash('sha256').update(sessionId).digest(),
    rpId: 'localhost',
    origin: String(env.SURFACE_URL),
  })
  const card = { card_number: '4242424242424242', expiry_month: '12', expiry_year: '2040', cvv: '123' }
  expect((await page.post('/api/cards', card)).status).toBe(200)
  const creation = await page.post('/api/passkeys/registration-options', { frame: { embedded: false } })
  const registered = await page.post('/api/passkeys/registrations', { response: authenticator.register(creation.body) })
  expect(registered.body.view.step).toBe('approval')
  const assertion = async () => {
    const { body } = await page.post('/api/approval-options', { frame: { embedded: false } })
    return authenticator.authenticate(body.options)
  }
  return { sessionId, pages, assertion }
}

/** All at the same time, half to each node. */
function approveAll(pages: Caller[], assertions: object[]): Promise<Answer[]> {
  return Promise.all(
    assertions.map(async (response, place) => {
      const page = pages[place % pages.length]
      if (page === undefined) throw new Error('There is no page.')
      return page.post('/api/approvals', { response })
    }),
  )
}

test.each([
  { name: 'one assertion sent 32 times', different: 1 },
  { name: '32 assertions of 32 challenges', different: 32 },
])('$name: one approval, one credential, one event', async ({ different }) => {
  const [merchant] = await newMerchant()
  const { sessionId, pages, assertion } = await openApproval(merchant)
  const signed = await Promise.all(Array.from({ length: different }, assertion))
  const assertions = Array.from({ length: 32 }, (_, place) => signed[place % different] as object)
  const answers = await approveAll(pages, assertions)
  const [winner, ...others] = answers.filter(({ status }) => status === 200)
  expect(others).toEqual([])
  expect(winner?.body.outcome).toBe('approved')
  const refusals = new Set(
    answers.filter((one) => one !== winner).map(({ status, body }) => `${status} ${body.error.code}`),
  )
  note(`${different} different assertions, refused with: ${[...refusals].join(', ')}`)
  // A busy machine may have no time for one of them, and says so; nothing else of the service's own is met.
  for (const { status } of answers) expect(status === 503 || status < 500, String(status)).toBe(true)
  expect(await readLedger(database.pool, sessionId)).toEqual(AT_REST.awaiting_result)
  await expectNoStrays(database.pool)
})

test('a revoked key is refused on both within a second', async () => {
  const { merchant_id } = await readDevFile(home)
  const { key_id, key } = await admin('key', 'create', merchant_id, '--kind', 'secret')
  const statusAt = ({ apiUrl }: Program) =>
    eventually(async () => {
      const { status } = await callerOf(apiUrl, key).get('/v1/sessions/sess_x/payment-result')
      // A busy machine may have no time for one of them, and says so: that is no answer about the key.
      return status === 503 ? undefined : status
    })
  const statuses = () => Promise.all(nodes.map(statusAt))
  expect(await statuses()).toEqual([404, 404])
  await admin('key', 'revoke', key_id)
  // The limit itself: a busy machine makes it longer, never shorter. The last accepted second is held in authentication.test.ts.
  await delay(1_000)
  expect(await statuses()).toEqual([401, 401])
})

test('the clock that one moves moves on the other too', async () => {
  const [merchant] = await newMerchant()
  const { pages } = await openPage(merchant)
  const { body } = await merchant.post('/v1/test_helpers/clock/advance', { seconds: 120 })
  for (const page of pages) {
    await eventually(async () => {
      const view = await page.get('/api/session')
      return view.body.now >= body.now ? true : undefined
    })
  }
})

test(`a limit of ${POINTS} is ${POINTS} over both together`, async () => {
  const merchants = await newMerchant()
  const answers: Answer[] = []
  const ask = async (merchant: Caller) => {
    for (let call = 0; call < POINTS / 4 + 10; call += 1) {
      answers.push(await merchant.get('/v1/sessions/sess_x/payment-result'))
    }
  }
  // Four callers on each: more than the limit on either node alone.
  await Promise.all(merchants.flatMap((merchant) => [merchant, merchant, merchant, merchant]).map(ask))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.length - refused.length).toBe(POINTS)
  expect(answers.filter(({ status }) => status === 404).length).toBe(POINTS)
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})

test('a node with a home of its own leaves the keys of the others alone', async () => {
  const settings = { ...env, ROOT_KEY_FILE: join(home, 'keys', 'root.key') }
  const third = startProgram(['serve'], { home: await temporaryHome(), port: await freePorts(), env: settings })
  programs.push(third)
  await third.ready()
  const keys = [await readDevFile(home), await readDevFile(third.home)].map((file) => file.secret_key)
  expect(new Set(keys).size).toBe(2)
  for (const key of keys) {
    for (const { apiUrl } of [...nodes, third]) {
      expect((await callerOf(apiUrl, key).get('/v1/sessions/sess_x/payment-result')).status).toBe(404)
    }
  }
})
