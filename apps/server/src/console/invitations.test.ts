// Guarantee: a person looks after an account who was invited to it, reads the mail of the address and has a passkey; an
// invitation lets in one, once, in its time, as what it says; no code is guessed; and what is edited in the database
// lets in no one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atOnce, countBy, expectError, expectInvalid } from '../../test/flows.ts'
import {
  answerInvitation,
  codeOfInvited,
  fromConsole,
  inviteAs,
  inviteByOperator,
  newColleague,
  newColleagueAddress,
  newestLink,
  provenInvitation,
  type TestColleague,
} from '../../test/people.ts'
import { PRODUCTION, startTestService, type TestService } from '../../test/service.ts'
import { bodiesOf, headerOf, type MailServer, startMailServer } from '../mail/testing/mail-server.ts'

let server: MailServer
let service: TestService
let node: TestService
let accountId: string
let owner: TestColleague
beforeAll(async () => {
  server = await startMailServer()
  // Callers come from many addresses; a limit counts each of them.
  const env = { SMTP_URL: server.url, TRUST_PROXY: '127.0.0.1' }
  service = await startTestService({ env })
  node = await startTestService({ env: { ...env, CONSOLE_URL: service.consoleUrl }, database: service.database })
  accountId = service.merchant.merchantId
  owner = await newColleague(service, { accountId, name: 'Olga Owner' })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
  await server?.stop()
})

let callers = 0
/** Each time from another network. */
const elsewhere = () => {
  callers += 1
  return { 'x-forwarded-for': `198.${51 + (callers >> 8)}.${callers & 255}.7` }
}
const read = (link: string) => fromConsole(service, '/api/invitation', { link }, elsewhere())
const mailTo = async (email: string) => {
  await service.runJobs()
  return server.received.filter(({ to }) => to.includes(email))
}
const acts = async (person: TestColleague) => (await person.get('/api/acts')).body.acts

test('the operator invites the first owner by a mail, whose link leads to a code and to a passkey', async () => {
  const email = newColleagueAddress()
  const link = await inviteByOperator(service, accountId, email, 'admin')
  const [mail, more] = await mailTo(email)
  expect(more).toBeUndefined()
  expect(headerOf(mail ?? { text: '' }, 'Subject')).toBe(`Look after Test Shop at ${new URL(service.consoleUrl).host}`)
  const { plain } = bodiesOf(mail ?? { text: '' })
  expect(plain).toContain(`${service.consoleUrl}/invitation#${link}`)
  expect(plain).toContain('The operator of this Mintmark service invites you')
  expect((await read(link)).body).toMatchObject({
    ...{ account: { name: 'Test Shop', environment: 'sandbox' }, role: 'admin', email, inviter: null, known: false },
  })
  const { accept } = await answerInvitation(service, { link, email, name: 'Ada Admin' })
  expect(await accept()).toMatchObject({
    status: 200,
    body: { account: { id: accountId, name: 'Test Shop' }, person: { name: 'Ada Admin', role: 'admin' } },
  })
  expectError(await read(link), 400, 'INVALID_STATE')
  const [codeMail] = (await mailTo(email)).slice(1)
  expect(bodiesOf(codeMail ?? { text: '' }).plain).toContain('An invitation to this address was opened at localhost')
  expect(await acts(owner)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ act: 'invited', person: null, subject: email, role: 'admin' }),
      expect.objectContaining({ act: 'joined', person: 'Ada Admin', role: 'admin' }),
    ]),
  )
})

test('of many acceptances on two nodes one makes a person', async () => {
  const email = newColleagueAddress()
  const link = await inviteByOperator(service, accountId, email, 'viewer')
  const answers = await Promise.all(Array.from({ length: 4 }, () => answerInvitation(service, { link, email })))
  const sent = await Promise.all(answers.flatMap(({ accept }) => [accept(service), accept(node), accept(service)]))
  expect(countBy(sent, ({ status }) => status)).toEqual({ 200: 1, 400: 11 })
  const { rows } = await service.pool.query('select id from people where email = $1', [email])
  expect(rows.length).toBe(1)
})

test('without the code that was mailed, an invitation lets in no one', async () => {
  const email = newColleagueAddress()
  const link = await inviteByOperator(service, accountId, email, 'owner')
  const { visit } = (await fromConsole(service, '/api/invitation/code', { link }, elsewhere())).body
  expectError(
    await fromConsole(service, '/api/invitation/options', { link, visit, name: 'Mallory' }),
    400,
    'INVALID_STATE',
  )
  const right = codeOfInvited(service, email, visit)
  const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0')
  const prove = (code: string, on: TestService) =>
    fromConsole(on, '/api/invitation/prove', { visit, code }, elsewhere())
  const tried = await atOnce(12, (index) => prove(wrong, index % 2 === 0 ? service : node))
  expect(countBy(tried, ({ body }) => body.error.code)).toEqual({ STEP_UP_INVALID: 5, INVALID_STATE: 7 })
  expectError(await prove(right, node), 400, 'INVALID_STATE')
  // A proven address of another invitation is none of this one.
  const other = newColleagueAddress()
  const otherLink = await inviteByOperator(service, accountId, other, 'viewer')
  const proven = await provenInvitation(service, otherLink, other)
  expectError(
    await fromConsole(service, '/api/invitation/options', { link, visit: proven, name: 'Mallory' }),
    400,
    'INVALID_STATE',
  )
})

test('the codes of one address are thirty an hour, on all nodes together', async () => {
  const email = newColleagueAddress()
  const link = await inviteByOperator(service, accountId, email, 'viewer')
  const asked = await atOnce(34, (index) =>
    fromConsole(index % 2 === 0 ? service : node, '/api/invitation/code', { link }, elsewhere()),
  )
  expect(countBy(asked, ({ status }) => status)).toEqual({ 200: 30, 429: 4 })
})

test('a link that was never mailed, is of another one, or is over opens nothing', async () => {
  const email = newColleagueAddress()
  const link = await inviteByOperator(service, accountId, email, 'viewer')
  const [id = '', mac = ''] = link.split('.')
  const otherLink = await inviteByOperator(service, accountId, newColleagueAddress(), 'viewer')
  for (const made of [
    `${id}.${mac.replace(/^./, mac.startsWith('A') ? 'B' : 'A')}`,
    `${id}.${otherLink.split('.')[1]}`,
  ]) {
    expectError(await read(made), 400, 'INVALID_STATE')
  }
  expectInvalid(await read(id), 'link')
  const { accept } = await answerInvitation(service, { link, email })
  await service.pool.query('update account_invitations set expires_at = $2 where id = $1', [id, service.clock.now()])
  expectError(await read(link), 400, 'INVALID_STATE')
  expectError(await accept(), 400, 'INVALID_STATE')
})

test.each([
  ['more', `role = 'owner'`],
  ['another account', `account_id = 'ma_other'`],
  ['another address', `email = 'mallory@accounts.example'`],
  ['more time', `expires_at = expires_at + interval '1 year'`],
])('an editor of the database gives an invitation %s, and it lets in no one', async (_, edit) => {
  const email = newColleagueAddress()
  const link = await inviteByOperator(service, accountId, email, 'viewer')
  await service.pool.query(`update account_invitations set ${edit} where id = $1`, [link.split('.')[0]])
  expect((await read(link)).status).toBe(500)
  expect((await fromConsole(service, '/api/invitation/code', { link }, elsewhere())).status).toBe(500)
  expect(await mailTo(email)).toEqual([])
})

describe('a person invites', () => {
  test('with the passkey, as no more than they are themselves, and it stands in the list of acts', async () => {
    const admin = await newColleague(service, { accountId, role: 'admin', name: 'Ada' })
    const email = newColleagueAddress()
    expectError(await admin.post('/api/team/invite', { email, role: 'viewer', answer: null }), 400, 'PASSKEY_REQUIRED')
    const answer = await admin.confirm({ act: 'invite', email, role: 'owner' })
    expectError(await admin.post('/api/team/invite', { email, role: 'owner', answer }), 403, 'FORBIDDEN')
    expect((await inviteAs(admin, email, 'admin')).status).toBe(200)
    const [mail] = await mailTo(email)
    expect(bodiesOf(mail ?? { text: '' }).plain).toContain('Ada invites you to look after the account Test Shop')
    expect((await acts(owner))[0]).toMatchObject({ act: 'invited', person: 'Ada', subject: email, role: 'admin' })
    expectError(await inviteAs(admin, email.toUpperCase(), 'viewer'), 400, 'INVALID_STATE')
  })

  test('what was signed for one act, person or account is good for no other, and for once', async () => {
    const [email, other] = [newColleagueAddress(), newColleagueAddress()]
    const answer = await owner.confirm({ act: 'invite', email, role: 'viewer' })
    expectError(await owner.post('/api/team/invite', { email: other, role: 'viewer', answer }), 400, 'PASSKEY_REQUIRED')
    const second = await owner.confirm({ act: 'invite', email, role: 'viewer' })
    expect((await owner.post('/api/team/invite', { email, role: 'viewer', answer: second })).status).toBe(200)
    expectError(
      await owner.post('/api/team/invite', { email, role: 'viewer', answer: second }),
      400,
      'PASSKEY_REQUIRED',
    )
    const stranger = await newColleague(service, { accountId })
    const theirs = await stranger.confirm({ act: 'invite', email: other, role: 'owner' })
    expectError(
      await owner.post('/api/team/invite', { email: other, role: 'owner', answer: theirs }),
      400,
      'PASSKEY_REQUIRED',
    )
  })

  test('and takes it back, after which it lets in no one', async () => {
    const email = newColleagueAddress()
    await inviteAs(owner, email, 'support')
    const link = await newestLink(service, email)
    const { accept } = await answerInvitation(service, { link, email })
    const { invitations } = (await owner.get('/api/team')).body
    const [mine] = invitations.filter((one: { email: string }) => one.email === email)
    expect(mine).toMatchObject({ role: 'support', inviter: 'Olga Owner', over: false })
    const withdraw = () => owner.post(`/api/team/invitations/${mine.invitation_id}/withdraw`)
    expect((await withdraw()).status).toBe(200)
    expectError(await withdraw(), 404, 'NOT_FOUND')
    expectError(await accept(), 400, 'INVALID_STATE')
    expect((await acts(owner))[0]).toMatchObject({ act: 'invitation_withdrawn', person: 'Olga Owner', subject: email })
  })

  test('the same address once more, when the time of the first one is over', async () => {
    const email = newColleagueAddress()
    await inviteAs(owner, email, 'viewer')
    const before = await newestLink(service, email)
    await service.pool.query('update account_invitations set expires_at = $2 where email = $1', [
      email,
      service.clock.now(),
    ])
    expect((await inviteAs(owner, email, 'support')).status).toBe(200)
    expect((await read(await newestLink(service, email))).body.role).toBe('support')
    expectError(await read(before), 400, 'INVALID_STATE')
  })
})

test('who has a passkey joins another account with it, and an invitation to another address is none of theirs', async () => {
  const elsewhereAccount = (await service.addMerchant()).merchantId
  const colleague = await newColleague(service, { accountId, role: 'developer', name: 'Dana' })
  const link = await inviteByOperator(service, elsewhereAccount, colleague.email.toUpperCase(), 'admin')
  expect((await read(link)).body.known).toBe(true)
  const visit = await provenInvitation(service, link, colleague.email)
  expectError(
    await fromConsole(service, '/api/invitation/options', { link, visit, name: 'Dana' }),
    400,
    'INVALID_STATE',
  )
  expectError(await owner.post('/api/invitation/join', { link }), 400, 'INVALID_STATE')
  expect((await colleague.post('/api/invitation/join', { link })).status).toBe(200)
  expect((await colleague.get('/api/session')).body).toMatchObject({
    ...{ account: { id: elsewhereAccount }, person: { name: 'Dana', role: 'admin' } },
  })
  expectError(await colleague.post('/api/invitation/join', { link }), 400, 'INVALID_STATE')
  const { accounts } = (await colleague.get('/api/me')).body
  expect(accounts.map(({ account_id, role }: Record<string, string>) => [account_id, role])).toEqual([
    [accountId, 'developer'],
    [elsewhereAccount, 'admin'],
  ])
})

test('in production people come in as in a sandbox, without a demo account; without a mail server no one is invited', async () => {
  const env = { ...PRODUCTION, CONSOLE_URL: 'https://console.pay.example' }
  const mailed = await startTestService({ env: { ...env, SMTP_URL: server.url } })
  const person = await newColleague(mailed, { accountId: mailed.merchant.merchantId })
  expect((await person.get('/api/session')).body.account.environment).toBe('production')
  expect(person.cookie).toMatch(/^__Host-mintmark_console=/)
  expect((await fromConsole(mailed, '/api/sign-in/demo')).status).toBe(404)
  await mailed.close()
  const unmailed = await startTestService({ env })
  const { merchantId } = unmailed.merchant
  await expect(
    unmailed.app.consoleOperations.invite({ accountId: merchantId, email: newColleagueAddress(), role: 'owner' }),
  ).rejects.toMatchObject({ code: 'INVALID_STATE' })
  await unmailed.close()
})

test('what is no account or no address is refused to the operator', async () => {
  await expect(
    service.app.consoleOperations.invite({ accountId: 'ma_nobodys', email: newColleagueAddress(), role: 'owner' }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(
    service.app.consoleOperations.invite({ accountId, email: 'no address', role: 'owner' }),
  ).rejects.toMatchObject({ code: 'VAL_2001' })
})
