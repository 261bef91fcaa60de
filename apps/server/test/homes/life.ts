import { expect } from 'vitest'
import { charge, chargeable, livingFor, reportCharge } from '../../src/charges/testing/standing.ts'
import {
  approvedQuote,
  type Buying,
  buyOnce,
  finish,
  quotedSession,
} from '../../src/checkout/purchases/testing/quoted.ts'
import { newOwner, standingMandate } from '../../src/mandates/testing/standing.ts'
import { createEndpoint } from '../../src/webhooks/testing/endpoints.ts'
import { askFor, askForLink, completeFor, decideFor, linkedAgent, mandateOf, newAgent } from '../agents.ts'
import { cardholder } from '../cardholder.ts'
import {
  approvedSession,
  CARDS,
  complete,
  createEnrollment,
  createSession,
  enroll,
  newUser,
  paymentResult,
  report,
  revoke,
  vaultRecord,
  waitingSession,
} from '../flows.ts'
import { NARROW } from '../owner-examples.ts'
import { call, jsonRequest, type TestMerchant } from '../service.ts'
import { goodsOf } from '../wallet-examples.ts'
import { privateKeyOf, type Question } from './questions.ts'

const HOUR = 60 * 60
const SETUP = { mandate_setup: { recurring_frequency: 'monthly' } }
const CARD = { expiry_month: '12', expiry_year: '2040', cvv: '123' }

/** Lives so that there is a row of every kind in every state that lasts; returns what can be asked about it. */
export async function live(buying: Buying): Promise<Question[]> {
  const { service } = buying
  const { merchant } = service
  const paths = [
    ...(await whatIsLongOver(buying)),
    ...(await whatTimeEnds(buying)),
    ...(await purchases(buying)),
    ...(await enrollments(buying)),
    ...(await permissions(buying)),
    ...(await setUps(buying)),
    ...(await payments(buying)),
    ...(await stoppedPurchases(buying)),
    ...(await purchasesUnderWay(buying)),
    ...(await endpoints(buying)),
    ...['/v1/mandates?limit=100', '/v1/mandates?limit=100&standing_only=true', '/v1/events?limit=100'],
  ]
  const agents = await agentsAsk(buying)
  return [
    ...paths.map((path) => ({ by: { secretKey: merchant.secretKey }, path })),
    ...agents,
    ...(await walletsHold(buying)),
  ]
}

const results = (ids: readonly string[]) => ids.map((id) => `/v1/sessions/${id}/payment-result`)

/** Its session went with its time; what it was paid by is in the books. */
async function whatIsLongOver({ service }: Buying): Promise<string[]> {
  const { merchant } = service
  const user_id = newUser()
  const { id, approved } = await waitingSession(merchant, CARDS.success, { user_id })
  expect((await report(merchant, id, approved)).status).toBe(200)
  await service.clock.advance(541 * 24 * HOUR)
  await service.runJobs()
  expect((await paymentResult(merchant, id)).status).toBe(404)
  return ofMandates(await mandatesOf(merchant, user_id), `/v1/mandates?customer_id=${user_id}`)
}

async function mandatesOf(merchant: TestMerchant, user: string): Promise<string[]> {
  const { body } = await merchant.get(`/v1/mandates?customer_id=${user}`)
  return body.mandates.map(({ id }: Record<string, string>) => id)
}
const ofMandates = (ids: readonly string[], ...lists: string[]) => [...lists, ...ids.map((id) => `/v1/mandates/${id}`)]

/** The mandates of purchases that their customer has stopped, or that ended with their card or their time. */
async function stoppedPurchases({ service }: Buying): Promise<string[]> {
  const { merchant } = service
  const user_id = newUser()
  const made = []
  for (let count = 0; count < 4; count += 1) made.push(await waitingSession(merchant, CARDS.success, { user_id }))
  const [cancelled, cancelledAndPaid, paused, pausedAndPaid] = await mandatesOf(merchant, user_id)
  for (const id of [paused, pausedAndPaid]) await merchant.post(`/v1/mandates/${id}/pause`)
  for (const id of [cancelled, cancelledAndPaid]) await merchant.post(`/v1/mandates/${id}/cancel`)
  // The newest is listed first.
  for (const { id, approved } of made.filter((_, at) => at % 2 === 0)) {
    expect((await report(merchant, id, approved)).status).toBe(200)
  }
  const other = newUser()
  for (let count = 0; count < 2; count += 1) await waitingSession(merchant, CARDS.success, { user_id: other })
  await merchant.post(`/v1/mandates/${(await mandatesOf(merchant, other))[0]}/pause`)
  const { body } = await merchant.get(`/v1/listCards?customer_id=${other}`)
  const deleted = { customer_id: other, card_id: body.cards[0].card_id }
  expect(await merchant.post('/v1/deleteCard', deleted)).toMatchObject({ status: 200 })
  return [
    ...ofMandates(await mandatesOf(merchant, user_id), `/v1/mandates?customer_id=${user_id}&limit=3`),
    ...ofMandates(await mandatesOf(merchant, other), `/v1/mandates?customer_id=${other}&standing_only=true`),
  ]
}

async function whatTimeEnds({ service }: Buying): Promise<string[]> {
  const { merchant } = service
  const abandoned = await createSession(merchant)
  const setup = await createSession(merchant, SETUP)
  const enrollment = await createEnrollment(merchant)
  const { id: lapsed } = await approvedSession(merchant)
  const owner = await newOwner(service)
  const mandate = await chargeable(service, owner, { approvedMinor: 100_000n })
  expect(await charge(merchant, mandate, livingFor(1))).toMatchObject({ status: 200 })
  await service.clock.advance(25 * HOUR)
  await service.runJobs()
  return [
    ...results([abandoned.session_id, setup.session_id, lapsed]),
    `/v1/sessions/${enrollment.session_id}/status`,
    `/v1/mandates/${mandate}`,
  ]
}

async function payments({ service }: Buying): Promise<string[]> {
  const { merchant, surfaceUrl } = service
  const known = newUser()
  const created = await createSession(merchant)
  const entered = await createSession(merchant)
  const coded = await createSession(merchant)
  for (const [{ session_token }, card_number] of [
    [entered, CARDS.success],
    [coded, CARDS.stepUp],
  ] as const) {
    const body = { card_number, ...CARD, once: false }
    const answer = await call(`${surfaceUrl}/api/cards`, jsonRequest(`Bearer ${session_token}`, body))
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  }
  const waiting = await waitingSession(merchant, CARDS.success, { user_id: known })
  const paid = await waitingSession(merchant, CARDS.success, { user_id: known })
  const declined = await waitingSession(merchant)
  expect((await report(merchant, paid.id, paid.approved)).status).toBe(200)
  expect((await report(merchant, declined.id, declined.declined)).status).toBe(200)
  const refused = await createSession(merchant)
  await complete(merchant, refused.session_id, { card_number: CARDS.mintDeclined })
  const silent = await createSession(merchant)
  await complete(merchant, silent.session_id, { card_number: CARDS.mintRequestLost })
  const revoked = await createSession(merchant)
  expect((await revoke(merchant, revoked.session_id)).status).toBe(200)
  const sessions = [created, entered, coded, refused, silent, revoked].map(({ session_id }) => session_id)
  return [
    ...results([...sessions, waiting.id, paid.id, declined.id]),
    `/v1/mandates?customer_id=${known}`,
    `/v1/listCards?customer_id=${known}`,
  ]
}

async function purchases(buying: Buying): Promise<string[]> {
  const bought = await approvedQuote(buying)
  await finish(buying, bought.id)
  buying.shop.script('pay', 'out_of_stock', 'ok')
  const soldOut = await approvedQuote(buying)
  await finish(buying, soldOut.id)
  buying.shop.script('prepare', 'out_of_stock', 'ok')
  const unprepared = await approvedQuote(buying)
  await finish(buying, unprepared.id)
  return questionsOf([bought, soldOut, unprepared])
}

async function purchasesUnderWay(buying: Buying): Promise<string[]> {
  buying.shop.script('pay', 'needs_human')
  const asking = await approvedQuote(buying)
  await buyOnce(buying)
  return questionsOf([asking, await quotedSession(buying), await approvedQuote(buying)])
}

const questionsOf = (bought: readonly { id: string; quoteId: string }[]) => [
  ...results(bought.map(({ id }) => id)),
  ...bought.map(({ quoteId }) => `/v1/quotes/${quoteId}`),
]

async function permissions({ service }: Buying): Promise<string[]> {
  const { merchant } = service
  const asked = await createSession(merchant, SETUP)
  const given = await createSession(merchant, SETUP)
  expect((await complete(merchant, given.session_id)).status).toBe(200)
  const owner = await newOwner(service)
  const charged = await chargeable(service, owner, { approvedMinor: 1_000_000n })
  const references = ['completed', 'declined', 'waiting'] as const
  const made = []
  for (const reference of references) made.push(await charge(merchant, charged, { reference }))
  const [completed, declined] = made.map(({ body }) => body.transactionId)
  expect((await reportCharge(merchant, charged, completed)).status).toBe(200)
  expect((await reportCharge(merchant, charged, declined, 'DECLINED')).status).toBe(200)
  const refusing = await chargeable(service, await newOwner(service, merchant, CARDS.success), { approvedMinor: 100n })
  await charge(merchant, refusing)
  const [paused, cancelled] = [await chargeable(service, owner), await chargeable(service, owner)]
  expect((await merchant.post(`/v1/mandates/${paused}/pause`)).status).toBe(200)
  expect((await merchant.post(`/v1/mandates/${cancelled}/cancel`)).status).toBe(200)
  const ended = [
    await standingMandate(service, owner, { status: 'expired' }),
    await standingMandate(service, owner, { status: 'consumed', frequency: 'one_time' }),
  ]
  const { body: listed } = await merchant.get('/v1/mandates?limit=100')
  const setUps = listed.mandates.map(({ id }: Record<string, string>) => id)
  return [
    ...results([asked.session_id, given.session_id]),
    ...[...new Set([charged, refusing, paused, cancelled, ...ended, ...setUps])].map((id) => `/v1/mandates/${id}`),
    `/v1/mandates?customer_id=${owner.userId}&limit=2`,
  ]
}

type Created = { session_id: string; session_token: string }

/** What its cardholder does in a session: enters a card, and gives up. */
async function enter({ service }: Buying, { session_token }: Created, card_number: string): Promise<void> {
  const answer = await cardholder(service, session_token).post('/api/cards', { card_number, ...CARD, once: false })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
async function giveUp({ service }: Buying, { session_token }: Created): Promise<void> {
  expect((await cardholder(service, session_token).post('/api/cancel')).status).toBe(200)
}

/** Permissions that are being set up, or came to nothing, in every way that lasts. */
async function setUps(buying: Buying): Promise<string[]> {
  const { merchant } = buying.service
  const user_id = newUser()
  const made: Created[] = []
  for (let count = 0; count < 7; count += 1) made.push(await createSession(merchant, { ...SETUP, user_id }))
  const [, entered, coded, revoked, cancelled, refused, active] = made as [
    ...[Created, Created, Created, Created, Created, Created, Created],
  ]
  await enter(buying, entered, CARDS.success)
  await enter(buying, coded, CARDS.stepUp)
  expect((await revoke(merchant, revoked.session_id)).status).toBe(200)
  await giveUp(buying, cancelled)
  await complete(merchant, refused.session_id, { card_number: CARDS.instructionRefused })
  expect((await complete(merchant, active.session_id)).status).toBe(200)
  await buying.service.runJobs()
  return [
    ...results(made.map(({ session_id }) => session_id)),
    ...ofMandates(await mandatesOf(merchant, user_id), `/v1/mandates?customer_id=${user_id}`),
    `/v1/listCards?customer_id=${user_id}`,
  ]
}

/** Enrollments in each of their states, but for those that time or a passkey ends. */
async function stoppedEnrollments(buying: Buying): Promise<string[]> {
  const { merchant } = buying.service
  const [entered, coded] = [await createEnrollment(merchant), await createEnrollment(merchant)]
  await enter(buying, entered, CARDS.success)
  await enter(buying, coded, CARDS.stepUp)
  const [revoked, cancelled] = [await createEnrollment(merchant), await createEnrollment(merchant)]
  expect((await revoke(merchant, revoked.session_id)).status).toBe(200)
  await enter(buying, cancelled, CARDS.success)
  await giveUp(buying, cancelled)
  const [refused, tried] = [await createEnrollment(merchant), await createEnrollment(merchant)]
  await complete(merchant, refused.session_id, { card_number: CARDS.binCountryRefused })
  await complete(merchant, tried.session_id, { card_number: CARDS.refused })
  return [entered, coded, revoked, cancelled, refused, tried].map(
    ({ session_id }) => `/v1/sessions/${session_id}/status`,
  )
}

async function enrollments(buying: Buying): Promise<string[]> {
  const { service } = buying
  const { merchant } = service
  const user = newUser()
  const open = await createEnrollment(merchant)
  const done = await createEnrollment(merchant, { user_id: user })
  expect((await complete(merchant, done.session_id)).status).toBe(200)
  const vault_ref_id = await vaultRecord(merchant)
  await enroll(merchant, { user_id: user, enrollment_mode: 'full_enrollment', vault_ref_id })
  const holder = newUser()
  const { id } = await approvedSession(merchant, CARDS.success, { user_id: holder })
  const { body: cards } = await merchant.get(`/v1/listCards?customer_id=${holder}`)
  const deleted = { customer_id: holder, card_id: cards.cards[0].card_id }
  expect(await merchant.post('/v1/deleteCard', deleted)).toMatchObject({ status: 200 })
  const stopped = await stoppedEnrollments(buying)
  await service.runJobs()
  return [
    ...[open, done].map(({ session_id }) => `/v1/sessions/${session_id}/status`),
    ...stopped,
    ...[user, holder].map((name) => `/v1/listCards?customer_id=${name}`),
    ...results([id]),
  ]
}

async function endpoints({ service }: Buying): Promise<string[]> {
  const { path } = await createEndpoint(service.merchant)
  return ['/v1/webhook-endpoints', path, `${path}/deliveries`]
}

async function agentsAsk({ service }: Buying): Promise<Question[]> {
  await askForLink(newAgent(service))
  const agent = await linkedAgent(service, { owner: 'asked', limits: NARROW })
  const by = { agentId: agent.agentId, privateKey: privateKeyOf(agent.privateKey) }
  const mandate = await mandateOf(service, agent)
  const chargeOf = (reference: string, amount: string) =>
    agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount, reference })
  expect(await chargeOf('within', '5.00')).toMatchObject({ status: 200 })
  for (const [reference, decision] of [['denied', 'deny'], ['allowed', 'allow'], ['waiting']] as const) {
    const { body } = await chargeOf(reference, '30.00')
    if (decision !== undefined) {
      expect(await decideFor(service, body.escalation.id, decision)).toMatchObject({ status: 200 })
    }
  }
  const sessions = [await askFor(agent, { total_amount: '10.00' }), await askFor(agent, { total_amount: '10.00' })]
  const setup = await askFor(agent, { total_amount: '10.00', ...SETUP })
  expect(setup).toMatchObject({ body: { session_id: expect.any(String) } })
  const [paid, open] = sessions.map(({ body }) => body.session_id)
  await completeFor(service, paid)
  return [
    '/v1/agents/me',
    '/v1/mandates',
    '/v1/mandates?limit=1',
    '/v1/mandates?standing_only=true',
    `/v1/mandates/${mandate}`,
    ...[paid, open, setup.body.session_id].map((id) => `/v1/sessions/agent/${id}/payment-result`),
  ].map((path) => ({ by, path }))
}

async function walletsHold({ service }: Buying): Promise<Question[]> {
  const { merchant } = service
  const { shopper, store, productId, cartId, orderId } = await goodsOf(service, merchant)
  const paths = ['', '/wallets', `/wallets/${shopper.walletId}`, '/carts', '/orders', `/orders/${orderId}`]
  return [
    ...paths.map((path) => shopper.path + path),
    `${shopper.path}/carts/${cartId}`,
    `/v1/merchants/${store.storeId}/products/food`,
    `/v1/merchants/products/${productId}`,
  ].map((path) => ({ by: { walletKey: merchant.wallet.key }, path }))
}
