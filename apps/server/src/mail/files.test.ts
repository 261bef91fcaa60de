// Guarantee: without a mail server a sandbox loses no mail: each is one whole file that only its owner may read, and its path is logged.
// Production without one keeps them in the outbox and says so.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { createLog } from '../platform/log.ts'
import { createMailer } from './mailer.ts'
import { outbox } from './testing/incidents.ts'
import { headerOf, linkOf } from './testing/mail-server.ts'

const { log, lines: logged, entries } = keepLog('info')
let home: string
let service: TestService
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mintmark-mail-'))
  logged.length = 0
})
afterEach(async () => {
  await service?.close()
  await rm(home, { recursive: true })
})

async function start(env: Record<string, string> = {}) {
  service = await startTestService({ env: { MINTMARK_HOME: home, ...env }, log })
  await service.app.mail.addContact(service.merchant.merchantId, { email: 'ann@shop.example', role: 'admin' })
  await service.runJobs()
}

test('a mail is a file of its owner, and its path is in the log', async () => {
  await start()
  const [{ id } = { id: '' }] = await outbox(service)
  const path = join(home, 'mail', `${id}.eml`)
  expect(await readdir(join(home, 'mail'))).toEqual([`${id}.eml`])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(home, 'mail'))).mode & 0o777).toBe(0o700)
  expect(entries().map((entry) => entry.path)).toContain(path)
  const text = await readFile(path, 'utf8')
  expect(headerOf({ text }, 'To')).toBe('ann@shop.example')
  expect((await fetch(linkOf({ text }), { method: 'POST' })).status).toBe(200)
  expect(logged.join()).not.toContain('ann@')
})

test('a directory that cannot be written keeps the mail in the outbox', async () => {
  await writeFile(join(home, 'mail'), 'in the way')
  await start()
  expect(await outbox(service)).toMatchObject([{ state: 'queued', reason: 'file' }])
  await rm(join(home, 'mail'))
  await service.clock.advance(60)
  await service.runJobs()
  expect(await outbox(service)).toMatchObject([{ state: 'sent' }])
})

test('production without a mail server keeps mails in the outbox, and says so', async () => {
  const log = createLog({ level: 'silent' })
  const mailer = createMailer({
    ...{ environment: 'production', smtpUrl: null, home, surfaceUrl: 'https://pay.example', log },
  })
  expect(mailer.description).toBe('none is sent: SMTP_URL is not set')
  const mail = { id: 'mail_1', from: 'a@b.example', to: 'c@d.example', bytes: Buffer.from('x') }
  const answer = await mailer.send(mail, async () => true)
  expect(answer).toEqual({ outcome: 'deferred', reason: 'not_configured', replyCode: null })
  expect(await readdir(home)).toEqual([])
})
