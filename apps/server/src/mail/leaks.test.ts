// Guarantee: the secret of a mailed link is in the mail and nowhere else, and the address of a contact in its own column and in no log,
// in success and in every failure.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LeakScan, needle } from '../../test/leak-scan.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { notify, openIncident } from './testing/incidents.ts'
import { linkOf, type MailServer, startMailServer } from './testing/mail-server.ts'

const CONTACT = 'carol-5f31@shop.example'

const { log, lines: logged } = keepLog('debug')
let server: MailServer
let service: TestService
beforeAll(async () => {
  server = await startMailServer({ onAuth: (_auth, _session, callback) => callback(null, { user: 'x' }) })
  service = await startTestService({ env: { SMTP_URL: server.url.replace('//', '//user:hunter2-7c1d@') }, log })
})
afterAll(async () => {
  await service?.close()
  await server?.stop()
})

test('a contact, its link opened well and badly, notices, and a mail server that quotes everything', async () => {
  const { merchantId } = service.merchant
  const { mail } = service.app
  await mail.addContact(merchantId, { email: CONTACT, role: 'developer' })
  await service.runJobs()
  const link = new URL(linkOf(server.received[0] ?? { text: '' }))
  const token = link.pathname.split('/').at(-1) ?? ''
  for (const path of [`${link.pathname}x`, link.pathname, link.pathname]) {
    await fetch(link.origin + path, { method: 'POST' })
  }
  await expect(mail.addContact(merchantId, { email: CONTACT, role: 'admin' })).rejects.toThrow()
  for (const code of [450, 550]) {
    server.behave({ at: 'RCPT', code })
    await notify(service, await openIncident(service))
    await service.runJobs()
  }
  await server.stop()
  await service.clock.advance(60)
  await service.runJobs()

  const secrets = [needle('secret of a link', token), needle('password', 'hunter2-7c1d')]
  const inLog = new LeakScan([...secrets, needle('address', CONTACT), needle('endpoint', 'query-77aa')])
  for (const line of logged) inLog.text('log', line)
  for (const words of ['a mail was refused', 'it is tried again', 'a contact was verified'])
    expect(logged.join()).toContain(words)
  expect([...inLog.found]).toEqual([])
  const inDatabase = new LeakScan([...secrets, needle('address', CONTACT)])
  await inDatabase.database(service.pool)
  expect([...inDatabase.found]).toEqual(['address in public.contacts.email'])
})
