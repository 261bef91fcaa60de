// Guarantee: whatever agents send to the routes that are for them, no card that there is (entered, minted, delegated, its CVV, what a payload says)
// is in an answer, an error, an event, a log, a metric, a mail, or in any form in the database. AGENT_LEAK_REQUESTS sets how many requests are
// sent (AGENT_LEAK_SEED repeats a run).
import { openPayload, signRequest } from '@mintmark/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACP } from '../src/checkout/adapters/testing/acp-answers.ts'
import { SHOP_KEY } from '../src/checkout/adapters/testing/requests.ts'
import { DELIVERY, SHOP, startTeeShop, TOTAL } from '../src/checkout/delegations/testing/delivered.ts'
import { credentialsOf } from '../src/http/credential.ts'
import type { Route } from '../src/http/route.ts'
import { notify, openIncident } from '../src/mail/testing/incidents.ts'
import { type MailServer, startMailServer } from '../src/mail/testing/mail-server.ts'
import { createMetricsRegistry } from '../src/platform/metrics-registry.ts'
import {
  askFor,
  type LinkedAgent,
  linkedAgent,
  mandateOf,
  newAgent,
  resultOf,
  TEA,
  type TestAgent,
  WIDE,
} from './agents.ts'
import { LeakScan, type Needle, needle } from './leak-scan.ts'
import { keepLog } from './logged.ts'
import { randomOf } from './random.ts'
import { answersBy } from './receivers/behaviours.ts'
import { PATIENT, startTestService, type TestService } from './service.ts'

const REQUESTS = Number(process.env.AGENT_LEAK_REQUESTS ?? 400)
const SEED = Number(process.env.AGENT_LEAK_SEED ?? Date.now() % 1_000_000_000)
const below = randomOf(SEED)
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T

/** Entered by owners. */
const CARD_NUMBER = '5105105105105100'
/** Written by an agent into its own texts, where it may stay; logs and metrics must not have it. */
const TYPED = '4012888888881881'
/** So many minted cards are looked for: all are alike. */
const MAX_CARDS = 24

const registry = createMetricsRegistry()
const { log, lines: logged } = keepLog('debug')
const answers: string[] = []
const secrets: Needle[] = [needle('entered number', CARD_NUMBER), needle('shop key', SHOP_KEY)]
const succeeded = new Set<string>()
let mails: MailServer
let service: TestService
let shop: Awaited<ReturnType<typeof startTeeShop>>
let agents: LinkedAgent[]
let strangers: TestAgent[]

beforeAll(async () => {
  mails = await startMailServer()
  const limits = {
    RATE_LIMIT_AGENT: '1000000',
    RATE_LIMIT_AGENT_LINK: '1000000',
    RATE_LIMIT_FAILED_AUTHENTICATION: '1000000',
  }
  service = await startTestService({
    log,
    metrics: registry.metrics,
    env: { ...PATIENT, ...limits, CHECKOUT_ALLOW_LOOPBACK: 'on', SMTP_URL: mails.url },
  })
  shop = await startTeeShop(service)
  agents = [await linkedAgent(service, { limits: WIDE }), await linkedAgent(service, { limits: WIDE })]
  const revoked = await linkedAgent(service)
  await service.app.agentOperations.revoke(revoked.agentId)
  strangers = [revoked, newAgent(service)]
})
afterAll(async () => {
  await shop?.close()
  await service?.close()
  await mails?.stop()
})

let cards = 0
/** What an agent may open, and no other reader may see. */
function plantPayloads(text: string, { privateKey }: TestAgent): void {
  for (const [found] of text.matchAll(/\{"ephemeral_public_key":[^}]*\}/g)) {
    if (cards >= MAX_CARDS) return
    const card = openPayload(JSON.parse(found), privateKey)
    cards += 1
    secrets.push(needle('minted number', card.token), needle('dynamic CVV', card.dynamicCvv))
    secrets.push(needle('plaintext', JSON.stringify(card)), needle('plaintext in part', `"token":"${card.token}"`))
  }
}

function plantDelegated(): void {
  for (const { path, body } of shop.shop.requests) {
    if (!path.endsWith('/delegate_payment')) continue
    const { number, cvc } = JSON.parse(body.toString()).payment_method
    secrets.push(needle('delegated number', number), needle('delegated CVV', cvc))
  }
}

async function keep(response: Response, by: TestAgent): Promise<number> {
  const text = await response.text()
  plantPayloads(text, by)
  // Lengths and counts: one of three digits is now and then that of a CVV, and no copy of it.
  const headers = [...response.headers].filter(([, value]) => !/^\d{1,4}$/.test(value))
  answers.push(text, JSON.stringify(headers))
  return response.status
}

/** A mandate, a charge and a purchase of an agent, with real ids for the paths. */
async function goodsOf(agent: LinkedAgent): Promise<Record<string, string>> {
  const asked = await askFor(agent)
  const sessionId: string = asked.body.session_id
  await service.merchant.post(`/v1/test_helpers/sessions/${sessionId}/complete`, { card_number: CARD_NUMBER })
  const mandateId = await mandateOf(service, agent, { total_amount: '5000.00', merchant_url: SHOP.url })
  const made = await agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '1.00', reference: 'first' })
  const result = await resultOf(agent, sessionId)
  for (const answer of [made, result]) plantPayloads(JSON.stringify(answer.body), agent)
  return {
    sessionId,
    mandateId,
    txnId: made.body.transactionId,
    linkId: 'lk_0',
    txnRefId: result.body.txn_ref_id ?? '',
  }
}

const ODD = [
  TYPED,
  `card ${TYPED}`,
  'x'.repeat(5_000),
  '',
  null,
  -1,
  1e300,
  true,
  [],
  { [TYPED]: TYPED },
  [[TYPED]],
  '\u0000',
  '../..',
]

function bodyFor({ operationId, example }: Route, goods: Record<string, string>): object {
  switch (operationId) {
    case 'createAgentSession':
      return oneOf([TEA, { ...TEA, mandate_setup: { recurring_frequency: 'monthly' } }])
    case 'chargeMandate':
      return oneOf<object>([
        { amount: '1.00' },
        { amount: '1.00', reference: oneOf(['first', 'second', TYPED]) },
        { amount: '100000.00', reference: 'above' },
        { amount: TOTAL, delivery: DELIVERY, reference: oneOf(['d1', 'd2']) },
        { amount: '2.00', delivery: DELIVERY },
      ])
    case 'reportAgentSession':
      return { txn_ref_id: goods.txnRefId, txn_status: 'APPROVED' }
    default:
      return (example?.body as object | undefined) ?? {}
  }
}

/** As it is, with one value that is odd, with a member that is none, cut, or no JSON at all. */
function textOf(body: object): string {
  const text = JSON.stringify(body)
  switch (below(6)) {
    case 0:
      return JSON.stringify({ ...body, [oneOf(Object.keys(body).concat('unknown'))]: oneOf(ODD) })
    case 1:
      return JSON.stringify({ ...body, [`field_${TYPED}`]: TYPED, card_number: TYPED })
    case 2:
      return oneOf([text.slice(0, -2), `"${TYPED}`, TYPED, `${text}${text}`, ''])
    default:
      return text
  }
}

function targetOf({ path }: Route, goods: Record<string, string>): string {
  const id = (name: string) =>
    below(8) === 0 ? encodeURIComponent(oneOf([TYPED, 'sess_0', '%', 'x y'])) : (goods[name] ?? 'lk_0')
  const query = oneOf(['', '', '', '?dry_run=true', `?customer_id=${TYPED}`, `?a=${TYPED}&a=1`, '?limit=2'])
  return path.replaceAll(/:(\w+)/g, (_, name: string) => id(name)) + query
}

/** Signed as it is sent, or not quite. */
async function send(row: Route, by: TestAgent, goods: Record<string, string>): Promise<void> {
  const text = row.body === undefined && below(5) > 0 ? undefined : textOf(bodyFor(row, goods))
  await sendSigned(row, by, { target: targetOf(row, goods), text }, (headers) => {
    if (below(10) === 0) headers[oneOf(Object.keys(headers))] = TYPED
    if (below(10) === 0) headers.authorization = `Bearer ${TYPED}`
  })
}

/** As an agent sends it that does nothing odd: chance alone would leave out some operation now and then. */
async function sendRight(row: Route, by: TestAgent, goods: Record<string, string>): Promise<void> {
  const target = row.path.replaceAll(/:(\w+)/g, (_, name: string) => goods[name] ?? '')
  await sendSigned(row, by, { target, text: row.body && JSON.stringify(RIGHT[row.operationId] ?? {}) })
}
const RIGHT: Record<string, object> = { createAgentSession: TEA, chargeMandate: { amount: '1.00' } }

async function sendSigned(
  { method, operationId }: Route,
  by: TestAgent,
  { target, text }: { target: string; text: string | undefined },
  spoil: (headers: Record<string, string>) => void = () => {},
): Promise<void> {
  const content = method === 'GET' || text === undefined ? {} : { body: text }
  const key = { privateKey: by.privateKey, ...(by.keyId === undefined ? {} : { keyId: by.keyId }) }
  const headers: Record<string, string> = signRequest({ method, url: service.apiUrl + target, ...content }, key)
  spoil(headers)
  const init = { method, headers: { ...headers, 'content-type': 'application/json' }, ...content }
  if ((await keep(await fetch(service.apiUrl + target, init), by)) < 300) succeeded.add(operationId)
}

const NAMES = /^(?:reporting_)?agent_signature$|^linking_signature$/
const agentRows = () =>
  service.app.apiRoutes.filter(({ auth }) => credentialsOf(auth).some(({ name }) => NAMES.test(name)))

/** Odd requests of agents to every route that is for them. */
async function askOddly(): Promise<void> {
  const rows = agentRows()
  expect(rows.length).toBeGreaterThan(12)
  const share = Math.ceil(REQUESTS / rows.length)
  for (const [index, row] of rows.entries()) {
    const agent = agents[index % 2] as LinkedAgent
    const goods = await goodsOf(agent)
    await sendRight(row, agent, goods)
    for (let count = 0; count < share; count += 1) {
      await send(row, below(8) === 0 ? oneOf([...agents, ...strangers]) : agent, goods)
    }
  }
  const reached = [
    'chargeMandate',
    'createAgentSession',
    'listAgentSessions',
    'getAgentPaymentResult',
    'getAgent',
    'listMandates',
    'getMandate',
  ]
  expect([...succeeded]).toEqual(expect.arrayContaining(reached))
}

/** A shop that quotes what it is sent, a mail of an incident, and the jobs over all of it. */
async function goOn(): Promise<void> {
  const agent = agents[0] as LinkedAgent
  const { mandateId = '' } = await goodsOf(agent)
  const charge = () => agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: TOTAL, delivery: DELIVERY })
  expect((await charge()).body.delivery).toMatchObject({ token: expect.any(String) })
  shop.shop.behave(
    answersBy(({ method, body }) => {
      if (method === 'GET') return { status: 200, body: JSON.stringify(ACP.session) }
      const [message, id] = [String(body), `vt_${body}`]
      return { status: 400, body: JSON.stringify({ type: 'invalid_request', code: 'invalid_card', message, id }) }
    }),
  )
  answers.push(JSON.stringify((await charge()).body))
  plantDelegated()
  await service.app.mail.addContact(service.merchant.merchantId, { email: 'carol@shop.example', role: 'developer' })
  await notify(service, await openIncident(service))
  await service.clock.advance(24 * 60 * 60)
  await service.runJobs()
}

describe(`nothing of a card is found (AGENT_LEAK_SEED=${SEED})`, () => {
  // What is not done is not searched.
  beforeAll(async () => {
    await askOddly()
    await goOn()
  }, 3_600_000)

  const scan = (...more: Needle[]) => new LeakScan([...secrets, ...more])
  const typed = needle('typed number', TYPED)
  const token = needle('token of a shop', 'vt_0123456789')

  test('of all kinds there is one to look for', () => {
    const kinds = new Set(secrets.map(({ name }) => name))
    const expected = [
      'entered number',
      'minted number',
      'dynamic CVV',
      'plaintext',
      'delegated number',
      'delegated CVV',
    ]
    expect([...kinds]).toEqual(expect.arrayContaining(expected))
  })

  test('in any answer', () => {
    const found = scan()
    for (const answer of answers) found.text('answer', answer)
    expect([...found.found]).toEqual([])
  })

  test('in the log, at its most talkative', () => {
    expect(logged.length).toBeGreaterThan(REQUESTS / 2)
    const found = scan(typed, token)
    for (const line of logged) found.text('log', line)
    expect([...found.found]).toEqual([])
  })

  test('in metrics and mails', async () => {
    const found = scan(typed, token)
    found.text('metrics', await registry.render())
    expect(mails.received.length).toBeGreaterThan(0)
    for (const { text } of mails.received) found.text('mail', text)
    expect([...found.found]).toEqual([])
  })

  test('in any column of any table, events among them', async () => {
    const found = scan(token)
    expect(await found.database(service.pool)).toBeGreaterThan(1_000)
    expect([...found.found]).toEqual([])
  })
})
