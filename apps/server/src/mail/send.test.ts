// Guarantee: a notice in the outbox reaches its contact once. A mail server that is down, slow, busy or dies in the middle costs time
// and at most one duplicate, which its Message-ID gives away; what could not be sent is never forgotten silently (`faults.md` E25).
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countBy } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { closed, notify, openIncident, outbox, verifiedContact } from './testing/incidents.ts'
import { bodiesOf, headerOf, type MailServer, startMailServer } from './testing/mail-server.ts'

const HOUR = 60 * 60
const ANN = 'ann@shop.example'

const { log, lines: logged, alarms } = keepLog('info')
let server: MailServer
let service: TestService

beforeEach(async () => {
  server = await startMailServer()
  service = await startTestService({
    ...{ isForCrowds: true, env: { SMTP_URL: server.url, MAIL_FROM: 'notices@mintmark.example' } },
    log,
  })
  await verifiedContact(service, server, ANN)
  server.received.length = 0
  logged.length = 0
})
afterEach(async () => {
  await service?.close()
  await server?.stop().catch(() => undefined)
})

/** Lets the time of the next try come, and tries. */
async function tryAgain(seconds = 16 * 60): Promise<void> {
  await service.clock.advance(seconds)
  await service.runJobs()
}
const lastOf = async () => (await outbox(service)).at(-1)

test('a notice is told to those who confirmed their address, and to nobody else', async () => {
  await service.app.mail.addContact(service.merchant.merchantId, { email: 'new@shop.example', role: 'admin' })
  await service.runJobs()
  server.received.length = 0
  const change = await openIncident(service)
  await Promise.all(Array.from({ length: 8 }, () => notify(service, change)))
  await service.runJobs()
  expect(server.received.map(({ to, from }) => [from, to])).toEqual([['notices@mintmark.example', [ANN]]])
  await notify(service, closed(service, change))
  await service.runJobs()
  expect(server.received.map((mail) => headerOf(mail, 'Subject'))).toEqual([
    'Events do not reach Orders',
    'Recovered: Orders',
  ])
  expect(Object.values(server.arrivals())).toEqual([1, 1])
})

test.each([
  ['deleted_at = now(), secret_sealed = null, secret_key_id = null', 'Closed: Orders', 'The endpoint was deleted.'],
  ['verified_at = null', 'Closed: Orders', 'The endpoint has another address now.'],
])('an endpoint of which %s has not recovered', async (change, subject, words) => {
  const incident = await openIncident(service)
  await service.pool.query(`update webhook_endpoints set ${change} where id = $1`, [incident.endpoint.id])
  await notify(service, closed(service, incident))
  await service.runJobs()
  const [mail] = server.received
  if (mail === undefined) throw new Error('No mail came.')
  expect(headerOf(mail, 'Subject')).toBe(subject)
  expect(bodiesOf(mail).plain).toContain(words)
})

test('of an endpoint that comes and goes a contact is told ten times in an hour, and others are told all the same', async () => {
  const base = await openIncident(service)
  const changes = Array.from({ length: 13 }, (_, count) => ({
    ...base,
    incident: { ...base.incident, id: `whi_${count}` },
  }))
  for (const change of changes) {
    await notify(service, change)
    await notify(service, closed(service, change))
  }
  const kinds = async () => countBy(await outbox(service), ({ kind }) => kind)
  expect(await kinds()).toEqual({ contact_link: 1, incident_opened: 10, incident_closed: 10 })
  await verifiedContact(service, server, 'bob@shop.example')
  for (const change of changes.slice(-2)) await notify(service, change)
  expect(await kinds()).toEqual({ contact_link: 2, incident_opened: 12, incident_closed: 10 })
  // What is older does not count.
  await service.clock.advance(HOUR + 1)
  await notify(service, await openIncident(service))
  expect(await kinds()).toMatchObject({ incident_opened: 14 })
})

test('an incident that closes because another one opens is not told as an end', async () => {
  const incident = await openIncident(service)
  await service.pool.query(`update webhook_endpoints set disabled_reason = 'gone' where id = $1`, [
    incident.endpoint.id,
  ])
  await notify(service, closed(service, incident))
  expect((await outbox(service)).map(({ kind }) => kind)).toEqual(['contact_link'])
})

test('it says what happened, since when, to which endpoint, what comes next and what to do, in text and HTML', async () => {
  const change = await openIncident(service)
  await notify(service, change)
  await service.runJobs()
  const [mail] = server.received
  if (mail === undefined) throw new Error('No mail came.')
  const { plain, html } = bodiesOf(mail)
  const { id } = (await lastOf()) ?? {}
  expect(headerOf(mail, 'Message-ID')).toBe(`<${id}@localhost>`)
  expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated')
  for (const body of [plain, html]) {
    for (const words of [
      'Orders',
      'hooks.shop.example:8443',
      change.endpoint.id,
      `${service.clock.now().toISOString().slice(0, 10)} `,
      'Five deliveries in a row were not acknowledged',
      'one is sent to try',
      'What to do',
      'GET /v1/events',
    ]) {
      expect(body).toContain(words)
    }
    // What may be a secret of the receiver.
    expect(body).not.toMatch(/path-9d1f|query-77aa/)
  }
  expect(html).toMatch(/^<!doctype html>\r?\n<html lang="en">/)
  expect(html).not.toMatch(/<script|<img|https?:/)
})

describe('a mail server that', () => {
  test('is down gets the mail when it is back', async () => {
    await server.stop()
    await notify(service, await openIncident(service))
    await service.runJobs()
    expect(await lastOf()).toMatchObject({ state: 'queued', reason: 'connection', unsure: 0 })
    await tryAgain()
    await server.start()
    await tryAgain()
    expect(await lastOf()).toMatchObject({ state: 'sent', reason: null })
    expect(server.received).toHaveLength(1)
  })

  test.each(['MAIL', 'RCPT', 'DATA'] as const)(
    'is busy at %s is asked again, and a refusal counts for nothing',
    async (at) => {
      server.behave({ at, code: 451 })
      await notify(service, await openIncident(service))
      await service.runJobs()
      for (let tries = 0; tries < 4; tries += 1) await tryAgain()
      expect(await lastOf()).toMatchObject({ state: 'queued', reason: 'deferred', reply_code: 451, unsure: 0 })
      server.behave('accept')
      await tryAgain()
      expect(await lastOf()).toMatchObject({ state: 'sent' })
      expect(server.received).toHaveLength(1)
    },
  )

  test.each(['MAIL', 'RCPT', 'DATA'] as const)('refuses it for good at %s is not asked again', async (at) => {
    server.behave({ at, code: 550 })
    await notify(service, await openIncident(service))
    await service.runJobs()
    expect(await lastOf()).toMatchObject({ state: 'refused', reason: 'refused', reply_code: 550 })
    expect(alarms('mail_not_sent')).toHaveLength(1)
    server.behave('accept')
    await tryAgain()
    expect(server.received).toEqual([])
  })

  test('accepts and dies gets it once more, under the same Message-ID, and no third time', async () => {
    server.behave('accept and die')
    await notify(service, await openIncident(service))
    await service.runJobs()
    expect(await lastOf()).toMatchObject({ state: 'queued', unsure: 1 })
    for (let tries = 0; tries < 5; tries += 1) await tryAgain()
    expect(Object.values(server.arrivals())).toEqual([2])
    expect(server.received[1]?.text).toBe(server.received[0]?.text)
    expect(await lastOf()).toMatchObject({ state: 'unconfirmed', unsure: 2 })
    expect(alarms('mail_not_sent')).toHaveLength(1)
  })

  test('dies once and is well again has it twice at most', async () => {
    server.behave('accept and die')
    await notify(service, await openIncident(service))
    await service.runJobs()
    server.behave({ at: 'RCPT', code: 450 })
    // What is refused before the text was handed over takes nothing back of the first try.
    await tryAgain()
    expect(await lastOf()).toMatchObject({ unsure: 1 })
    server.behave('accept')
    await tryAgain()
    expect(Object.values(server.arrivals())).toEqual([2])
    expect(await lastOf()).toMatchObject({ state: 'sent' })
  })

  test('takes a second to answer is waited for', async () => {
    server.behave('accept late')
    await notify(service, await openIncident(service))
    await service.runJobs()
    expect(Object.values(server.arrivals())).toEqual([1])
    expect(await lastOf()).toMatchObject({ state: 'sent' })
  })
})

test('a notice that cannot be sent in three days ends as an alarm', async () => {
  await server.stop()
  await notify(service, await openIncident(service))
  await service.runJobs()
  await tryAgain(71 * HOUR)
  expect(await lastOf()).toMatchObject({ state: 'queued' })
  await tryAgain(1 * HOUR + 1)
  expect(await lastOf()).toMatchObject({ state: 'expired', reason: 'connection' })
  expect(alarms('mail_not_sent')).toHaveLength(1)
  const { rows } = await service.pool.query("select 1 from open_work where kind = 'mail'")
  expect(rows).toHaveLength(0)
})

test('many workers send a mail once, also while the mail server is slow', async () => {
  server.behave('accept late')
  await notify(service, await openIncident(service))
  await notify(service, await openIncident(service))
  await Promise.all(Array.from({ length: 16 }, () => service.app.mail.sendDue(5)))
  expect(Object.values(server.arrivals())).toEqual([1, 1])
})

test('a worker that lost its lease in the middle hands nothing over', async () => {
  await notify(service, await openIncident(service))
  const steal = `update open_work set lease_fence = lease_fence + 1 where kind = 'mail'`
  server.behave({ meanwhile: () => service.pool.query(steal) })
  await service.app.mail.sendDue(5)
  expect(server.received).toEqual([])
  expect(await lastOf()).toMatchObject({ state: 'queued', unsure: 0 })
  server.behave('accept')
  await tryAgain(60)
  expect(Object.values(server.arrivals())).toEqual([1])
})

test('what a contact was to get who was removed is dropped', async () => {
  await notify(service, await openIncident(service))
  await service.app.mail.removeContact(service.merchant.merchantId, ANN)
  await service.runJobs()
  expect(await lastOf()).toMatchObject({ state: 'dropped', reason: 'no_recipient' })
  expect(server.received).toEqual([])
})

test('no address and no word of a mail is in the log', async () => {
  server.behave({ at: 'RCPT', code: 450 })
  await notify(service, await openIncident(service))
  await service.runJobs()
  server.behave({ at: 'DATA', code: 550 })
  await tryAgain()
  expect(logged.length).toBeGreaterThan(1)
  expect(logged.join('\n')).not.toMatch(/shop\.example|Orders|said the test/)
})

test('a mail that has ended is kept for thirty days', async () => {
  await notify(service, await openIncident(service))
  await service.runJobs()
  await tryAgain(29 * 24 * HOUR)
  expect(await outbox(service)).toHaveLength(2)
  await tryAgain(2 * 24 * HOUR)
  expect(await outbox(service)).toHaveLength(0)
})
