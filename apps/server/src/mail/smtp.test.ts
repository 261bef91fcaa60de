// Guarantee: nothing goes to a mail server in the clear but on this machine, nor to one that cannot prove its name; no try takes longer
// than its bounds; and what the other side says is judged by when it says it.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { secret } from '../platform/secret.ts'
import type { OutgoingMail } from './port.ts'
import { createSmtpMailer } from './smtp.ts'
import { type MailServer, startMailServer } from './testing/mail-server.ts'

const MAIL: OutgoingMail = {
  id: 'mail_1',
  from: 'notices@mintmark.example',
  to: 'ann@shop.example',
  bytes: Buffer.from('Subject: x\r\nMessage-ID: <mail_1@x>\r\n\r\n.\r\nhello\r\n'),
}
/** For servers that answer: a busy machine is no timeout. */
const PATIENT = { connectMillis: 300_000, silenceMillis: 300_000, totalMillis: 300_000 }
/** An address of this machine that is not its name: what is said of other machines holds for it. */
const ELSEWHERE = '127.0.0.2'

let directory: string
let key: string
let cert: string
let server: MailServer
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'mintmark-smtp-'))
  const [keyFile, certFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const names = `subjectAltName=IP:${ELSEWHERE},DNS:mail.example`
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=mail.example', '-addext', names, '-keyout', keyFile, '-out', certFile],
  ])
  key = readFileSync(keyFile, 'utf8')
  cert = readFileSync(certFile, 'utf8')
})
afterEach(() => server?.stop().catch(() => undefined))
afterAll(() => rmSync(directory, { recursive: true }))

interface Try {
  ca?: string
  may?: () => Promise<boolean>
  timeouts?: typeof PATIENT
}

function send(url: string, { ca, may = async () => true, timeouts = PATIENT }: Try = {}) {
  const mailer = createSmtpMailer({
    url: secret(url),
    host: 'pay.example',
    timeouts,
    ...(ca === undefined ? {} : { ca }),
  })
  return mailer.send(MAIL, may)
}

test('a mail server that speaks no TLS gets nothing, no password either', async () => {
  const logins: unknown[] = []
  server = await startMailServer({
    host: ELSEWHERE,
    onAuth: (auth, _session, callback) => {
      logins.push(auth)
      callback(null, { user: 'x' })
    },
  })
  const url = server.url.replace('//', '//user:pass@')
  expect(await send(url)).toMatchObject({ outcome: 'deferred', reason: 'tls' })
  expect({ logins, received: server.received }).toEqual({ logins: [], received: [] })
})

test.each([
  ['STARTTLS', false],
  ['TLS from the start', true],
])('by %s it proves its name, or gets nothing', async (_name, secure) => {
  server = await startMailServer({ host: ELSEWHERE, secure, key, cert })
  expect(await send(server.url)).toMatchObject({ outcome: 'deferred' })
  expect(server.received).toEqual([])
  expect(await send(server.url, { ca: cert })).toEqual({ outcome: 'accepted' })
  expect(server.received).toHaveLength(1)
  expect(server.received[0]?.text).toBe(MAIL.bytes.toString())
})

// RFC 3207, 6: an attacker on the way can write behind the last answer in the clear. Taken for an answer of the encrypted connection, it
// would end a mail that the mail server has not refused, or one that it has not got.
test.each([
  ['refuses all', '550 5.1.1 no\r\n'.repeat(6)],
  ['takes all', `250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n250 taken\r\n`],
  ['offers a login in the clear', '250-mail.example\r\n250 AUTH PLAIN LOGIN\r\n'],
  ['begins an answer', '550-5.1.1 no'],
])('what is injected behind STARTTLS and %s is not the word of the mail server', async (_name, injected) => {
  server = await startMailServer({ host: ELSEWHERE, key, cert })
  const { port, close } = await startMeddler(Number(new URL(server.url).port), injected)
  const answer = await send(`smtp://${ELSEWHERE}:${port}`, { ca: cert })
  await close()
  expect({ answer, got: server.received.length }).toEqual({ answer: { outcome: 'accepted' }, got: 1 })
})

test('TLS older than 1.2 is not spoken', async () => {
  server = await startMailServer({
    ...{ host: ELSEWHERE, secure: true, key, cert },
    ...({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const),
  })
  expect(await send(server.url, { ca: cert })).toMatchObject({ outcome: 'deferred' })
  expect(server.received).toEqual([])
})

test('a password may hold any character, and a wrong one is no refusal of the mail', async () => {
  const seen: unknown[] = []
  server = await startMailServer({
    host: ELSEWHERE,
    ...{ secure: true, key, cert, authOptional: false },
    onAuth: ({ username, password }, _session, callback) => {
      seen.push([username, password])
      if (password === 'p@:/ß') callback(null, { user: username })
      else callback(new Error('no'))
    },
  })
  const login = (password: string) => server.url.replace('//', `//us%40er:${encodeURIComponent(password)}@`)
  expect(await send(login('p@:/ß'), { ca: cert })).toEqual({ outcome: 'accepted' })
  expect(await send(login('wrong'), { ca: cert })).toEqual({ outcome: 'deferred', reason: 'login', replyCode: 535 })
  expect(seen).toEqual([
    ['us@er', 'p@:/ß'],
    ['us@er', 'wrong'],
  ])
})

test('one that never greets, and one that is silent after the text, are given up in time', async () => {
  server = await startMailServer()
  server.behave('say nothing')
  // Each is given up for its own silence, and long before any other time is over: a test has less.
  expect(await send(server.url, { timeouts: { ...PATIENT, connectMillis: 400 } })).toEqual({
    outcome: 'deferred',
    reason: 'timeout',
    replyCode: null,
  })
  server.behave('accept and be silent')
  // Before the text it says something on a busy machine as well.
  const timeouts = { ...PATIENT, silenceMillis: 5_000 }
  expect(await send(server.url, { timeouts })).toEqual({ outcome: 'unknown', reason: 'timeout' })
  // It has it: what is unknown is not failed.
  expect(server.received).toHaveLength(1)
})

test('the text is kept back until it may be handed over', async () => {
  server = await startMailServer()
  expect(await send(server.url, { may: async () => false })).toEqual({ outcome: 'withheld' })
  expect(await send(server.url, { may: () => Promise.reject(new Error('no database')) })).toEqual({
    outcome: 'withheld',
  })
  expect(server.received).toEqual([])
  server.behave({ at: 'RCPT', code: 550 })
  let asked = 0
  const count = async () => {
    asked += 1
    return true
  }
  expect(await send(server.url, { may: count })).toEqual({ outcome: 'refused', replyCode: 550 })
  expect(asked).toBe(0)
})

test('a name that leads nowhere costs a try', async () => {
  expect(await send('smtp://nowhere.invalid', { timeouts: { ...PATIENT, connectMillis: 400 } })).toMatchObject({
    outcome: 'deferred',
    replyCode: null,
  })
})

test('what the operator reads of it shows no password', () => {
  const { description } = createSmtpMailer({ url: secret('smtps://user:hunter2@mail.example'), host: 'pay.example' })
  expect(description).toBe('by smtps to mail.example:465')
})

/** Stands between, and says more than the mail server does with the answer that begins TLS. */
async function startMeddler(port: number, injected: string) {
  const meddler = createServer((near) => {
    const far = connect(port, ELSEWHERE)
    let more = ''
    near.on('data', (bytes) => {
      if (bytes.toString('latin1').startsWith('STARTTLS')) more = injected
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      near.write(Buffer.concat([bytes, Buffer.from(more)]))
      more = ''
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => undefined).on('close', () => other.destroy())
    }
  }).listen(0, ELSEWHERE)
  await once(meddler, 'listening')
  return { port: (meddler.address() as AddressInfo).port, close: async () => void meddler.close() }
}
