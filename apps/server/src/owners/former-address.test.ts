// Guarantee: an address that was an owner's is told when another one takes its place or it is removed, and for seven
// days of every recovery, with the link that stops it: who has a session of the owner and no passkey is not told alone.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { atOnce, countBy } from '../../test/flows.ts'
import { newAddress, type TestOwner } from '../../test/owners.ts'
import {
  newPasskey,
  ownerWithCard,
  recoveryCall,
  standingOf,
  WAIT_SECONDS,
  waitingRecovery,
} from '../../test/recovery.ts'
import { editMandate } from '../../test/rows/mandates.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { bodiesOf, headerOf, type MailServer, startMailServer } from '../mail/testing/mail-server.ts'

const DAY = 24 * 60 * 60
const [REPLACED, ASKED] = ['This address was taken off', 'A new passkey was asked for']

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
  server.behave('accept')
  await node.clock.refresh()
})

/** What came there, oldest first. */
async function mailsTo(address: string) {
  await service.runJobs()
  return server.received
    .filter(({ to }) => to.includes(address))
    .map((mail) => ({
      subject: headerOf(mail, 'Subject') ?? '',
      text: bodiesOf(mail).plain,
      html: bodiesOf(mail).html,
    }))
}
const subjectsTo = async (address: string) => (await mailsTo(address)).map(({ subject }) => subject)

/** As whoever has a session, and reads the mails of another address, does it. */
async function nameAnother(owner: TestOwner, address = newAddress()): Promise<string> {
  await service.clock.advance(61)
  expect((await owner.post('/api/mail', { email: address })).status).toBe(200)
  const mail = (await mailsTo(address)).findLast(({ subject }) => subject.endsWith('is your code'))
  expect((await owner.post('/api/mail/confirm', { code: mail?.subject.slice(0, 6) })).status).toBe(200)
  return address
}

test('the one that was replaced is told so, and of a recovery by the other one, which its link stops', async () => {
  const { owner, address } = await ownerWithCard(service)
  const other = await nameAnother(owner)
  const [notice, more] = await mailsTo(address)
  expect([notice?.subject, more?.subject]).toEqual([REPLACED, undefined])
  expect(notice?.text).toContain(`${service.ownerUrl}/me`)
  expect(notice?.text).not.toContain(other)
  expect([...(notice?.html ?? '').matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    `${service.ownerUrl}/me`,
  ])
  const { recovery } = await waitingRecovery(service, other)
  const told = (await mailsTo(address)).find(({ subject }) => subject === ASKED)
  expect(told?.text).toContain('the address that took the place of this one')
  expect(told?.text).not.toMatch(/4242|owners\.example/)
  expect(await subjectsTo(other)).toContain(ASKED)
  const [, token] = /\/stop-recovery#(\S+)/.exec(told?.text ?? '') ?? []
  expect((await recoveryCall(service, 'stop-by-mail', { token })).status).toBe(200)
  expect((await standingOf(service, recovery)).status).toBe('stopped')
  for (const there of [address, other]) expect(await subjectsTo(there)).toContain('The new passkey was stopped')
  // What agents ask is told at the new one alone.
  expect(await subjectsTo(address)).toEqual([REPLACED, ASKED, 'The new passkey was stopped'])
})

test('of several all are told for seven days, also of the passkey that was made, and one is removed like one that was replaced', async () => {
  const { owner, address } = await ownerWithCard(service)
  const shown = async () => (await owner.get('/api/home')).body.mail
  expect((await shown()).former).toEqual([])
  const second = await nameAnother(owner)
  expect(await shown()).toMatchObject({ status: 'confirmed', address: second, former: [{ address }] })
  await service.clock.advance(5 * DAY)
  expect((await owner.post('/api/mail/stop')).status).toBe(200)
  expect(await shown()).toMatchObject({ status: 'none', former: [{ address: second }, { address }] })
  expect(await subjectsTo(second)).toContain(REPLACED)
  const third = await nameAnother(owner)
  const { recovery } = await waitingRecovery(service, third)
  for (const there of [address, second, third]) expect(await subjectsTo(there)).toContain(ASKED)
  await service.clock.advance(WAIT_SECONDS + 1)
  expect((await (await newPasskey(service, recovery)).send()).status).toBe(200)
  for (const there of [address, second, third]) expect(await subjectsTo(there)).toContain('A new passkey was made')
})

test('after seven days it is told nothing more, and is kept no longer', async () => {
  const { owner, address, customerId } = await ownerWithCard(service)
  const other = await nameAnother(owner)
  const kept = async () =>
    (await service.pool.query('select 1 from former_addresses where customer_id = $1', [customerId])).rowCount
  await service.clock.advance(7 * DAY - 60)
  await service.runJobs()
  expect(await kept()).toBe(1)
  await service.clock.advance(61)
  await waitingRecovery(service, other)
  expect((await owner.get('/api/home')).body.mail.former).toEqual([])
  expect(await subjectsTo(address)).toEqual([REPLACED])
  expect(await subjectsTo(other)).toContain(ASKED)
  await service.clock.advance(61)
  await service.runJobs()
  expect(await kept()).toBe(0)
})

test('one that is proven again is told once of what happens, as the address that it is', async () => {
  const { owner, address } = await ownerWithCard(service)
  await nameAnother(owner)
  await nameAnother(owner, address)
  await waitingRecovery(service, address)
  const told = (await mailsTo(address)).filter(({ subject }) => subject === ASKED)
  expect(told).toHaveLength(1)
  expect(told[0]?.text).toContain('the code of this address')
})

test('an address that was never proven is told nothing when another one is named', async () => {
  const { owner } = await ownerWithCard(service)
  await service.clock.advance(61)
  const typo = newAddress()
  expect((await owner.post('/api/mail', { email: typo })).status).toBe(200)
  const other = await nameAnother(owner)
  await waitingRecovery(service, other)
  expect((await subjectsTo(typo)).filter((subject) => !subject.endsWith('is your code'))).toEqual([])
})

describe('what was queued before the address was replaced', () => {
  test('goes to the one that was the owner’s then, however late the mail server takes it', async () => {
    const { owner, address } = await ownerWithCard(service)
    server.behave({ at: 'RCPT', code: 451 })
    await waitingRecovery(service, address)
    await service.runJobs()
    expect((await owner.post('/api/mail/stop')).status).toBe(200)
    server.behave('accept')
    await service.clock.advance(61)
    const other = await nameAnother(owner)
    expect(await subjectsTo(address)).toEqual(expect.arrayContaining([ASKED, REPLACED]))
    expect(await subjectsTo(other)).not.toContain(ASKED)
  })
})

describe('of many at the same moment', () => {
  test('who replace and remove an address, one does it: it is kept and told once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { owner, address, customerId } = await ownerWithCard(service)
      await service.clock.advance(61)
      await node.clock.refresh()
      const answers = await atOnce(12, (index) =>
        index % 2 ? owner.post('/api/mail/stop') : owner.post('/api/mail', { email: newAddress() }),
      )
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
      const { rows } = await service.pool.query('select email from former_addresses where customer_id = $1', [
        customerId,
      ])
      expect(rows).toEqual([{ email: address }])
      expect(countBy(await subjectsTo(address), String)).toEqual({ [REPLACED]: 1 })
    }
  })

  test('a code that is proven while it is removed leaves an address, or a former one that is told', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { owner, customerId } = await ownerWithCard(service)
      await service.clock.advance(61)
      const other = newAddress()
      expect((await owner.post('/api/mail', { email: other })).status).toBe(200)
      const [mail] = await mailsTo(other)
      const code = mail?.subject.slice(0, 6)
      const [proven, removed] = await Promise.all([
        owner.post('/api/mail/confirm', { code }),
        owner.post('/api/mail/stop'),
      ])
      expect(removed.status).toBe(200)
      const { rows } = await service.pool.query('select email from former_addresses where customer_id = $1', [
        customerId,
      ])
      expect(rows.some(({ email }) => email === other)).toBe(proven.status === 200)
    }
  })
})

test('one that was edited in the database, and one of an owner who is forgotten, is told nothing', async () => {
  const edited = await ownerWithCard(service)
  const second = await nameAnother(edited.owner)
  const other = await nameAnother(edited.owner)
  await service.pool.query(`update former_addresses set email = 'thief@elsewhere.example' where email = $1`, [
    edited.address,
  ])
  await service.pool.query(`update former_addresses set ends_at = ends_at + interval '1 day' where email = $1`, [
    second,
  ])
  await waitingRecovery(service, other)
  await service.runJobs()
  expect(server.received.some(({ to }) => to.includes('thief@elsewhere.example'))).toBe(false)
  for (const there of [edited.address, second]) expect(await subjectsTo(there)).not.toContain(ASKED)
  expect(await subjectsTo(other)).toContain(ASKED)

  const { owner, address, agent, mandate, customerId, merchantId } = await ownerWithCard(service)
  await nameAnother(owner)
  expect((await owner.post(`/api/agents/${agent.agentId}/revoke`)).status).toBe(200)
  await editMandate(service.pool, mandate, 'status = $2', ['cancelled'])
  await service.pool.query(`update cards set status = 'deleted' where customer_id = $1`, [customerId])
  await service.app.customers.erase(merchantId, customerId)
  const { rowCount } = await service.pool.query('select 1 from former_addresses where email = $1', [address])
  expect(rowCount).toBe(0)
})
