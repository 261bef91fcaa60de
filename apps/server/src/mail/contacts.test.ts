// Guarantee: an address is told of incidents only after its owner pressed the button of the page that was mailed to it. A link opens
// once, for a week; opening its page changes nothing; and who reads the database can make none.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { notify, openIncident, outbox, verifiedContact } from './testing/incidents.ts'
import { bodiesOf, headerOf, linkOf, type MailServer, startMailServer } from './testing/mail-server.ts'

const DAY = 24 * 60 * 60

let server: MailServer
let service: TestService
let merchantId: string
const { log, alarms, lines: logged } = keepLog('error')
beforeAll(async () => {
  server = await startMailServer()
  service = await startTestService({
    ...{ isForCrowds: true, env: { SMTP_URL: server.url, RATE_LIMIT_CONTACT_LINK: '100000' } },
    log,
  })
})
beforeEach(async () => {
  service.merchant = await service.addMerchant()
  merchantId = service.merchant.merchantId
  server.received.length = 0
  logged.length = 0
})
afterAll(async () => {
  await service?.close()
  await server?.stop()
})

/** A new contact, and the link that it got. */
async function mailedLink(email = 'ann@shop.example'): Promise<string> {
  await service.app.mail.addContact(merchantId, { email, role: 'developer' })
  return nextLink()
}
async function nextLink(): Promise<string> {
  await service.runJobs()
  const link = server.received.map(linkOf).findLast((link) => link.includes(merchantId))
  if (link === undefined) throw new Error('No mail came.')
  return link
}
async function page(link: string, method = 'GET') {
  const response = await fetch(link, { method, headers: { accept: 'text/html' }, redirect: 'manual' })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, heading: /<h1>(.*)<\/h1>/.exec(text)?.[1] }
}
const contacts = () => service.app.mail.listContacts(merchantId)
const isVerified = async () => (await contacts())[0]?.verifiedAt !== null

test('opening the link changes nothing, its button confirms the address, and once', async () => {
  const link = await mailedLink()
  for (const method of ['GET', 'HEAD', 'GET']) expect((await page(link, method)).status).toBe(200)
  expect(await isVerified()).toBe(false)
  const opened = await page(link)
  expect(opened.heading).toBe('Is this address yours?')
  expect(opened.text).toContain('<form method="post"><button>Confirm my address</button></form>')
  expect((await page(link, 'POST')).heading).toBe('Your address is confirmed')
  expect(await isVerified()).toBe(true)
  const [contact] = await contacts()
  for (const method of ['GET', 'POST']) {
    expect(await page(link, method)).toMatchObject({ status: 200, heading: 'Your address is confirmed' })
  }
  expect((await contacts())[0]).toEqual(contact)
})

test('of 64 openings at the same moment one confirms', async () => {
  const link = await mailedLink()
  await service.pool.query(`
    create table confirmations (id text);
    create function count_confirmation() returns trigger language plpgsql as $$
      begin insert into confirmations values (new.id); return new; end $$;
    create trigger count_confirmation after update on contacts for each row
      when (old.verified_at is distinct from new.verified_at) execute function count_confirmation()`)
  try {
    const answers = await Promise.all(Array.from({ length: 64 }, () => page(link, 'POST')))
    expect(new Set(answers.map(({ heading }) => heading))).toEqual(new Set(['Your address is confirmed']))
    expect((await service.pool.query('select 1 from confirmations')).rows).toHaveLength(1)
  } finally {
    await service.pool.query('drop table confirmations; drop function count_confirmation cascade')
  }
})

test('a link works for seven days, and another one takes its place', async () => {
  const link = await mailedLink()
  await service.clock.advance(7 * DAY - 60)
  expect((await page(link)).status).toBe(200)
  await service.clock.advance(60)
  for (const method of ['GET', 'POST']) {
    expect(await page(link, method)).toMatchObject({ status: 410, heading: 'This link has ended' })
  }
  expect(await isVerified()).toBe(false)
  await service.app.mail.resendLink(merchantId, 'ann@shop.example')
  const another = await nextLink()
  expect(another).not.toBe(link)
  expect(await page(link, 'POST')).toMatchObject({ status: 404, heading: 'This link does not work' })
  expect((await page(another, 'POST')).heading).toBe('Your address is confirmed')
})

test('what is no link gives the same calm page, and says nothing of what there is', async () => {
  const link = new URL(await mailedLink())
  const [, , merchant = '', contact = '', token = ''] = link.pathname.split('/')
  const other = await service.addMerchant()
  const strange = [
    `/contacts/${merchant}/${contact}/${token.slice(0, -1)}`,
    `/contacts/${merchant}/${contact}/${token}x`,
    `/contacts/${merchant}/ctc_none/${token}`,
    `/contacts/${other.merchantId}/${contact}/${token}`,
    `/contacts/${merchant}/${contact}/%00`,
    `/contacts/${merchant}/${contact}/${'a'.repeat(300)}`,
    `/contacts/${merchant}/${contact}`,
    `/contacts/${merchant}/${contact}/${token}/more`,
    '/contacts/',
  ]
  const texts = new Set<string>()
  for (const path of strange) {
    for (const method of ['GET', 'POST']) {
      const { status, text, heading, headers } = await page(link.origin + path, method)
      expect({ path, status, heading }).toEqual({ path, status: 404, heading: 'This link does not work' })
      expect(headers.get('x-response-id')).not.toBeNull()
      texts.add(text)
    }
  }
  expect(texts.size).toBe(1)
  expect(await isVerified()).toBe(false)
})

test('the page runs no script, is kept nowhere and tells nobody where it was', async () => {
  const { headers, text } = await page(await mailedLink())
  expect(text).not.toMatch(/<script|http/)
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
  )
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
})

test('the page is opened only so often from one address', async () => {
  const limited = await startTestService({ env: { RATE_LIMIT_CONTACT_LINK: '3' } })
  try {
    const strange = `${limited.surfaceUrl}/contacts/ma_x/ctc_x/x`
    const seen = []
    for (let opened = 0; opened < 5; opened += 1) seen.push((await page(strange, 'POST')).status)
    expect(seen).toEqual([404, 404, 404, 429, 429])
    // No proxy is known: what a client says of its address is not heard.
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip']) {
      expect((await fetch(strange, { headers: { [header]: '198.51.100.7' } })).status, header).toBe(429)
    }
    expect((await page(strange)).heading).toBe('One moment, please')
  } finally {
    await limited.close()
  }
})

test('no secret of a link is in the database, the outbox included', async () => {
  await service.app.mail.addContact(merchantId, { email: 'ann@shop.example', role: 'developer' })
  const { rows } = await service.pool.query<{ row: string }>(
    'select contacts::text || mails::text as row from contacts join mails using (merchant_id) where merchant_id = $1',
    [merchantId],
  )
  const link = await nextLink()
  const token = link.split('/').at(-1) ?? ''
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect(rows[0]?.row).not.toContain(token)
  expect(rows[0]?.row).not.toContain(Buffer.from(token).toString('hex'))
})

test('an address is a contact of an account once, however it is written', async () => {
  const add = (email: string) => service.app.mail.addContact(merchantId, { email, role: 'admin' })
  const added = await Promise.allSettled(['Ann@Shop.example', 'ann@shop.EXAMPLE', 'ann@shop.example'].map(add))
  expect(added.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  await expect(add('ANN@shop.example')).rejects.toMatchObject({ code: 'INVALID_STATE' })
  await service.runJobs()
  expect(server.received).toHaveLength(1)
  expect(await contacts()).toHaveLength(1)
})

test('there are at most twenty', async () => {
  const add = (number: number) =>
    service.app.mail.addContact(merchantId, { email: `p${number}@shop.example`, role: 'admin' })
  for (let number = 0; number < 20; number += 1) await add(number)
  await expect(add(20)).rejects.toThrow('The account has as many contacts as it may have.')
})

test.each([
  'ann',
  'ann@',
  'a b@shop.example',
  'ann@shop.example\r\nBcc: eve@evil.example',
  'ann@shop.example,eve@evil.example',
  '<ann@shop.example>',
  'Ann <ann@shop.example>',
  'ann@shop.example>\r\nRCPT TO:<eve@evil.example',
  '"an"n"@shop.example',
  'ann@[127.0.0.1]',
])('%j is no address', async (email) => {
  await expect(service.app.mail.addContact(merchantId, { email, role: 'admin' })).rejects.toMatchObject({
    code: 'VAL_2001',
    details: { email: 'must be an email address' },
  })
  expect(await outbox(service)).toEqual([])
})

test('an account, a contact or a confirmation that is not there is said', async () => {
  const { mail } = service.app
  await expect(mail.addContact('ma_none', { email: 'a@b.example', role: 'admin' })).rejects.toMatchObject({
    status: 404,
  })
  for (const verb of [mail.removeContact, mail.resendLink]) {
    await expect(verb(merchantId, 'nobody@shop.example')).rejects.toThrow('The account has no such contact.')
  }
  const link = await mailedLink()
  await expect(mail.resendLink(merchantId, 'ann@shop.example')).rejects.toThrow('less than a minute ago')
  await page(link, 'POST')
  await service.clock.advance(120)
  await expect(mail.resendLink(merchantId, 'ann@shop.example')).rejects.toThrow('was confirmed already')
})

test('one who was removed is told nothing, and the link of one who was removed opens nothing', async () => {
  const link = await mailedLink()
  expect(await service.app.mail.removeContact(merchantId, 'ANN@shop.example')).toEqual({ removed: 'ANN@shop.example' })
  expect((await page(link, 'POST')).status).toBe(404)
  await notify(service, await openIncident(service))
  expect((await outbox(service)).filter(({ kind }) => kind !== 'contact_link')).toEqual([])
})

test('names cannot put a header, a recipient or markup into a mail', async () => {
  const link = await mailedLink()
  await page(link, 'POST')
  server.received.length = 0
  const name = 'Orders\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>\u2028X: y'
  await service.pool.query('update merchants set name = $2 where id = $1', [merchantId, `Shop\r\nX-Evil: 1`])
  await notify(service, await openIncident(service, { name, url: 'https://hooks.example/\r\n.\r\nMAIL FROM:<x>' }))
  await service.runJobs()
  const [mail, ...more] = server.received
  if (mail === undefined) throw new Error('No mail came.')
  expect(more).toEqual([])
  expect(mail.to).toEqual(['ann@shop.example'])
  for (const header of ['Bcc', 'X-Evil', 'X']) expect(headerOf(mail, header)).toBeUndefined()
  expect(headerOf(mail, 'Subject')).toContain('Events do not reach Orders Bcc: eve@evil.example')
  const { html } = bodiesOf(mail)
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(html).not.toContain('<script')
})

test('an international address is written to as it is', async () => {
  await service.app.mail.addContact(merchantId, { email: 'änne@größe.example', role: 'admin' })
  await service.runJobs()
  expect(await outbox(service)).toMatchObject([{ state: 'sent' }])
  expect(server.received[0]?.to).toEqual([expect.stringMatching(/^änne@/)])
})

const edit = (change: string) =>
  service.pool.query(`update contacts set ${change} where merchant_id = $1`, [merchantId])

test.each([
  ['confirmed', 'verified_at = now()', false],
  ['led to another address', "email = 'eve@evil.example'", true],
  ['given another role', "role = 'admin'", true],
])('a contact that was %s in the database is told of nothing', async (_what, change, isConfirmed) => {
  if (isConfirmed) await verifiedContact(service, server, 'ann@shop.example')
  else await mailedLink()
  server.received.length = 0
  await edit(change)
  await notify(service, await openIncident(service))
  await service.runJobs()
  expect(server.received).toEqual([])
  expect((await outbox(service)).at(-1)).toMatchObject({ kind: 'incident_opened', state: 'dropped' })
  expect(await contacts()).toEqual([])
  expect(alarms()[0]).toMatchObject({ table: 'contacts', merchant_id: merchantId })
})

test('no link is mailed to an address that somebody put into the row', async () => {
  await service.app.mail.addContact(merchantId, { email: 'ann@shop.example', role: 'developer' })
  await edit("email = 'eve@evil.example'")
  await service.runJobs()
  expect(server.received).toEqual([])
  await service.clock.advance(DAY)
  await expect(service.app.mail.resendLink(merchantId, 'ann@shop.example')).rejects.toThrow(
    'changed outside the program',
  )
})

test('the link of one contact confirms no other one, whatever was copied', async () => {
  await mailedLink()
  const [victim] = await contacts()
  const own = await mailedLink('eve@shop.example')
  const [, , , eve, token] = new URL(own).pathname.split('/')
  await service.pool.query(
    `update contacts set link_hash = e.link_hash, link_id = e.link_id from contacts e where contacts.id = $1 and e.id = $2`,
    [victim?.id, eve],
  )
  const moved = `${service.surfaceUrl}/contacts/${merchantId}/${victim?.id}/${token}`
  for (const method of ['GET', 'POST']) {
    expect(await page(moved, method)).toMatchObject({ status: 404, heading: 'This link does not work' })
  }
  expect((await contacts()).map(({ verifiedAt }) => verifiedAt)).toEqual([null, null])
  expect(alarms()[0]).toMatchObject({ table: 'contacts', row_id: victim?.id })
})
