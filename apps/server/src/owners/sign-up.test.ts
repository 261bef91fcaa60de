// Guarantee: a person becomes an owner who reads the mail of an address and has a passkey; no answer before that says
// whose an address is, no code is guessed, and the wrong codes of others keep no person out.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { atOnce, countBy, expectError, expectInvalid } from '../../test/flows.ts'
import { fromPage, newAddress, newAuthenticator, newOwner, provenVisit, visitCode } from '../../test/owners.ts'
import { PRODUCTION, startTestService, type TestService } from '../../test/service.ts'
import { bodiesOf, headerOf, type MailServer, startMailServer } from '../mail/testing/mail-server.ts'

let server: MailServer
let service: TestService
let other: TestService
beforeAll(async () => {
  server = await startMailServer()
  // Callers come from many addresses; a limit counts each of them.
  const env = { SMTP_URL: server.url, TRUST_PROXY: '127.0.0.1' }
  service = await startTestService({ env })
  other = await startTestService({ env, database: service.database })
})
afterAll(async () => {
  await other?.close()
  await service?.close()
  await server?.stop()
})
beforeEach(async () => {
  server.received.length = 0
  // A test before this one may have moved the clock, of which the other node hears within a second.
  await other.clock.refresh()
})

let callers = 0
/** Each time from another network. */
const elsewhere = () => {
  callers += 1
  return { 'x-forwarded-for': `198.${51 + (callers >> 8)}.${callers & 255}.7` }
}
const ask = (email: string, on = service) => fromPage(on, '/api/sign-up', { email }, elsewhere())
const confirm = (visit: string, code: string, on = service) =>
  fromPage(on, '/api/sign-up/confirm', { visit, code }, elsewhere())
const visitOf = async (email: string) => (await ask(email)).body.visit as string
const wrongFor = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const mailsTo = (address: string) => server.received.filter(({ to }) => to.includes(address))

async function register(visit: string, name = 'Ann') {
  const { options } = (await fromPage(service, '/api/owners/options', { visit, name })).body
  const response = newAuthenticator(service).register(options)
  return { response, send: () => fromPage(service, '/api/owners', { visit, name, response }) }
}

test('the code is mailed, and with it and a passkey a person is an owner, who is told at that address', async () => {
  const address = newAddress()
  const asked = await ask(address)
  expect(asked).toMatchObject({ status: 200, body: { visit: expect.stringMatching(/^cus_/) } })
  await service.runJobs()
  const [mail, more] = mailsTo(address)
  expect(more).toBeUndefined()
  const code = await visitCode(service, address)
  expect(headerOf(mail ?? { text: '' }, 'Subject')).toBe(`${code} is your code`)
  expect(bodiesOf(mail ?? { text: '' }).plain).toContain(`Code: ${code}`)
  const { visit } = asked.body
  expectError(await fromPage(service, '/api/owners/options', { visit, name: 'Ann' }), 400, 'INVALID_STATE')
  expectInvalid(await confirm(visit, '12345'), 'code')
  expectError(await confirm(visit, wrongFor(code)), 400, 'STEP_UP_INVALID')
  expect(await confirm(visit, code)).toMatchObject({ status: 200, body: { known: false } })
  expectError(await confirm(visit, code), 400, 'INVALID_STATE')
  const made = await (await register(visit)).send()
  expect(made).toMatchObject({ status: 200, body: { name: 'Ann' } })
  const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const home = await fetch(`${service.ownerUrl}/api/home`, { headers: { cookie } })
  expect(await home.json()).toMatchObject({ mail: { status: 'confirmed', address } })
})

test('whether an owner has an address is told after it was proven, and not before', async () => {
  const [known, unknown] = [newAddress(), newAddress()]
  await newOwner(service, 'Ann', known)
  const [one, two] = [await ask(known.toUpperCase()), await ask(unknown)]
  expect([one.status, Object.keys(one.body)]).toEqual([two.status, Object.keys(two.body)])
  const wrong = async (email: string, visit: string) =>
    (await confirm(visit, wrongFor(await visitCode(service, email)))).body
  const [first, second] = [await wrong(known, one.body.visit), await wrong(unknown, two.body.visit)]
  expect(first.error.message).toBe(second.error.message)
  const { visit } = one.body
  expect((await confirm(visit, await visitCode(service, known))).body).toEqual({ known: true })
  // The address leads back to one owner.
  expectError(await (await register(visit)).send(), 400, 'INVALID_STATE')
})

describe('a code', () => {
  test('is good for ten minutes and five tries of a visit, however many come at the same moment', async () => {
    const address = newAddress()
    const visit = await visitOf(address)
    const code = await visitCode(service, address)
    const answers = await atOnce(32, (index) => confirm(visit, wrongFor(code), index % 2 ? service : other))
    expect(countBy(answers, ({ body }) => body.error.code)).toEqual({ STEP_UP_INVALID: 5, INVALID_STATE: 27 })
    expectError(await confirm(visit, code), 400, 'INVALID_STATE')
    const again = await visitOf(address)
    await service.clock.advance(10 * 60 + 1)
    expectError(await confirm(again, code), 400, 'INVALID_STATE')
  })

  test('is of the visit that asked for it, beside a hundred wrong ones of others from as many networks', async () => {
    const address = newAddress()
    const own = await visitOf(address)
    const code = await visitCode(service, address)
    const others = await Promise.all(Array.from({ length: 24 }, () => visitOf(address)))
    const answers = await Promise.all(
      others.flatMap((visit) => Array.from({ length: 5 }, () => confirm(visit, wrongFor(code)))),
    )
    expect(countBy(answers, ({ body }) => body.error.code)).toEqual({ STEP_UP_INVALID: 120 })
    // The code of another visit is a wrong one, also where it is the newest of the address.
    const last = await visitOf(address)
    expectError(await confirm(last, code), 400, 'STEP_UP_INVALID')
    expect(await confirm(own, code)).toMatchObject({ status: 200, body: { known: false } })
    expect((await confirm(last, await visitCode(service, address))).status).toBe(200)
  })

  test('is mailed to an address thirty times an hour, however many ask at the same moment, and the thirty count', async () => {
    const address = newAddress()
    const first = await visitOf(address)
    const code = await visitCode(service, address)
    const asked = await atOnce(40, (index) => ask(address, index % 2 ? service : other))
    expect(countBy(asked, ({ status }) => status)).toEqual({ 200: 29, 429: 11 })
    expectError(await ask(address.toUpperCase()), 429, 'RATE_LIMITED')
    expect((await confirm(first, code)).status).toBe(200)
    await service.runJobs()
    expect(mailsTo(address)).toHaveLength(30)
    await service.clock.advance(60 * 60 + 1)
    expect((await ask(address)).status).toBe(200)
  })
})

test('of one visit one owner is made, and of one address, however many try it at the same moment', async () => {
  const address = newAddress()
  const visit = await provenVisit(service, address)
  const tries = [await register(visit), await register(visit), await register(visit), await register(visit)]
  const made = await Promise.all(tries.map(({ send }) => send()))
  expect(countBy(made, ({ status }) => status)).toEqual({ 200: 1, 400: 3 })

  const shared = newAddress()
  const visits = [await provenVisit(service, shared)]
  for (let more = 0; more < 3; more += 1) {
    const another = await visitOf(shared)
    await confirm(another, await visitCode(service, shared))
    visits.push(another)
  }
  const rivals = await Promise.all(visits.map((each) => register(each)))
  const answers = await Promise.all(rivals.map(({ send }) => send()))
  expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 400: 3 })
  const { rowCount } = await service.pool.query('select 1 from owner_addresses where email = $1', [shared])
  expect(rowCount).toBe(1)
})

describe('an editor of the database', () => {
  test('proves no address', async () => {
    const address = newAddress()
    const visit = await visitOf(address)
    await service.pool.query(`update address_visits set proven_at = now(), seal = '' where id = $1`, [visit])
    expectError(await fromPage(service, '/api/owners/options', { visit, name: 'Eve' }), 500, 'INTERNAL_ERROR')
    const proven = await provenVisit(service)
    await service.pool.query('update address_visits set email = $2 where id = $1', [proven, address])
    expectError(await fromPage(service, '/api/owners/options', { visit: proven, name: 'Eve' }), 500, 'INTERNAL_ERROR')
  })

  test('sends no code elsewhere', async () => {
    const [address, theirs] = [newAddress(), newAddress()]
    await ask(address)
    await service.pool.query('update address_visits set email = $2 where email = $1', [address, theirs])
    await service.runJobs()
    expect([...mailsTo(address), ...mailsTo(theirs)]).toEqual([])
  })
})

test('visits that are over are deleted, and what was counted of their addresses', async () => {
  await ask(newAddress())
  await service.clock.advance(61 * 60)
  await service.runJobs()
  for (const table of ['address_visits', 'address_asks']) {
    expect((await service.pool.query(`select 1 from ${table} limit 1`)).rowCount, table).toBe(0)
  }
})

test('where no mails are sent no new owner is made, and the page is told so', async () => {
  const silent = await startTestService({ env: PRODUCTION })
  try {
    const answer = await fromPage(
      silent,
      '/api/sign-up',
      { email: newAddress() },
      { origin: 'https://owners.pay.example' },
    )
    expectError(answer, 400, 'INVALID_STATE')
  } finally {
    await silent.close()
  }
})
