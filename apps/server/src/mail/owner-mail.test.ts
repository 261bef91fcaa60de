// Guarantee: an owner who has proven an address is told there of each question once, of no more than so many an hour, and of nothing when they
// have stopped it; no mailbox is filled, no code can be guessed, and no editor of the database sends those mails elsewhere.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { linkedAgent, mandateOf } from '../../test/agents.ts'
import { atOnce, countBy, expectError, expectInvalid } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { newOwner, sandboxOwner, type TestOwner } from '../../test/owners.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { bodiesOf, headerOf, type MailServer, startMailServer } from './testing/mail-server.ts'

const HOUR = 60 * 60

let server: MailServer
const OPERATOR = 'Vault and Sons'
let service: TestService
beforeAll(async () => {
  server = await startMailServer()
  service = await startTestService({ isForCrowds: true, env: { SMTP_URL: server.url, OPERATOR_NAME: OPERATOR } })
})
afterAll(async () => {
  await service?.close()
  await server?.stop()
})
beforeEach(async () => {
  server.behave('accept')
  server.received.length = 0
})

const newAddress = () => `owner-${randomBytes(4).toString('hex')}@owners.example`
const mailsTo = (address: string) => server.received.filter(({ to }) => to.includes(address))
const mailOf = async (owner: TestOwner) => (await owner.get('/api/home')).body.mail
const ask = (owner: TestOwner, email: string) => owner.post('/api/mail', { email })
const confirm = (owner: TestOwner, code: string) => owner.post('/api/mail/confirm', { code })

/** The code of the last mail to an address. */
async function codeAt(address: string): Promise<string> {
  await service.runJobs()
  const mail = mailsTo(address).at(-1)
  const [, code = 'none'] = /^Code: (\d{6})$/m.exec(bodiesOf(mail ?? { text: '' }).plain) ?? []
  expect(headerOf(mail ?? { text: '' }, 'Subject')).toBe(`${code} is your code`)
  return code
}
const wrongFor = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

/** An owner who is told at an address, and an agent of theirs. */
async function toldOwner() {
  const address = newAddress()
  const agent = await linkedAgent(service, { owner: address, limits: NARROW })
  const owner = await sandboxOwner(service, agent.agentId)
  expect(await ask(owner, address)).toMatchObject({ status: 200, body: { done: true } })
  expect((await confirm(owner, await codeAt(address))).status).toBe(200)
  server.received.length = 0
  const mandate = await mandateOf(service, agent)
  const charge = async (reference: string, changes: object = {}) =>
    (await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '30.00', reference, ...changes })).body
  return { owner, address, agent, mandate, charge }
}

test('an address is proven by six digits, for ten minutes and five tries, and told to its owner alone', async () => {
  const [owner, address] = [await newOwner(service), newAddress()]
  expect(await mailOf(owner)).toEqual({ status: 'none', address: null })
  expectError(await confirm(owner, '123456'), 400, 'INVALID_STATE')
  for (const email of ['no address', 'a@b', `${'x'.repeat(65)}@owners.example`])
    expectInvalid(await ask(owner, email), 'email')
  expect((await ask(owner, address)).status).toBe(200)
  expect(await mailOf(owner)).toEqual({ status: 'asked', address })
  const code = await codeAt(address)
  // Another one's code, and one that was typed wrong.
  const other = await newOwner(service)
  expectError(await confirm(other, code), 400, 'INVALID_STATE')
  expectInvalid(await confirm(owner, '12345'), 'code')
  expectError(await confirm(owner, wrongFor(code)), 400, 'STEP_UP_INVALID')
  expect(await mailOf(owner)).toEqual({ status: 'asked', address })
  expect((await confirm(owner, code)).status).toBe(200)
  expect(await mailOf(owner)).toEqual({ status: 'confirmed', address })
  expectError(await confirm(owner, code), 400, 'INVALID_STATE')
  expectError(await ask(owner, address.toUpperCase()), 400, 'INVALID_STATE')
  expect(await mailOf(other)).toEqual({ status: 'none', address: null })
})

test('of many tries at the same moment five count, and the right one after them does not', async () => {
  const [owner, address] = [await newOwner(service), newAddress()]
  await ask(owner, address)
  const code = await codeAt(address)
  const answers = await atOnce(32, () => confirm(owner, wrongFor(code)))
  expect(countBy(answers, ({ body }) => body.error.code)).toEqual({ STEP_UP_INVALID: 5, INVALID_STATE: 27 })
  expectError(await confirm(owner, code), 400, 'INVALID_STATE')
  expect(await mailOf(owner)).toEqual({ status: 'over', address })
  await service.clock.advance(61)
  expect((await ask(owner, address)).status).toBe(200)
  const another = await codeAt(address)
  expect(another).not.toBe(code)
  await service.clock.advance(10 * 60 + 1)
  expectError(await confirm(owner, another), 400, 'INVALID_STATE')
  expect(await mailOf(owner)).toEqual({ status: 'over', address })
})

test('nobody’s mailbox is filled with codes: one a minute, five an hour of an owner, and five an hour at an address whoever asks', async () => {
  const [owner, address] = [await newOwner(service), newAddress()]
  const answers = await atOnce(8, () => ask(owner, address))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 400: 7 })
  for (let asked = 1; asked < 7; asked += 1) {
    await service.clock.advance(61)
    // To forget the address forgets nothing of this.
    if (asked === 3) await owner.post('/api/mail/stop')
    expect((await ask(owner, asked < 3 ? address : newAddress())).status, String(asked)).toBe(asked < 5 ? 200 : 400)
  }
  await service.clock.advance(HOUR + 1)
  const others = await Promise.all(Array.from({ length: 7 }, () => newOwner(service)))
  const there: number[] = []
  for (const other of others) {
    there.push((await ask(other, address.toUpperCase())).status)
    await service.clock.advance(61)
  }
  expect(there).toEqual([200, 200, 200, 200, 200, 400, 400])
  await service.runJobs()
})

test('one code a minute holds for an owner who stops the mails in between, and at an address for owners who ask at once', async () => {
  const owner = await newOwner(service)
  const address = newAddress()
  const statuses: number[] = []
  for (let asked = 0; asked < 5; asked += 1) {
    statuses.push((await ask(owner, asked % 2 === 0 ? address : newAddress())).status)
    await owner.post('/api/mail/stop')
  }
  expect(statuses).toEqual([200, 400, 400, 400, 400])
  const others = await Promise.all(Array.from({ length: 9 }, () => newOwner(service)))
  const there = newAddress()
  const answers = await Promise.all(others.map((other) => ask(other, there)))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 400: 8 })
  await service.runJobs()
  expect(mailsTo(there)).toHaveLength(1)
  await service.clock.advance(61)
  expect((await ask(owner, address)).status).toBe(200)
  await service.runJobs()
  // What a turn of the minute before has left goes with the next one.
  const { rows } = await service.pool.query('select count(*)::int as count from mail_turns')
  expect(rows).toEqual([{ count: 2 }])
})

test('a question is mailed once: who asks how much, where and until when, and where to answer; no card, and no link but ours', async () => {
  const { owner, address, agent, charge } = await toldOwner()
  await agent.send('PATCH', '/v1/agents/me', { name: 'evil.example/win now' })
  const asked = await Promise.all(Array.from({ length: 4 }, () => charge('order-1')))
  const { escalation } = asked.find((answer) => answer.escalation !== null)
  await service.runJobs()
  const [mail, more] = mailsTo(address)
  expect(more).toBeUndefined()
  const { plain, html } = bodiesOf(mail ?? { text: '' })
  const seen = plain.replaceAll('\u2060', '')
  expect(headerOf(mail ?? { text: '' }, 'From')).toContain(OPERATOR)
  expect(html).toContain(`Sent by ${OPERATOR}`)
  // Seen by whoever sees the phone: no name that an agent has given itself, and no amount.
  expect(headerOf(mail ?? { text: '' }, 'Subject')).toBe('An agent of yours asks you for your word')
  for (const words of [
    'evil.example/win now asks for 30.00 USD',
    'Shop: Tea House (tea.example)',
    'so nothing was charged',
    'UTC',
  ]) {
    expect(seen).toContain(words)
  }
  // What a mail program would make a link of: an address of ours, or nothing.
  const links = [...plain.matchAll(/[\w-]+(?:\.[\w-]+)+\S*|https?:\/\/\S+/g)].map(([link]) => link)
  const amounts = /^\d+\.\d\d$/
  expect(links.filter((link) => !link.startsWith(service.ownerUrl) && !amounts.test(link))).toEqual([])
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([escalation.url])
  expect(plain.split(/\r?\n/)).toContain(escalation.url)
  // Its address has a port and random letters, which may spell anything.
  expect(`${plain}${html}`.replaceAll(escalation.url, '')).not.toMatch(/4242|\d{12,}/)
  // The same question again is not another one, and what needs no owner is not told.
  await charge('order-1')
  await charge('order-2', { amount: '5.00' })
  await service.runJobs()
  expect(mailsTo(address)).toHaveLength(1)
  expect((await owner.post(`/api/escalations/${escalation.id}/deny`)).status).toBe(200)
})

test('what was answered before the mail went, and what an owner has stopped, is not mailed', async () => {
  const { owner, address, charge } = await toldOwner()
  const { escalation } = await charge('order-1')
  await owner.post(`/api/escalations/${escalation.id}/deny`)
  await service.runJobs()
  expect(mailsTo(address)).toEqual([])
  await charge('order-2')
  expect((await owner.post('/api/mail/stop')).status).toBe(200)
  expect(await mailOf(owner)).toEqual({ status: 'none', address: null })
  await service.runJobs()
  await charge('order-3')
  await service.runJobs()
  expect(mailsTo(address)).toEqual([])
  const { rows } = await service.pool.query(
    `select state, reason from mails where kind = 'owner_asked' and state = 'dropped' order by id`,
  )
  expect(rows).toEqual([
    { state: 'dropped', reason: 'answered' },
    { state: 'dropped', reason: 'no_recipient' },
  ])
})

test('of an agent that asks without end its owner is told ten times an hour; the rest waits at the page', async () => {
  const { owner, address, charge } = await toldOwner()
  for (let asked = 0; asked < 12; asked += 1) {
    const { escalation } = await charge(`order-${asked}`)
    if (escalation !== null && asked < 11) await owner.post(`/api/escalations/${escalation.id}/deny`)
  }
  const { rows } = await service.pool.query(
    `select count(*)::int as count from mails where customer_id = (
    select customer_id from owner_addresses where email = $1) and kind = 'owner_asked'`,
    [address],
  )
  expect(rows).toEqual([{ count: 10 }])
  expect((await owner.get('/api/home')).body.waiting).toHaveLength(1)
  await service.clock.advance(HOUR + 1)
  await charge('order-later')
  await service.runJobs()
  expect(mailsTo(address)).toHaveLength(1)
})

test('a mail server that is lost in the middle gets the same mail again, with the same Message-ID', async () => {
  const { address, charge } = await toldOwner()
  server.behave('accept and die')
  await charge('order-1')
  await service.runJobs()
  server.behave('accept')
  await service.clock.advance(61)
  await service.runJobs()
  expect(mailsTo(address)).toHaveLength(2)
  expect(new Set(mailsTo(address).map((mail) => headerOf(mail, 'Message-ID'))).size).toBe(1)
  expect(mailsTo(address)[0]?.text.replace(/^Received.*$/gm, '')).toBe(mailsTo(address)[1]?.text)
})

test('an address that was edited in the database gets nothing', async () => {
  const { address, charge, owner } = await toldOwner()
  await service.pool.query(`update owner_addresses set email = 'thief@elsewhere.example' where email = $1`, [address])
  await charge('order-1')
  await service.runJobs()
  expect(server.received).toEqual([])
  // As if they had none; they can name theirs again.
  expect(await mailOf(owner)).toEqual({ status: 'none', address: null })
  await service.clock.advance(HOUR + 1)
  expect((await ask(owner, address)).status).toBe(200)
  expect((await confirm(owner, await codeAt(address))).status).toBe(200)
})

test('an owner who is forgotten has no address here', async () => {
  const { owner, address, agent, mandate, charge } = await toldOwner()
  await charge('order-1')
  expect((await owner.post(`/api/agents/${agent.agentId}/revoke`)).status).toBe(200)
  const { rows } = await service.pool.query('select merchant_id, customer_id from passkeys where id = $1', [
    owner.authenticator.credentialId,
  ])
  const kept = async () =>
    (await service.pool.query('select 1 from owner_addresses where email = $1', [address])).rowCount
  expect(await kept()).toBe(1)
  await service.pool.query('update mandates set status = $2 where id = $1', [mandate, 'cancelled'])
  await service.pool.query(`update cards set status = 'deleted' where customer_id = $1`, [rows[0].customer_id])
  await service.app.customers.erase(rows[0].merchant_id, rows[0].customer_id)
  expect(await kept()).toBe(0)
  await service.runJobs()
  expect(mailsTo(address)).toEqual([])
})
