// Guarantee: a process that is killed after the mail server has a mail, and before that is written down, costs one
// duplicate with the same Message-ID and no third mail, however often it happens; and the operator's verbs and the port
// of the metrics work in the program as it is started.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { linkOf, type MailServer, startMailServer } from '../../src/mail/testing/mail-server.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { eventually, freePorts, type Program, runProgram, startProgram, temporaryHome } from './program.ts'
import { runVerb } from './verb.ts'

let database: TestDatabase
let home: string
let server: MailServer
let merchantId: string
let programs: Program[]

beforeAll(async () => {
  database = await createTestDatabase()
  home = await temporaryHome()
  const made = await admin('merchant', 'create', '--name', 'Shop')
  merchantId = made.merchant_id
}, 60_000)
beforeEach(async () => {
  server = await startMailServer()
  programs = []
})
afterEach(async () => {
  await Promise.all(programs.map((program) => program.stop('SIGKILL')))
  await server?.stop()
})
afterAll(() => database?.close())

const env = (more: Record<string, string> = {}) => ({ DATABASE_URL: database.url, LEASE_SECONDS: '5', ...more })

async function admin(...words: string[]) {
  return answered(await runVerb(words, { home, env: env() }))
}
function answered({ code, output }: { code: number | null; output: string }) {
  expect({ code, output }).toMatchObject({ code: 0 })
  return JSON.parse(output)
}
async function refused(...words: string[]): Promise<string> {
  const { code, output } = await runVerb(words, { home, env: env() })
  expect(code).toBe(1)
  return output
}
function start(role: 'all' | 'worker', port = 4000, more: Record<string, string> = {}): Program {
  const program = startProgram([role], { home, port, env: env({ SMTP_URL: server.url, ...more }) })
  programs.push(program)
  return program
}
const contacts = (verb: string, ...more: string[]) => ['merchant', 'contacts', verb, merchantId, ...more]
const stateOf = async () => {
  const { rows } = await database.pool.query<{ state: string }>('select state from mails order by id desc limit 1')
  return rows[0]?.state
}
const received = (count: number) =>
  eventually(async () => (server.received.length >= count ? server.received : undefined), 40_000)

test('killed between the mail server and the outbox', { timeout: 180_000 }, async () => {
  server.behave('accept and be silent')
  await admin(...contacts('add', '--email', 'ann@shop.example'))
  start('worker')
  await received(1)
  await programs[0]?.stop('SIGKILL')
  start('worker')
  await received(2)
  await programs[1]?.stop('SIGKILL')
  start('worker')
  // The third process sends nothing: it may have arrived twice.
  await expect.poll(stateOf, { timeout: 60_000 }).toBe('unconfirmed')
  expect(Object.values(server.arrivals())).toEqual([2])
  expect(server.received[0]?.text).toBe(server.received[1]?.text)
})

test('killed once, the mail ends as sent', { timeout: 120_000 }, async () => {
  server.behave('accept and be silent')
  await admin(...contacts('add', '--email', 'bob@shop.example', '--role', 'admin'))
  start('worker')
  await received(1)
  await programs[0]?.stop('SIGKILL')
  server.behave('accept')
  start('worker')
  start('worker')
  await expect.poll(stateOf, { timeout: 60_000 }).toBe('sent')
  expect(Object.values(server.arrivals())).toEqual([2])
})

test('the verbs, the word of the start, and the metrics', { timeout: 120_000 }, async () => {
  const [port, metrics] = [await freePorts(), await freePorts()]
  const service = start('all', port, { METRICS_PORT: String(metrics) })
  await service.ready()
  expect(service.output()).toContain(`Mail           by smtp to ${new URL(server.url).host}`)
  expect(service.output()).toContain(`Metrics        http://127.0.0.1:${metrics}/metrics`)
  // Verbs without the setting say that they send nothing by themselves.
  const words = contacts('add', '--email', 'cid@shop.example')
  const added = answered(await runProgram(words, { home, env: env({ LOG_LEVEL: 'silent' }) }))
  expect(added).toMatchObject({ role: 'developer', verifiedAt: null, mail: expect.stringContaining('as files in') })
  const mail = (await received(1)).find(({ to }) => to.includes('cid@shop.example'))
  if (mail === undefined) throw new Error('No mail came.')
  expect((await fetch(linkOf(mail), { method: 'POST' })).status).toBe(200)
  const listed = await admin(...contacts('list'))
  expect(listed.find(({ email }: { email: string }) => email === 'cid@shop.example').verifiedAt).not.toBeNull()
  expect(await refused(...contacts('add', '--email', 'CID@shop.example'))).toContain(
    'is a contact of the account already',
  )
  expect(await refused(...contacts('add'))).toContain('--email is missing')
  expect(await admin(...contacts('remove', '--email', 'cid@shop.example'))).toEqual({ removed: 'cid@shop.example' })
  const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
  expect(text).toContain('mintmark_job_items_total{job="mail.send"}')
  const busy = start('worker', port, { METRICS_PORT: String(metrics) })
  expect(await busy.ended).toMatchObject({ code: 1 })
  expect(busy.output()).toContain(
    `The metrics cannot listen on 127.0.0.1:${metrics}: another program uses the port. Set METRICS_PORT`,
  )
})
