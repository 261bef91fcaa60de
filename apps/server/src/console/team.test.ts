// Guarantee: owners say who looks after an account and as what; an account keeps an owner, whoever takes away whom at
// the same moment; what narrows works at once on every node, and no one reaches an account that is not theirs.
import type { ConsoleRole } from '@mintmark/contract/console'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atOnce, countBy, expectError } from '../../test/flows.ts'
import {
  answerInvitation,
  colleagueHeaders,
  fromConsole,
  inviteAs,
  newColleague,
  newColleagueAddress,
  newestLink,
  type TestColleague,
} from '../../test/people.ts'
import { startTestService, TEST_SEALS, type TestService } from '../../test/service.ts'
import { sealedMember } from './seal.ts'

let service: TestService
let node: TestService
beforeAll(async () => {
  service = await startTestService()
  node = await startTestService({ env: { CONSOLE_URL: service.consoleUrl }, database: service.database })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

const newAccount = async () => (await service.addMerchant()).merchantId
const roleAt = (person: TestColleague, personId: string, role: ConsoleRole, answer: unknown = null) =>
  person.post(`/api/team/people/${personId}/role`, { role, answer })
const remove = (person: TestColleague, personId: string) => person.post(`/api/team/people/${personId}/remove`)
const confirmedRole = async (person: TestColleague, personId: string, role: ConsoleRole) =>
  roleAt(person, personId, role, await person.confirm({ act: 'change_role', person_id: personId, role }))
const rolesAt = async (accountId: string) => {
  const { rows } = await service.pool.query(
    'select person_id, role from account_members where account_id = $1 order by person_id',
    [accountId],
  )
  return Object.fromEntries(rows.map(({ person_id, role }) => [person_id, role]))
}

describe('an owner', () => {
  test('gives a larger role by the passkey alone, and a smaller one by one press, with the name in the list of acts', async () => {
    const accountId = await newAccount()
    const owner = await newColleague(service, { accountId, name: 'Olga' })
    const other = await newColleague(service, { accountId, role: 'viewer', name: 'Vera' })
    expectError(await roleAt(owner, other.personId, 'admin'), 400, 'PASSKEY_REQUIRED')
    expect((await confirmedRole(owner, other.personId, 'admin')).status).toBe(200)
    expect((await other.get('/api/session')).body.person.role).toBe('admin')
    expect((await roleAt(owner, other.personId, 'support')).status).toBe(200)
    expect((await other.at(node).get('/api/session')).body.person.role).toBe('support')
    const { acts } = (await other.get('/api/acts')).body
    expect(acts.slice(0, 2)).toEqual([
      expect.objectContaining({ act: 'role_changed', person: 'Olga', subject: 'Vera', role: 'support' }),
      expect.objectContaining({ act: 'role_changed', person: 'Olga', subject: 'Vera', role: 'admin' }),
    ])
  })

  test('takes a person away: their sessions at the account end on every node, and what they invited to waits no more', async () => {
    const accountId = await newAccount()
    const owner = await newColleague(service, { accountId })
    const admin = await newColleague(service, { accountId, role: 'admin' })
    const email = newColleagueAddress()
    await inviteAs(admin, email, 'admin')
    const { accept } = await answerInvitation(service, { link: await newestLink(service, email), email })
    expect((await remove(owner, admin.personId)).status).toBe(200)
    for (const at of [service, node]) expectError(await admin.at(at).get('/api/session'), 401, 'AUTH_1002')
    expectError(await accept(), 400, 'INVALID_STATE')
    expectError(await remove(owner, admin.personId), 404, 'NOT_FOUND')
    expect(Object.values(await rolesAt(accountId))).toEqual(['owner'])
  })

  test('whose role is made smaller has invited to nothing more', async () => {
    const accountId = await newAccount()
    const owner = await newColleague(service, { accountId })
    const second = await newColleague(service, { accountId })
    const email = newColleagueAddress()
    await inviteAs(second, email, 'owner')
    const { accept } = await answerInvitation(service, { link: await newestLink(service, email), email })
    expect((await roleAt(owner, second.personId, 'viewer')).status).toBe(200)
    expectError(await accept(), 400, 'INVALID_STATE')
  })

  test('who is the last one stays', async () => {
    const accountId = await newAccount()
    const owner = await newColleague(service, { accountId })
    await newColleague(service, { accountId, role: 'admin' })
    expectError(await remove(owner, owner.personId), 400, 'INVALID_STATE')
    expectError(await roleAt(owner, owner.personId, 'admin'), 400, 'INVALID_STATE')
    expect(Object.values(await rolesAt(accountId)).sort()).toEqual(['admin', 'owner'])
  })

  test('leaves when there is another one', async () => {
    const accountId = await newAccount()
    const owner = await newColleague(service, { accountId })
    const second = await newColleague(service, { accountId })
    expect((await remove(owner, owner.personId)).status).toBe(200)
    expect(await rolesAt(accountId)).toEqual({ [second.personId]: 'owner' })
  })
})

describe('two owners at the same moment', () => {
  const races: [string, (one: TestColleague, other: TestColleague) => Promise<{ status: number }>][] = [
    ['take each other away', (one, other) => remove(one, other.personId)],
    ['leave', (one) => remove(one, one.personId)],
    ['make each other an admin', (one, other) => roleAt(one, other.personId, 'admin')],
    ['make themselves viewers', (one) => roleAt(one, one.personId, 'viewer')],
  ]
  test.each(races)('%s: one of twelve presses on two nodes is done, and an owner is left', async (_, press) => {
    const accountId = await newAccount()
    const one = await newColleague(service, { accountId })
    const other = await newColleague(service, { accountId })
    const pairs = [
      [one, other],
      [other, one],
    ] as const
    const answers = await atOnce(12, (index) => {
      const [actor, second] = pairs[index % 2] ?? pairs[0]
      return press(actor.at(index % 3 === 0 ? node : service), second)
    })
    const done = Object.values(await rolesAt(accountId)).filter((role) => role === 'owner')
    expect(done.length).toBe(1)
    expect(countBy(answers, ({ status }) => (status === 200 ? 'done' : 'not'))).toMatchObject({
      done: expect.any(Number),
    })
    const { rows } = await service.pool.query(
      `select 1 from account_acts where account_id = $1 and kind = any ('{removed,role_changed}')`,
      [accountId],
    )
    expect(rows.length).toBe(1)
  })
})

test('who invites and is taken away at the same moment lets in no one', async () => {
  const accountId = await newAccount()
  const owner = await newColleague(service, { accountId })
  const admin = await newColleague(service, { accountId, role: 'admin' })
  const emails = Array.from({ length: 6 }, newColleagueAddress)
  const bodies = await Promise.all(
    emails.map(async (email) => ({
      email,
      role: 'admin',
      answer: await admin.confirm({ act: 'invite', email, role: 'admin' }),
    })),
  )
  await Promise.all([
    ...bodies.map((body) => admin.at(node).post('/api/team/invite', body)),
    remove(owner, admin.personId),
  ])
  const { rows } = await service.pool.query('select email from account_invitations where invited_by = $1', [
    admin.personId,
  ])
  for (const { email } of rows) {
    const link = await newestLink(service, email)
    expectError(await fromConsole(service, '/api/invitation', { link }), 400, 'INVALID_STATE')
  }
})

test('of an acceptance and the end of who invited, the one that came first counts', async () => {
  for (let round = 0; round < 6; round += 1) {
    const accountId = await newAccount()
    const owner = await newColleague(service, { accountId })
    const admin = await newColleague(service, { accountId, role: 'admin' })
    const email = newColleagueAddress()
    await inviteAs(admin, email, 'viewer')
    const { accept } = await answerInvitation(service, { link: await newestLink(service, email), email })
    const [accepted, removed] = await Promise.all([accept(), remove(owner, admin.personId)])
    expect(removed.status).toBe(200)
    const { rows } = await service.pool.query(
      'select person, kind from account_acts where account_id = $1 order by id desc limit 2',
      [accountId],
    )
    const isIn = Object.values(await rolesAt(accountId)).includes('viewer')
    expect([accepted.status, isIn]).toEqual(isIn ? [200, true] : [400, false])
    expect(rows.some(({ kind }) => kind === 'removed')).toBe(true)
  }
})

test('what is of another account is not there', async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()]
  const owner = await newColleague(service, { accountId: mine })
  const victim = await newColleague(service, { accountId: theirs })
  await inviteAs(victim, newColleagueAddress(), 'viewer')
  const team = (await victim.get('/api/team')).body
  const me = (await victim.get('/api/me')).body
  const before = await rolesAt(theirs)
  expectError(await remove(owner, victim.personId), 404, 'NOT_FOUND')
  expectError(await roleAt(owner, victim.personId, 'viewer'), 404, 'NOT_FOUND')
  const withdrawn = `/api/team/invitations/${team.invitations[0].invitation_id}/withdraw`
  expectError(await owner.post(withdrawn), 404, 'NOT_FOUND')
  expectError(await owner.post(`/api/accounts/${theirs}/open`), 404, 'NOT_FOUND')
  expectError(await owner.post(`/api/passkeys/${me.passkeys[0].passkey_id}/end`), 404, 'NOT_FOUND')
  expectError(await owner.post(`/api/passkeys/${me.passkeys[0].passkey_id}/name`, { name: 'Mine' }), 404, 'NOT_FOUND')
  expectError(await owner.post(`/api/sessions/${me.sessions[0].session_id}/end`), 404, 'NOT_FOUND')
  expect(await rolesAt(theirs)).toEqual(before)
  expect((await victim.get('/api/session')).status).toBe(200)
  expect((await victim.get('/api/team')).body.invitations.length).toBe(1)
  const { acts } = (await owner.get('/api/acts')).body
  expect(acts.some(({ subject }: { subject: string | null }) => subject === victim.email)).toBe(false)
})

test('addresses and invitations are read by those who invite', async () => {
  const accountId = await newAccount()
  const owner = await newColleague(service, { accountId })
  const viewer = await newColleague(service, { accountId, role: 'viewer' })
  await inviteAs(owner, newColleagueAddress(), 'viewer')
  const seen = (await viewer.get('/api/team')).body
  expect(seen.invitations).toEqual([])
  expect(seen.people.map(({ email }: { email: string | null }) => email)).toEqual([null, viewer.email])
  const all = (await owner.get('/api/team')).body
  expect(all.invitations.length).toBe(1)
  expect(all.people.map(({ email }: { email: string | null }) => email)).toEqual([owner.email, viewer.email])
})

test('an editor of the database makes no one an owner', async () => {
  const accountId = await newAccount()
  await newColleague(service, { accountId })
  const viewer = await newColleague(service, { accountId, role: 'viewer' })
  const elsewhere = await newAccount()
  await service.pool.query(`update account_members set role = 'owner' where person_id = $1`, [viewer.personId])
  expect((await viewer.get('/api/session')).status).toBe(500)
  // A seal of one account is none of another one.
  const merchantId = service.app.merchants.operatorMerchantId
  const seal = TEST_SEALS.seal(sealedMember({ merchantId, accountId, personId: viewer.personId, role: 'owner' }))
  await service.pool.query(`update account_members set account_id = $2, seal = $3 where person_id = $1`, [
    ...[viewer.personId, elsewhere, seal],
  ])
  await service.pool.query('update people_sessions set account_id = $2 where person_id = $1', [
    ...[viewer.personId, elsewhere],
  ])
  expect((await viewer.get('/api/session')).status).toBe(500)
})

test('a page of another site, or one without the token of the page, changes nothing', async () => {
  const accountId = await newAccount()
  const owner = await newColleague(service, { accountId })
  const second = await newColleague(service, { accountId })
  const path = `/api/team/people/${second.personId}/remove`
  const own = colleagueHeaders(owner.cookie)
  expect((await owner.post(path, undefined, { ...own, origin: 'https://shop.example' })).status).toBe(403)
  expectError(await owner.post(path, undefined, { ...own, 'x-page-token': 'A'.repeat(43) }), 403, 'FORBIDDEN')
  expect(Object.keys(await rolesAt(accountId)).length).toBe(2)
})

test('the operator forgets a person at all accounts, who comes in again by another invitation', async () => {
  const accountId = await newAccount()
  const { email, personId, get } = await newColleague(service, { accountId })
  expect(await service.app.consoleOperations.remove(email)).toEqual({ id: personId })
  expectError(await get('/api/session'), 401, 'AUTH_1002')
  for (const table of ['people', 'account_members', 'people_passkeys', 'people_sessions']) {
    const column = table === 'people' ? 'id' : 'person_id'
    const { rows } = await service.pool.query(`select 1 from ${table} where ${column} = $1`, [personId])
    expect([table, rows]).toEqual([table, []])
  }
  await expect(service.app.consoleOperations.remove(email)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const { id } = await service.app.consoleOperations.invite({ accountId, email, role: 'owner' })
  const { accept } = await answerInvitation(service, { link: await newestLink(service, email), email })
  expect([id.startsWith('inv_'), (await accept()).status]).toEqual([true, 200])
})
