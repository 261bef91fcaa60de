// Guarantee: no route of the console shows a card's number, its code, a credential or a secret, to whomever it is told
// of the payment; of a session at the console the database has its hash alone, and the log nothing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../src/platform/log.ts'
import { deliverAll } from '../src/webhooks/delivery/testing/journey.ts'
import { activeEndpoint, ON_THIS_MACHINE } from '../src/webhooks/testing/endpoints.ts'
import { demoAccount, signInToConsole } from './console.ts'
import { approvedSession } from './flows.ts'
import { LeakScan, needle } from './leak-scan.ts'
import { startTestService, type TestMerchant, type TestService } from './service.ts'

/** Entered by the cardholder. */
const PAN = '5105105105105100'

const logged: string[] = []
let service: TestService
let demo: TestMerchant
beforeAll(async () => {
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } })
  service = await startTestService({ log, env: ON_THIS_MACHINE })
  demo = await demoAccount(service)
})
afterAll(() => service?.close())

test('every screen of a payment whose number can be used right now', async () => {
  const endpoint = await activeEndpoint(demo, { events: ['payment.credentials_ready'] })
  const { id, item } = await approvedSession(demo, PAN)
  await deliverAll(service, demo)
  const person = await signInToConsole(service)
  const answers: string[] = []
  const read = async (path: string) => {
    const { status, body, headers } = await person.get(path)
    expect([path, status]).toEqual([path, 200])
    answers.push(JSON.stringify(body), JSON.stringify([...headers]))
    return body
  }
  const { history } = await read(`/api/payments/${id}`)
  const told = history.filter((moment: { event: unknown }) => moment.event !== null)
  const delivery = told.flatMap(({ deliveries }: { deliveries: { id: string }[] }) => deliveries)[0]
  for (const path of [
    'home',
    'payments',
    'permissions',
    'keys',
    'events',
    'webhooks',
    'session',
    'team',
    'acts',
    'me',
    `find?q=${id}`,
  ])
    await read(`/api/${path}`)
  for (const { event } of told) await read(`/api/events/${event.id}`)
  await read(`/api/webhooks/${endpoint.id}/deliveries`)
  await read(`/api/deliveries/${delivery.id}`)
  await endpoint.receiver.close()

  const token = person.cookie.split('=')[1] ?? ''
  const inAnswers = new LeakScan([
    ...[needle('entered number', PAN), needle('credential', item.token), needle('session', token)],
    ...[needle('signing secret', endpoint.secret), needle('key', demo.secretKey)],
  ])
  expect(answers.length).toBeGreaterThan(18)
  for (const answer of answers) inAnswers.text('answer', answer)
  expect([...inAnswers.found]).toEqual([])
  const inLog = new LeakScan([needle('session', token), needle('credential', item.token)])
  for (const line of logged) inLog.text('log', line)
  expect([...inLog.found]).toEqual([])
  const inDatabase = new LeakScan([needle('session', token)])
  await inDatabase.database(service.pool)
  expect([...inDatabase.found]).toEqual(['session in public.people_sessions.digest'])
})
