// Guarantee: an endpoint that stops taking events is told by mail, once, and its recovery too; what the service counts
// of it can be seen.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvedSession, report } from '../../test/flows.ts'
import { answersBy } from '../../test/receivers/behaviours.ts'
import { PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { createMetricsRegistry } from '../platform/metrics-registry.ts'
import { activeEndpoint, ON_THIS_MACHINE } from '../webhooks/testing/endpoints.ts'
import { verifiedContact } from './testing/incidents.ts'
import { bodiesOf, headerOf, type MailServer, startMailServer } from './testing/mail-server.ts'

const registry = createMetricsRegistry()
let server: MailServer
let service: TestService
beforeAll(async () => {
  server = await startMailServer()
  const env = { ...PATIENT, ...ON_THIS_MACHINE, SMTP_URL: server.url }
  service = await startTestService({ env, metrics: registry.metrics })
  await verifiedContact(service, server, 'ann@shop.example')
})
afterAll(async () => {
  await service?.close()
  await server?.stop()
})

/** No clock that a test moves lets an account be sent to more often than five times a second. */
async function work(): Promise<void> {
  await delay(1_000)
  await service.runJobs()
}

async function pay(): Promise<void> {
  const { id, item } = await approvedSession(service.merchant)
  await report(service.merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
  await service.runJobs()
}
const subjects = () => server.received.slice(1).map((mail) => headerOf(mail, 'Subject'))

test('from a payment to the mail, and back', { timeout: 60_000 }, async () => {
  const endpoint = await activeEndpoint(service.merchant)
  await pay()
  expect(subjects()).toEqual([])
  let status = 500
  endpoint.receiver.behave(answersBy(() => ({ status })))
  await pay()
  for (let tries = 0; tries < 6; tries += 1) {
    await service.clock.advance(6 * 60 * 60)
    await work()
  }
  expect(subjects()).toEqual(['Events do not reach Orders'])
  const [, opened] = server.received
  expect(bodiesOf(opened ?? { text: '' }).plain).toContain('Five deliveries in a row were not acknowledged')
  status = 204
  await service.clock.advance(26 * 60 * 60)
  await work()
  expect(subjects()).toEqual(['Events do not reach Orders', 'Recovered: Orders'])
  status = 410
  await pay()
  expect(subjects().at(-1)).toBe('Events do not reach Orders')
  expect(bodiesOf(server.received.at(-1) ?? { text: '' }).plain).toContain('410 Gone')
  const text = await registry.render()
  for (const category of ['acknowledged', 'status', 'gone']) {
    expect(text).toMatch(new RegExp(`^mintmark_webhook_attempts_total\\{category="${category}"\\} [1-9]`, 'm'))
  }
  expect(text).toContain('mintmark_webhook_incidents_open{reason="gone"} 1')
  await endpoint.receiver.close()
})
