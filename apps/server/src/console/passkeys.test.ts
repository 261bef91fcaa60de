// Guarantee: a person signs in at the console with a passkey that was made there, from the browser's own list; each of
// several is named, dated and ended, and the last one stays; a session goes on under another token once the passkey was
// used, so that a stolen cookie is out; and it is ended one by one, or all at once, on every node.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atOnce, countBy, expectError } from '../../test/flows.ts'
import { newOwner } from '../../test/owners.ts'
import {
  colleagueAt,
  fromConsole,
  inviteByOperator,
  newColleague,
  newConsoleAuthenticator,
  signInByPasskey,
  type TestColleague,
} from '../../test/people.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
let node: TestService
let accountId: string
beforeAll(async () => {
  service = await startTestService()
  node = await startTestService({ env: { CONSOLE_URL: service.consoleUrl }, database: service.database })
  accountId = service.merchant.merchantId
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

const statusAt = (person: TestColleague) =>
  Promise.all([service, node].map(async (at) => (await person.at(at).get('/api/session')).status))
const me = async (person: TestColleague) => (await person.get('/api/me')).body

/** Another passkey of a person, made by one that they have. */
async function another(person: TestColleague, name: string) {
  const answer = await person.confirm({ act: 'make_passkey' })
  const asked = await person.post('/api/passkeys/options', { answer })
  expect(asked.status).toBe(200)
  const authenticator = newConsoleAuthenticator(service)
  const body = { name, response: authenticator.register(asked.body.options) }
  return { authenticator, send: () => person.post('/api/passkeys', body) }
}

test('who comes back signs in with the passkey alone, and the list of acts says so', async () => {
  const person = await newColleague(service, { accountId, name: 'Ann' })
  const back = await signInByPasskey(service, person)
  expect((await back.get('/api/session')).body).toMatchObject({
    ...{ account: { id: accountId }, person: { id: person.personId, name: 'Ann', role: 'owner' } },
  })
  expect((await back.get('/api/acts')).body.acts[0]).toMatchObject({ act: 'signed_in', person: 'Ann' })
  expect((await me(back)).sessions.length).toBe(2)
})

test('one challenge is answered once, on whichever node', async () => {
  const { authenticator } = await newColleague(service, { accountId })
  const { visit, options } = (await fromConsole(service, '/api/sign-in/options')).body
  const response = authenticator.authenticate(options)
  const answers = await atOnce(12, (index) =>
    fromConsole(index % 2 === 0 ? service : node, '/api/sign-in', { visit, response }),
  )
  expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 400: 11 })
})

test('the passkey of a cardholder opens no console, and that of a person here approves nothing of a cardholder', async () => {
  const person = await newColleague(service, { accountId })
  const owner = await newOwner(service)
  const { visit, options } = (await fromConsole(service, '/api/sign-in/options')).body
  const response = owner.authenticator.authenticate(options)
  expectError(await fromConsole(service, '/api/sign-in', { visit, response }), 400, 'PASSKEY_FAILED')
  const { rows } = await service.pool.query('select 1 from passkeys where id = $1', [person.authenticator.credentialId])
  expect(rows).toEqual([])
})

describe('a stolen cookie', () => {
  test('is out once the passkey was used, on every node', async () => {
    const person = await newColleague(service, { accountId })
    const stolen = colleagueAt(service, { ...person, begun: person.cookie })
    expect(await statusAt(stolen)).toEqual([200, 200])
    await another(person, 'Phone')
    expect(await statusAt(stolen)).toEqual([401, 401])
    expect(await statusAt(person)).toEqual([200, 200])
  })

  test('widens nothing: it has no passkey, and another one signs nothing for its person', async () => {
    const person = await newColleague(service, { accountId })
    const thief = await newColleague(service, { accountId, role: 'viewer' })
    const { options } = (await person.post('/api/confirm', { act: 'make_passkey' })).body
    const answer = thief.authenticator.authenticate({ ...options, allowCredentials: [] })
    expectError(await person.post('/api/passkeys/options', { answer }), 400, 'PASSKEY_REQUIRED')
    expectError(await person.post('/api/passkeys/options', { answer: null }), 400, 'PASSKEY_REQUIRED')
    const made = newConsoleAuthenticator(service)
    const unasked = { rp: { id: 'localhost' }, challenge: options.challenge, user: { id: 'AAAA' } }
    const response = made.register(unasked as never)
    expectError(await person.post('/api/passkeys', { name: 'Mallory', response }), 400, 'PASSKEY_FAILED')
    expect((await me(person)).passkeys.length).toBe(1)
  })
})

describe('passkeys', () => {
  test('are several, each with its name and its dates, and sign in each by itself', async () => {
    const person = await newColleague(service, { accountId })
    const { authenticator, send } = await another(person, 'Phone')
    expect((await send()).status).toBe(200)
    const back = await signInByPasskey(service, { ...person, authenticator })
    const { passkeys } = await me(back)
    expect(passkeys.map(({ name, current }: Record<string, unknown>) => [name, current])).toEqual([
      [null, false],
      ['Phone', true],
    ])
    expect(passkeys[0]).toMatchObject({ made_at: expect.any(String), last_used_at: expect.any(String), blocked: false })
    const [first] = passkeys
    expect((await back.post(`/api/passkeys/${first.passkey_id}/name`, { name: 'Key in the drawer' })).status).toBe(200)
    expect((await me(back)).passkeys[0].name).toBe('Key in the drawer')
  })

  test('that are ended sign in no more, and end the sessions that they began', async () => {
    const person = await newColleague(service, { accountId, name: 'Eve' })
    const { authenticator, send } = await another(person, 'Phone')
    await send()
    const phone = await signInByPasskey(service, { ...person, authenticator })
    const [first] = (await me(phone)).passkeys
    expect((await phone.post(`/api/passkeys/${first.passkey_id}/end`)).status).toBe(200)
    expect(await statusAt(person)).toEqual([401, 401])
    const { visit, options } = (await fromConsole(service, '/api/sign-in/options')).body
    const response = person.authenticator.authenticate(options)
    expectError(await fromConsole(node, '/api/sign-in', { visit, response }), 400, 'PASSKEY_FAILED')
    const [last] = (await me(phone)).passkeys
    expectError(await phone.post(`/api/passkeys/${last.passkey_id}/end`), 400, 'INVALID_STATE')
    expect((await phone.get('/api/acts')).body.acts.slice(0, 2)).toEqual([
      expect.objectContaining({ act: 'passkey_ended', person: 'Eve' }),
      expect.objectContaining({ act: 'signed_in', person: 'Eve' }),
    ])
  })

  test('two of which are ended at the same moment leave one', async () => {
    const person = await newColleague(service, { accountId })
    await (await another(person, 'Phone')).send()
    const { passkeys } = await me(person)
    const answers = await atOnce(12, (index) =>
      person.at(index % 3 === 0 ? node : service).post(`/api/passkeys/${passkeys[index % 2].passkey_id}/end`),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
    const { rows } = await service.pool.query(
      'select id from people_passkeys where person_id = $1 and retired_at is null',
      [person.personId],
    )
    expect(rows.length).toBe(1)
  })

  test('whose key was edited in the database, or that was moved to another person, sign in no one', async () => {
    const person = await newColleague(service, { accountId })
    const other = await newColleague(service, { accountId })
    await service.pool.query('update people_passkeys set person_id = $2 where person_id = $1', [
      ...[person.personId, other.personId],
    ])
    const { visit, options } = (await fromConsole(service, '/api/sign-in/options')).body
    const response = person.authenticator.authenticate(options)
    const answer = await fromConsole(service, '/api/sign-in', { visit, response })
    expect(answer.status).toBe(500)
  })
})

describe('sessions', () => {
  test('are listed, and ended one by one and all at once, on every node', async () => {
    const person = await newColleague(service, { accountId })
    const [second, third] = [await signInByPasskey(service, person), await signInByPasskey(service, person)]
    const { sessions } = await me(person)
    expect(sessions.length).toBe(3)
    expect(sessions.filter(({ current }: { current: boolean }) => current).length).toBe(1)
    const mine = (await me(second)).sessions.find(({ current }: { current: boolean }) => current)
    expect(mine).toMatchObject({ account: 'Test Shop', place: '127.0.0.0/24' })
    expect((await person.post(`/api/sessions/${mine.session_id}/end`)).status).toBe(200)
    expect([await statusAt(second), await statusAt(third)]).toEqual([
      [401, 401],
      [200, 200],
    ])
    expect((await person.post('/api/sessions/end-all')).status).toBe(200)
    expect([await statusAt(person), await statusAt(third)]).toEqual([
      [401, 401],
      [401, 401],
    ])
  })

  test('lead to another account of the same person under another token, and to none that is not theirs', async () => {
    const second = (await service.addMerchant()).merchantId
    const person = await newColleague(service, { accountId, role: 'viewer' })
    const link = await inviteByOperator(service, second, person.email, 'owner')
    expect((await person.post('/api/invitation/join', { link })).status).toBe(200)
    const before = colleagueAt(service, { ...person, begun: person.cookie })
    expect((await person.post(`/api/accounts/${accountId}/open`)).status).toBe(200)
    expect((await person.get('/api/session')).body).toMatchObject({
      ...{ account: { id: accountId }, person: { role: 'viewer' } },
    })
    expect(await statusAt(before)).toEqual([401, 401])
    expectError(
      await person.post('/api/team/invite', { email: 'a@b.example', role: 'viewer', answer: null }),
      403,
      'FORBIDDEN',
    )
    expectError(await person.post(`/api/accounts/${(await service.addMerchant()).merchantId}/open`), 404, 'NOT_FOUND')
  })

  test('that an editor of the database moves to another account or person open nothing', async () => {
    const person = await newColleague(service, { accountId })
    const other = await newColleague(service, { accountId })
    await service.pool.query('update people_sessions set person_id = $2 where person_id = $1', [
      ...[person.personId, other.personId],
    ])
    expect(await statusAt(person)).toEqual([500, 500])
  })
})
