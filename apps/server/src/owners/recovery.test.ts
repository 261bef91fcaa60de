// Guarantee: an owner who has lost all passkeys makes another one by their address, an active card of theirs with the
// network's code, and a day in which every device and address of theirs is told and stops it; nothing less leads there,
// and for a week after it no agent is allowed more.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askFor, askForLink, newAgent } from '../../test/agents.ts'
import { cardholder, launch } from '../../test/cardholder.ts'
import { atOnce, countBy, expectError, expectInvalid } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { cookieOf, fromPage, newAddress, newOwner, provenVisit, signIn, visitCode } from '../../test/owners.ts'
import {
  begunRecovery,
  newPasskey,
  ownerWithCard,
  recoveryCall,
  standingOf,
  WAIT_SECONDS,
  waitingRecovery,
} from '../../test/recovery.ts'
import { call, jsonRequest, startTestService, type TestService } from '../../test/service.ts'
import { bodiesOf, headerOf, type MailServer, startMailServer } from '../mail/testing/mail-server.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'

const DAY = 24 * 60 * 60

let server: MailServer
let service: TestService
let node: TestService
beforeAll(async () => {
  server = await startMailServer()
  const env = { SMTP_URL: server.url }
  service = await startTestService({ env })
  node = await startTestService({ env, database: service.database })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
  await server?.stop()
})
beforeEach(async () => {
  server.received.length = 0
  // A test before this one may have moved the clock, of which the other node hears within a second.
  await node.clock.refresh()
})

const step = (name: string, body: object, on = service) => recoveryCall(on, name, body)
const linkIn = (text: string) => /\/stop-recovery#(\S+)/.exec(text)?.[1] ?? ''

async function mailsTo(address: string) {
  await service.runJobs()
  return server.received
    .filter(({ to }) => to.includes(address))
    .map((mail) => ({ subject: headerOf(mail, 'Subject'), text: bodiesOf(mail).plain }))
}

test('address, card, a day, a new passkey: the lost ones end, agents stay, and each approval says so for 30 days', async () => {
  const { address, agent, owner, mandate } = await ownerWithCard(service)
  const { recovery, cards } = await begunRecovery(service, address)
  expect(cards).toEqual([{ card_id: expect.stringMatching(/^card_/), brand: 'visa', last4: '4242' }])
  expect(await standingOf(service, recovery)).toMatchObject({ status: 'card', cards, due_at: null })
  expectError(await step('code', { recovery, code: STEP_UP_CODE }), 400, 'INVALID_STATE')
  const card_id = cards[0].card_id
  expectInvalid(await step('card', { recovery, card_id, cvv: '12' }), 'cvv')
  expectError(await step('card', { recovery, card_id, cvv: '000' }), 400, 'CARD_REFUSED')
  expect((await step('card', { recovery, card_id, cvv: '123' })).status).toBe(200)
  expect(await standingOf(service, recovery)).toMatchObject({ status: 'code' })
  expectError(await step('code', { recovery, code: '999999' }), 400, 'STEP_UP_INVALID')
  expect((await owner.get('/api/recoveries')).body).toEqual({ waiting: null, made_at: null, frozen_until: null })
  expect((await step('code', { recovery, code: STEP_UP_CODE })).status).toBe(200)
  const waiting = await standingOf(service, recovery)
  expect(waiting).toMatchObject({ status: 'waiting', cards: [] })
  expect(Date.parse(waiting.due_at) - Date.parse(waiting.now)).toBeLessThanOrEqual(DAY * 1000)
  const told = (await owner.get('/api/recoveries')).body
  expect(told.waiting).toMatchObject({ recovery_id: expect.stringMatching(/^rcv_/), due_at: waiting.due_at })
  expectError(await step('options', { recovery }), 400, 'INVALID_STATE')

  await service.clock.advance(WAIT_SECONDS + 1)
  expect(await standingOf(service, recovery)).toMatchObject({ status: 'ready' })
  const { authenticator, atSurface, send } = await newPasskey(service, recovery)
  const made = await send()
  expect(made.status).toBe(200)
  expect(cookieOf(made)).toMatch(/^mintmark_owner=/)
  expect(await standingOf(service, recovery)).toMatchObject({ status: 'made' })
  expectError(await owner.get('/api/session'), 401, 'AUTH_1002')
  await expect(signIn(service, owner.authenticator)).rejects.toThrow()
  const subjects = (await mailsTo(address)).map(({ subject }) => subject)
  expect(subjects).toEqual(expect.arrayContaining(['A new passkey was asked for', 'A new passkey was made']))

  const again = await signIn(service, authenticator)
  expect((await again.get('/api/passkeys')).body.passkeys).toHaveLength(1)
  const { waiting: none, made_at, frozen_until } = (await again.get('/api/recoveries')).body
  expect(none).toBeNull()
  expect(Date.parse(frozen_until) - Date.parse(made_at)).toBe(7 * DAY * 1000)
  // Agents are as they were, and the card pays what was allowed before.
  expect((await again.get('/api/home')).body.agents).toMatchObject([{ status: 'active' }])
  const charged = await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '5.00', reference: 'after' })
  expect(charged.body).toMatchObject({ status: 'awaiting_result' })
  // On the page of cardholders as well, where they approve what the agent asks for; the card needs no other proof.
  const asked = await askFor(agent, { total_amount: '5.00' })
  const { session_token: token } = (await launch(service, asked.body.payment_url)).body
  const page = cardholder(service, token, atSurface)
  expect((await page.get('/api/session')).body).toMatchObject({ passkey_made_at: made_at })
  await page.post('/api/cards/select', { card_id })
  expect((await page.approve()).body).toMatchObject({ outcome: 'approved' })
  await service.clock.advance(29 * DAY)
  const late = await signIn(service, authenticator)
  expect((await late.get('/api/recoveries')).body).toMatchObject({ made_at, frozen_until: null })
  await service.clock.advance(DAY)
  expect((await late.get('/api/recoveries')).body).toEqual({ waiting: null, made_at: null, frozen_until: null })
})

describe('what leads nowhere', () => {
  test('an address of no owner, an owner without a card, and a visit that has proven nothing', async () => {
    const stranger = await provenVisit(service)
    expectError(await fromPage(service, '/api/recovery', { visit: stranger }), 400, 'INVALID_STATE')
    const unproven = (await fromPage(service, '/api/sign-up', { email: newAddress() })).body.visit
    expectError(await fromPage(service, '/api/recovery', { visit: unproven }), 400, 'INVALID_STATE')
    const address = newAddress()
    await newOwner(service, 'Ann', address)
    const visit = await provenVisit(service, address)
    const begun = await fromPage(service, '/api/recovery', { visit })
    expect(begun).toMatchObject({ status: 200, body: { recovery: null, cards: [] } })
  })

  test('whether an address is known is told by no answer before its code', async () => {
    const { address } = await ownerWithCard(service)
    const asks = [address, newAddress()].map((email) => fromPage(service, '/api/sign-up', { email }))
    const [known, unknown] = await Promise.all(asks)
    expect([known?.status, Object.keys(known?.body)]).toEqual([unknown?.status, Object.keys(unknown?.body)])
    const wrong = async (email: string, visit: string) => {
      const code = await visitCode(service, email)
      return fromPage(service, '/api/sign-up/confirm', { visit, code: code === '000000' ? '000001' : '000000' })
    }
    const one = await wrong(address, known?.body.visit)
    expectError(one, 400, 'STEP_UP_INVALID')
    const begun = await fromPage(service, '/api/recovery', { visit: known?.body.visit })
    const other = await fromPage(service, '/api/recovery', { visit: unknown?.body.visit })
    expect(begun.body.error.message).toBe(other.body.error.message)
  })

  test('a card of another owner, one that a stranger entered at a link of the agent, and one that has ended', async () => {
    const { address, agent, customerId } = await ownerWithCard(service)
    const other = await ownerWithCard(service)
    const theirs = (await begunRecovery(service, other.address)).cards[0].card_id
    // Whoever has the link of a purchase enters a card of their own, which belongs to no passkey.
    const asked = await askFor(agent, { total_amount: '5.00' })
    const { body } = await launch(service, asked.body.payment_url)
    const entered = await cardholder(service, body.session_token).enterCard('5555555555554444')
    const strange = entered.body.card.card_id
    expect(strange).toMatch(/^card_/)
    const { recovery, cards } = await begunRecovery(service, address)
    expect(cards).toHaveLength(1)
    for (const card_id of [theirs, strange, 'card_none'])
      expectError(await step('card', { recovery, card_id, cvv: '123' }), 400, 'CARD_NOT_FOUND')
    await service.pool.query(`update cards set ending_reason = 'LOST' where customer_id = $1`, [customerId])
    const [{ card_id }] = cards
    expectError(await step('card', { recovery, card_id, cvv: '123' }), 400, 'CARD_NOT_FOUND')
  })

  test('ten security codes a day, however many try at the same moment; and a recovery that took too long', async () => {
    const { address } = await ownerWithCard(service)
    const { recovery, cards } = await begunRecovery(service, address)
    const body = { recovery, card_id: cards[0].card_id, cvv: '000' }
    const answers = await atOnce(24, (index) => step('card', body, index % 2 ? service : node))
    expect(countBy(answers, ({ body: { error } }) => error.code)).toEqual({ CARD_REFUSED: 10, RATE_LIMITED: 14 })
    const again = await begunRecovery(service, address)
    expectError(await step('card', { ...body, recovery: again.recovery, cvv: '123' }), 429, 'RATE_LIMITED')
    await service.clock.advance(31 * 60)
    expectError(await step('standing', { recovery }), 400, 'INVALID_STATE')
    expectError(await step('card', { ...body, cvv: '123' }), 400, 'INVALID_STATE')
    await service.clock.advance(DAY)
    const next = await begunRecovery(service, address)
    expect((await step('card', { ...body, recovery: next.recovery, cvv: '123' })).status).toBe(200)
  })

  test('a word that was guessed, a visit that was used, and a day that was cut short in the database', async () => {
    const { address } = await ownerWithCard(service)
    const { visit, recovery } = await waitingRecovery(service, address)
    expectError(await fromPage(service, '/api/recovery', { visit }), 400, 'INVALID_STATE')
    const guess = 'A'.repeat(43)
    for (const [name, more] of Object.entries({
      standing: {},
      options: {},
      stop: {},
      code: { code: '1' },
      passkey: { response: {} },
    }))
      expectError(await step(name, { recovery: guess, ...more }), 400, 'INVALID_STATE')
    await service.pool.query(
      'update owner_recoveries set waits_until = proven_at where stopped_at is null and used_at is null',
    )
    expectError(await step('options', { recovery }), 500, 'INTERNAL_ERROR')
  })

  test('a card that was deleted while it waited, and a week that went by', async () => {
    const { address, customerId } = await ownerWithCard(service)
    const { recovery } = await waitingRecovery(service, address)
    await service.clock.advance(WAIT_SECONDS + 1)
    const { send } = await newPasskey(service, recovery)
    await service.pool.query(`update cards set ending_reason = 'LOST' where customer_id = $1`, [customerId])
    expectError(await send(), 400, 'INVALID_STATE')
    const other = await ownerWithCard(service)
    const late = await waitingRecovery(service, other.address)
    await service.clock.advance(7 * DAY + 1)
    expectError(await step('standing', { recovery: late.recovery }), 400, 'INVALID_STATE')
  })
})

describe('a recovery is stopped', () => {
  test('on a device that is signed in, which says so to its browser and by mail', async () => {
    const { address, owner } = await ownerWithCard(service)
    const { recovery } = await waitingRecovery(service, address)
    const { recovery_id: id } = (await owner.get('/api/recoveries')).body.waiting
    const other = await newOwner(service)
    expectError(await other.post(`/api/recoveries/${id}/stop`), 404, 'NOT_FOUND')
    expect((await owner.post(`/api/recoveries/${id}/stop`)).status).toBe(200)
    expect((await owner.post(`/api/recoveries/${id}/stop`)).status).toBe(200)
    expect(await standingOf(service, recovery)).toMatchObject({ status: 'stopped' })
    await service.clock.advance(WAIT_SECONDS + 1)
    expectError(await step('options', { recovery }), 400, 'INVALID_STATE')
    expect((await mailsTo(address)).map(({ subject }) => subject)).toContain('The new passkey was stopped')
    expect((await owner.get('/api/session')).status).toBe(200)
  })

  test('by the link of the mail, which names no card, agent or amount, and by no other link', async () => {
    const { address, owner } = await ownerWithCard(service)
    const { recovery } = await waitingRecovery(service, address)
    const mail = (await mailsTo(address)).find(({ subject }) => subject === 'A new passkey was asked for')
    const token = linkIn(mail?.text ?? '')
    expect(mail?.text).not.toMatch(/4242|Pantry|50\.00/)
    const [id = '', mac = ''] = token.split('.')
    for (const wrong of [id, `${id}.`, `${id}.${mac.slice(1)}A`, `rcv_none.${mac}`])
      expectError(await step('stop-by-mail', { token: wrong }), 404, 'NOT_FOUND')
    expect((await owner.get('/api/recoveries')).body.waiting).not.toBeNull()
    expect((await step('stop-by-mail', { token })).status).toBe(200)
    expect(await standingOf(service, recovery)).toMatchObject({ status: 'stopped' })
    expect((await step('stop-by-mail', { token })).status).toBe(200)
  })

  test('in its own browser, and by a later one of the same owner, of which one waits', async () => {
    const { address, owner } = await ownerWithCard(service)
    const first = await waitingRecovery(service, address)
    expect((await step('stop', { recovery: first.recovery })).status).toBe(200)
    const second = await waitingRecovery(service, address)
    const third = await waitingRecovery(service, address)
    expect((await standingOf(service, second.recovery)).status).toBe('stopped')
    expect((await standingOf(service, third.recovery)).status).toBe('waiting')
    // If several are proven at the same moment, one waits.
    const all = [await begunRecovery(service, address), await begunRecovery(service, address)]
    for (const { recovery, cards } of all) await step('card', { recovery, card_id: cards[0].card_id, cvv: '123' })
    const proven = await atOnce(2, (index) => step('code', { recovery: all[index]?.recovery, code: STEP_UP_CODE }))
    expect(countBy(proven, ({ status }) => status)).toEqual({ 200: 2 })
    const stands = await Promise.all([third, ...all].map(({ recovery }) => standingOf(service, recovery)))
    expect(countBy(stands, ({ status }) => status)).toEqual({ stopped: 2, waiting: 1 })
    expect((await owner.get('/api/recoveries')).body.waiting).not.toBeNull()
  })

  test('or ends in a passkey, one of the two, however many of either come at the same moment', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { address, owner, customerId } = await ownerWithCard(service)
      const { recovery } = await waitingRecovery(service, address)
      const { recovery_id: id } = (await owner.get('/api/recoveries')).body.waiting
      await service.clock.advance(WAIT_SECONDS + 1)
      await node.clock.refresh()
      const passkeys = await Promise.all(Array.from({ length: 6 }, () => newPasskey(service, recovery)))
      const answers = await atOnce(12, (index) => {
        const on = index % 4 < 2 ? service : node
        const passkey = passkeys[index >> 1]
        return index % 2 && passkey ? passkey.send(on) : step('stop', { recovery }, on)
      })
      const made = answers.filter(({ status, body }) => status === 200 && body.name !== undefined)
      const { status } = await standingOf(service, recovery)
      expect(made).toHaveLength(status === 'made' ? 1 : 0)
      expect(['made', 'stopped']).toContain(status)
      const { rows } = await service.pool.query(
        'select count(*)::int as live, bool_or(replaces is not null) as is_new from passkeys where customer_id = $1 and retired_at is null',
        [customerId],
      )
      expect(rows).toEqual([{ live: 1, is_new: status === 'made' }])
      const stopped = await owner.post(`/api/recoveries/${id}/stop`)
      expect(stopped.status).toBe(status === 'made' ? 401 : 200)
    }
  })
})

describe('in the week after a recovery', () => {
  async function recovered() {
    const found = await ownerWithCard(service)
    const { recovery } = await waitingRecovery(service, found.address)
    await service.clock.advance(WAIT_SECONDS + 1)
    const { authenticator, atSurface, send } = await newPasskey(service, recovery)
    expect((await send()).status).toBe(200)
    return { ...found, atSurface, owner: await signIn(service, authenticator) }
  }
  const refused = {
    status: 400,
    body: { error: { code: 'INVALID_STATE', message: expect.stringMatching(/seven days/) } },
  }

  test('no limit is widened, no agent is linked, and nothing beyond a limit is allowed; less is, at any time', async () => {
    const { owner, agent, mandate } = await recovered()
    const { agentId } = agent
    const limits = (charge: string, version: number, path = '') =>
      owner.post(`/api/agents/${agentId}/limits${path}`, { version, limits: { ...NARROW, charge } })
    expect(await limits('30.00', 1, '/approval-options')).toMatchObject(refused)
    expect(
      await owner.post(`/api/agents/${agentId}/limits/approve`, { change_id: 'lim_a', response: {} }),
    ).toMatchObject(refused)
    expect((await limits('10.00', 1)).status).toBe(200)
    const linkId = await askForLink(newAgent(service))
    expect(await owner.post(`/api/links/${linkId}/approval-options`, { limits: NARROW })).toMatchObject(refused)
    expect(await owner.post(`/api/links/${linkId}/approve`, { response: {} })).toMatchObject(refused)
    expect((await owner.post(`/api/links/${linkId}/deny`)).status).toBe(200)
    const asked = await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '15.00', reference: 'much' })
    const { id } = asked.body.escalation
    for (const [path, body] of [
      ['approval-options', undefined],
      ['allow', { response: {} }],
      ['mandate', undefined],
    ] as const)
      expect(await owner.post(`/api/escalations/${id}/${path}`, body)).toMatchObject(refused)
    expect((await owner.post(`/api/escalations/${id}/deny`)).status).toBe(200)
    await service.clock.advance(7 * DAY)
    expect((await limits('30.00', 2, '/approval-options')).status).toBe(200)
  })

  test('what is within the limits, and asks all the same, is allowed', async () => {
    const { owner, agent, mandate } = await recovered()
    const body = { version: 1, limits: { ...NARROW, ask_above: '2.00' } }
    expect((await owner.post(`/api/agents/${agent.agentId}/limits`, body)).status).toBe(200)
    const charge = () => agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '3.00', reference: 'tea' })
    const { id } = (await charge()).body.escalation
    const { options } = (await owner.post(`/api/escalations/${id}/approval-options`)).body
    const response = owner.authenticator.authenticate(options)
    expect((await owner.post(`/api/escalations/${id}/allow`, { response })).status).toBe(200)
    expect((await charge()).body).toMatchObject({ status: 'awaiting_result' })
  })

  test('no permission that was held goes on', async () => {
    const { owner, mandate, merchantId, atSurface } = await recovered()
    expect((await owner.post(`/api/permissions/${mandate}/pause`)).status).toBe(200)
    const ask = (path: string, body: object, token = '') =>
      call(`${service.surfaceUrl}/api/permissions/${path}`, jsonRequest(token && `Bearer ${token}`, body))
    async function optionsOf() {
      const { visit, options } = (await ask('sign-in/options', { merchant_id: merchantId })).body
      const response = atSurface.authenticate(options)
      const { token } = (await ask('sign-in', { merchant_id: merchantId, visit, response })).body
      const send = (resume_id: string) => ask(`${mandate}/resume`, { resume_id, response: {} }, token)
      return { options: await ask(`${mandate}/resume/options`, {}, token), send }
    }
    const { options, send } = await optionsOf()
    expect(options).toMatchObject(refused)
    expect(await send('prs_none')).toMatchObject(refused)
    await service.clock.advance(7 * DAY)
    expect((await optionsOf()).options.status).toBe(200)
  })
})

test('what is over is deleted, and what an owner is told of is kept for 30 days', async () => {
  const { address } = await ownerWithCard(service)
  await begunRecovery(service, address)
  const { recovery } = await waitingRecovery(service, address)
  const rows = async () => {
    await service.runJobs()
    const { rows: found } = await service.pool.query(
      'select count(*)::int as kept, count(stopped_at)::int as stopped from owner_recoveries where customer_id = (select customer_id from owner_addresses where email = $1)',
      [address],
    )
    return found[0]
  }
  expect(await rows()).toEqual({ kept: 2, stopped: 0 })
  await service.clock.advance(31 * 60)
  expect(await rows()).toEqual({ kept: 1, stopped: 0 })
  await step('stop', { recovery })
  await service.clock.advance(29 * DAY)
  expect(await rows()).toEqual({ kept: 1, stopped: 1 })
  await service.clock.advance(2 * DAY)
  expect(await rows()).toEqual({ kept: 0, stopped: 0 })
})

test('an owner who is forgotten leaves no recovery, and the one that waits leads nowhere', async () => {
  const { address, merchantId, customerId } = await ownerWithCard(service)
  const { recovery, cards } = await waitingRecovery(service, address)
  const { key } = await service.app.merchants.createKey(merchantId, 'secret')
  const by = { authorization: `Bearer ${key.reveal()}` }
  const body = { customer_id: customerId, card_id: cards[0].card_id }
  expect((await service.merchant.send('POST', '/v1/deleteCard', body, by)).status).toBe(200)
  await service.runJobs()
  await service.clock.advance(WAIT_SECONDS + 1)
  const { send } = await newPasskey(service, recovery)
  await service.app.customers.erase(merchantId, customerId)
  expectError(await send(), 400, 'INVALID_STATE')
  expectError(await step('standing', { recovery }), 400, 'INVALID_STATE')
  for (const table of ['owner_recoveries', 'owner_recovery_tries']) {
    const { rowCount } = await service.pool.query(`select 1 from ${table} where customer_id = $1`, [customerId])
    expect(rowCount, table).toBe(0)
  }
})
