// Guarantee: an agent on the command line comes from its link to a charge that its owner was asked for; each answer says by its code how it
// went, a charge has a reference, and nothing that is shown is a key or a card.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../apps/server/test/processes/program.ts'
import { startTestService, type TestService } from '../../../../apps/server/test/service.ts'
import type { ExitCode, Failure } from '../failure.ts'
import { type ChargeWords, charge } from './charge.ts'
import { agentHome } from './home.ts'
import { link } from './link.ts'
import { changeMandate, createMandate, listMandates, reportCharge, showMandate } from './mandate.ts'
import { limits, status } from './me.ts'
import { rotateKey } from './rotate.ts'
import type { Screen } from './screen.ts'
import { createSession, listSessions, reportSession, sessionResult, sessionStatus } from './session.ts'
import { keptScreen } from './testing/screen.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startTestService()
  folder = await mkdtemp(join(tmpdir(), 'mintmark-journey-'))
})
afterAll(async () => {
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Everything that was shown. */
const shown: string[] = []

// biome-ignore lint/suspicious/noExplicitAny: an answer as a program reads it.
type Shown = any

async function run(code: ExitCode, command: (screen: Screen) => Promise<ExitCode>): Promise<Shown> {
  const { screen, told } = keptScreen(join(folder, 'home'))
  const ended = await command(screen).catch((error: Failure) => {
    told.answer = { error: { code: error.code, message: error.message, ...error.facts } }
    return error.exitCode
  })
  shown.push(JSON.stringify(told))
  expect([ended, told.answer]).toEqual([code, told.answer])
  return { ...told.answer, words: told.words, notes: told.notes }
}

const helper = (path: string, body: object = {}) => service.merchant.post(`/v1/test_helpers/${path}`, body)
const TEA = {
  ...{ currency: 'USD', merchantName: 'Tea House', merchantUrl: 'https://tea.example', merchantCountry: 'US' },
  line: [{ description: 'Green tea', unit_price: '20.00', quantity: 2 }],
}
const cardIn = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'))

test('an agent, from its link to its end', async () => {
  const home = agentHome(join(folder, 'home'), {})
  const asked = await run(2, (screen) => link({ name: 'Pantry', apiUrl: service.apiUrl, wait: false }, screen))
  expect(asked).toMatchObject({ status: 'pending', link_url: expect.stringContaining(asked.link_id) })
  expect(await run(2, limits)).toMatchObject({ error: { code: 'LINK_PENDING', link_url: asked.link_url } })
  // An agent that waits goes on with the same link.
  const waiting = run(0, (screen) => link({ wait: true }, screen))
  await helper(`agent_links/${asked.link_id}/approve`)
  const linked = await waiting
  expect(linked.notes.join()).toContain(asked.link_url)
  expect(await run(0, (screen) => link({ wait: true }, screen))).toMatchObject({ agent_id: linked.agent_id })
  expect(await run(0, status)).toMatchObject({ agent_id: linked.agent_id, name: 'Pantry', waiting: [] })
  expect((await run(0, limits)).words.join('\n')).toMatch(/^A charge +100\.00$/m)

  const session = await run(0, (screen) => createSession({ amount: '40.00', ...TEA }, screen))
  const { session_id: id } = session
  expect(session).toMatchObject({ payment_url: expect.any(String), approval: { sentence: session.words[0] } })
  expect(await run(2, (screen) => sessionStatus(id, {}, screen))).toMatchObject({ status: 'pending' })
  const found = await run(0, (screen) => listSessions({}, screen))
  expect(found).toMatchObject({ sessions: [{ session_id: id, payment_url: session.payment_url }], next_cursor: null })
  expect(found.words.join('\n')).toContain(session.payment_url)
  expect((await run(0, status)).words.at(-1)).toContain(`at Tea House, session ${id}: ${session.payment_url}`)
  await helper(`sessions/${id}/complete`)
  expect(await run(0, (screen) => sessionStatus(id, { wait: true }, screen))).toMatchObject({
    status: 'awaiting_result',
  })
  const first = join(folder, 'first')
  expect(await run(0, (screen) => sessionResult(id, { outputFile: first }, screen))).toMatchObject({ card_file: first })
  expect(await run(1, (screen) => sessionResult(id, { outputFile: first }, screen))).toMatchObject({
    error: { code: 'FILE_EXISTS' },
  })
  expect(await run(0, (screen) => reportSession(id, { outcome: 'approved' }, screen))).toMatchObject({
    status: 'confirmed',
  })
  // Nothing is there to keep any more, and so no file.
  await run(1, (screen) => sessionResult(id, { outputFile: join(folder, 'none') }, screen))
  await expect(cardIn('none')).rejects.toMatchObject({ code: 'ENOENT' })

  const setup = await run(0, (screen) => createMandate({ amount: '50.00', frequency: 'monthly', ...TEA }, screen))
  const { mandate_id: mandate } = setup
  await helper(`sessions/${setup.session_id}/complete`)
  expect((await run(0, (screen) => listMandates({}, screen))).mandates).toMatchObject([
    { id: mandate, state: 'available' },
  ])
  const send = (words: ChargeWords) => (screen: Screen) => charge(mandate, words, screen)
  const made = await run(0, send({ amount: '20.00' }))
  expect(made).toMatchObject({
    status: 'awaiting_result',
    card_file: null,
    notes: [expect.stringContaining(made.reference)],
  })
  const second = { amount: '20.00', reference: made.reference, outputFile: join(folder, 'second') }
  expect(await run(0, send(second))).toMatchObject({ transactionId: made.transactionId, deduplicated: true })
  const report = (screen: Screen) => reportCharge(mandate, made.transactionId, { outcome: 'approved' }, screen)
  expect(await run(0, report)).toMatchObject({ status: 'completed' })

  const more = { amount: '45.00', reference: 'order-8' }
  const refused = await run(2, send(more))
  expect(refused).toMatchObject({ status: 'failed', details: { left: '30.00' }, escalation: { status: 'pending' } })
  expect(refused.errorMessage).toContain('50.00 USD a month, and 30.00 USD of it is left; it begins anew at ')
  expect(refused.words[0]).toBe(`Refused: ${refused.errorMessage}`)
  expect((await run(0, limits)).waiting).toMatchObject([{ reference: 'order-8' }])
  const asking = run(0, send({ ...more, wait: true, outputFile: join(folder, 'third') }))
  await helper(`agent_escalations/${refused.escalation.id}/decide`, { decision: 'allow' })
  expect(await asking).toMatchObject({ status: 'awaiting_result', reference: 'order-8' })
  const dry = await run(1, send({ amount: '31.00', dryRun: true }))
  expect(dry).toMatchObject({ status: 'failed', dryRun: true, words: [`It would be refused: ${dry.errorMessage}`] })
  for (const [verb, state] of [
    ['pause', 'paused'],
    ['resume', 'available'],
    ['cancel', 'cancelled'],
  ] as const) {
    expect(await run(0, (screen) => changeMandate(mandate, verb, screen))).toMatchObject({ id: mandate, state })
  }
  expect((await run(0, (screen) => showMandate(mandate, screen))).charges.length).toBeGreaterThan(0)

  const key = await readFile(home.keyFile, 'utf8')
  await run(0, (screen) => rotateKey({ oldKeySeconds: 0 }, screen))
  const next = await readFile(home.keyFile, 'utf8')
  expect(next).not.toBe(key)
  expect(await run(0, status)).toMatchObject({ agent_id: linked.agent_id })
  await service.app.agentOperations.revoke(linked.agent_id)
  expect(await run(2, status)).toMatchObject({ error: { code: 'KEY_UNKNOWN' } })

  const cards = await Promise.all(['first', 'second', 'third'].map(cardIn))
  const secrets = [...cards.map(({ token }) => token), ...[key, next].map((pem) => pem.split('\n')[1])]
  for (const secret of secrets) expect(shown.join('\n')).not.toContain(secret)
  expect(secrets).toEqual(secrets.map(() => expect.stringMatching(/^\S{16,}$/)))
})

test('an owner who has not answered when the waiting is stopped has not refused', async () => {
  const controller = new AbortController()
  const { screen, told } = keptScreen(join(folder, 'other'), controller.signal)
  await link({ name: 'Pantry', apiUrl: service.apiUrl, wait: false }, screen)
  await helper(`agent_links/${told.answer.link_id}/approve`)
  const asked = createSession({ amount: '40.00', ...TEA, wait: true }, screen)
  await eventually(async () => told.notes.some((line) => line.startsWith('Session ')) || undefined)
  controller.abort(new Error('Ctrl-C'))
  const failed = await asked.catch((error: Failure) => error)
  expect(failed).toMatchObject({ code: 'SESSION_PENDING', exitCode: 2, facts: { session_id: expect.any(String) } })
})
