// Guarantee: the operator sees how the service does, on a port of its own, also while it refuses requests or has no database; what is
// shown holds no id, address or secret, and asking costs the same however much was done.
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CARDS, complete, createSession, newUser } from '../../../test/flows.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { startDatabaseClock } from '../../db/clock.ts'
import { ID_PREFIXES } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createMetricsRegistry, type MetricsRegistry } from '../../platform/metrics-registry.ts'
import { addBacklog } from './backlog.ts'
import { listenForMetrics, type MetricsListener } from './listener.ts'

const SILENT = createLog({ level: 'silent' })

let registry: MetricsRegistry
let service: TestService
let listener: MetricsListener
let isReady = true
beforeAll(async () => {
  registry = createMetricsRegistry()
  service = await startTestService({
    ...{ isForCrowds: true, env: { MINTMARK_HOME: '/nonexistent' } },
    metrics: registry.metrics,
  })
  const readiness = { check: async () => (isReady ? undefined : Promise.reject(new Error('not ready'))) }
  listener = await listenForMetrics({ registry, readiness, host: '127.0.0.1', port: 0, log: SILENT })
})
beforeEach(() => {
  isReady = true
})
afterAll(async () => {
  await listener?.close()
  await service?.close()
})

async function scrape(): Promise<string> {
  const response = await fetch(`${listener.url}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  return response.text()
}
/** The values of a metric, by its labels as they are written. */
function valuesOf(text: string, name: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(`mintmark_${name}`) && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const [, metric = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      return [metric === `mintmark_${name}` ? labels : `${metric} ${labels}`, Number(value)]
    }),
  )
}

test('requests by route and class, jobs, pool, door and process', async () => {
  const { session_id } = await createSession(service.merchant)
  await complete(service.merchant, session_id, { card_number: CARDS.success })
  await service.merchant.get(`/v1/sessions/${session_id}`)
  await service.merchant.get('/v1/nothing/at/all')
  await fetch(`${service.surfaceUrl}/health`)
  await service.runJobs()
  const text = await scrape()
  const counts = Object.entries(valuesOf(text, 'http_request_seconds')).filter(([labels]) => labels.includes('_count '))
  const labels = counts.map(([name]) => name.replace('mintmark_http_request_seconds_count ', ''))
  expect(labels).toEqual(
    expect.arrayContaining([
      'host="api",route="POST /v1/sessions",status="2xx"',
      'host="api",route="unknown",status="4xx"',
      'host="surface",route="GET /health",status="2xx"',
    ]),
  )
  expect(valuesOf(text, 'job_failing_seconds')).toMatchObject({ 'job="events.number"': 0 })
  expect(valuesOf(text, 'job_runs_total')).toMatchObject({ 'job="sessions.expire",outcome="idle"': expect.any(Number) })
  expect(valuesOf(text, 'database_connections')['state="waiting"']).toBe(0)
  expect(valuesOf(text, 'door_places')['state="open"']).toBeGreaterThan(0)
  expect(valuesOf(text, 'database_up')).toEqual({ '': 1 })
  expect(text).toContain('# TYPE mintmark_webhook_attempts_total counter')
  expect(text).toMatch(/^process_resident_memory_bytes \d+/m)
})

test('that a restore has closed the deployment, until it is opened', async () => {
  const shown = async (closedSince: Date | null) => {
    await service.pool.query('update restored set closed_since = $1', [closedSince])
    await service.clock.refresh()
    return valuesOf(await scrape(), 'closed_since_restore')
  }
  expect(await shown(null)).toEqual({ '': 0 })
  expect(await shown(new Date())).toEqual({ '': 1 })
  expect(await shown(null)).toEqual({ '': 0 })
})

test('rules for alerts name metrics, labels and values that there are', async () => {
  const rules = await readFile(new URL('../../../../../docs/guides/alerts.yml', import.meta.url), 'utf8')
  const text = await scrape()
  const used = new Set(rules.match(/\bmintmark_\w+/g))
  expect(used.size).toBeGreaterThan(8)
  for (const name of used) expect(text).toMatch(new RegExp(`^${name}(?:\\{| )`, 'm'))
  expect(text).toMatch(/^mintmark_database_connections\{state="waiting"\}/m)
  expect(rules).toMatch(/expr: max\(mintmark_closed_since_restore\) > 0\n +for: 15m\n/)
  expect(text).toMatch(/^mintmark_http_request_seconds_count\{host="\w+",.+,status="\dxx"\}/m)
})

const ANY_ID = new RegExp(`\\b(?:${Object.values(ID_PREFIXES).join('|')})[0-9a-z]{6,}`)

test('while requests come from all sides no label is an id, an address or a secret', async () => {
  const secret = service.merchant.secretKey
  const load = Array.from({ length: 60 }, async (_, index) => {
    const { session_id, session_token } = await createSession(service.merchant, { user_email: 'eve@evil.example' })
    await service.merchant.get(`/v1/sessions/${session_id}/payment-result?token=${session_token}`)
    await fetch(`${service.apiUrl}/v1/${secret}/${newUser()}`, { method: index % 2 === 0 ? 'GET' : 'DELETE' })
    await fetch(`${service.surfaceUrl}/contacts/${service.merchant.merchantId}/ctc_x/${index}`)
  })
  const scrapes = await Promise.all([...Array.from({ length: 5 }, scrape), Promise.all(load).then(() => scrape())])
  // Those of the process have lines for what it is doing at the moment.
  const linesOf = (text: string) => text.match(/^mintmark_.*$/gm)?.length
  const before = linesOf(scrapes[5] ?? '')
  for (const text of scrapes) {
    expect(text).not.toMatch(ANY_ID)
    expect(text).not.toMatch(/[sp]k_(?:test|live)|whsec|eyJ|@|user-\d|postgres:|\/nonexistent/)
  }
  // More of the same makes no more lines.
  await Promise.all(Array.from({ length: 30 }, () => fetch(`${service.apiUrl}/v1/${newUser()}`)))
  expect(linesOf(await scrape())).toBe(before)
})

test('the port says whether the process is ready, for a worker has no other', async () => {
  const look = async () => (await fetch(`${listener.url}/ready`)).status
  expect(await look()).toBe(200)
  isReady = false
  expect(await look()).toBe(503)
})

test('the port answers nothing else', async () => {
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/metrics/x'],
    ['POST', '/metrics'],
    ['DELETE', '/metrics'],
    ['GET', '/v1/sessions'],
  ] as const) {
    const response = await fetch(listener.url + path, { method })
    expect({ method, path, status: response.status, text: await response.text() }).toEqual({
      ...{ method, path, status: 404, text: '' },
    })
  }
})

describe('what waits in the database', () => {
  let own: MetricsRegistry
  let now = 0
  const read = async () => own.render()
  beforeAll(() => {
    own = createMetricsRegistry()
    const { pool, clock } = service
    addBacklog(own.metrics, { pool, clock, log: SILENT, monotonicMillis: () => now })
  })
  afterEach(() => {
    now += 10_000
  })
  const { merchantId } = { merchantId: () => service.merchant.merchantId }
  const insert = (sql: string) => service.pool.query(sql, [merchantId(), service.clock.now()])

  test('is counted with its age, and kept for some seconds', async () => {
    // What the tests before it left.
    await service.runJobs()
    await insert(`insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence)
      values ($1, 'endpoint', 'we_late', $2::timestamptz - interval '90 seconds', 0, 1),
        ($1, 'endpoint', 'we_later', $2::timestamptz + interval '90 seconds', 0, 1)`)
    await insert(`insert into charges (merchant_id, id, line_item_id, order_id, status, amount_minor, currency, payee_name,
        payee_network_name, payee_url, payee_country, products, version, created_at, updated_at, work_due_at, attempts)
      values ($1, 'txn_late', '', '', 'minting', 1, 'USD', '', '', '', '', '[]', 1, $2, $2, $2::timestamptz - interval '70 seconds', 0)`)
    await insert(`insert into mails (merchant_id, id, contact_id, kind, facts, state, unsure, created_at, ends_at)
      values ($1, 'mail_old', 'ctc_none', 'contact_link', '{}', 'queued', 0, $2::timestamptz - interval '1 hour', $2)`)
    await insert(`insert into captured_events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version,
        environment, data, occurred_at, parked)
      values ($1, 'evt_1', 't', 'r', 'r1', 1, 'v', 'sandbox', '{}', $2::timestamptz - interval '30 seconds', null),
        ($1, 'evt_2', 't', 'r', 'r2', 1, 'v', 'sandbox', '{}', $2, 'too_large')`)
    await insert(`insert into webhook_endpoints (merchant_id, id, place, name, url, events, is_account, revision, enabled,
        failures, secret_sealed, secret_key_id, created_at, updated_at)
      values ($1, 'we_1', 1, 'n', 'https://x.example', '{}', false, 1, true, 5, '', 'local:1', $2, $2)`)
    await insert(`insert into webhook_incidents (merchant_id, id, endpoint_id, reason, opened_at)
      values ($1, 'whi_1', 'we_1', 'circuit_open', $2)`)
    await insert(`insert into webhook_deliveries (merchant_id, id, day, endpoint_id, revision, event_id, event_type, state, send_at,
        attempts, window_ends_at, created_at)
      select $1, 'whd_' || n, $2::date, 'we_1', 1, 'evt_' || n, 'payment.failed', 'queued', $2, 0, $2, $2 from generate_series(1, 50) n`)
    const text = await read()
    expect(valuesOf(text, 'webhook_deliveries_queued')).toEqual({ '': 50 })
    expect(valuesOf(text, 'webhook_queue_seconds')).toEqual({ '': 10 })
    const age = (name: string, labels = '') => valuesOf(text, name)[labels]
    expect(valuesOf(text, 'work_due')).toMatchObject({ 'kind="endpoint"': 1, 'kind="charge"': 1, 'kind="card"': 0 })
    expect(age('work_oldest_due_seconds', 'kind="endpoint"')).toBeGreaterThanOrEqual(90)
    expect(age('work_oldest_due_seconds', 'kind="charge"')).toBeGreaterThanOrEqual(70)
    expect(valuesOf(text, 'mails_waiting')).toEqual({ '': 1 })
    expect(age('mails_oldest_seconds')).toBeGreaterThanOrEqual(3_600)
    expect(valuesOf(text, 'events_unnumbered')).toEqual({ '': 1 })
    expect(age('events_sequencer_lag_seconds')).toBeGreaterThanOrEqual(30)
    expect(valuesOf(text, 'events_parked')).toEqual({ '': 1 })
    expect(valuesOf(text, 'webhook_incidents_open')).toEqual({ 'reason="circuit_open"': 1 })
    await insert(`update webhook_incidents set closed_at = $2 where merchant_id = $1`)
    expect(valuesOf(await read(), 'webhook_incidents_open')).toEqual({ 'reason="circuit_open"': 1 })
    now += 10_000
    expect(valuesOf(await read(), 'webhook_incidents_open')).toEqual({})
  })

  test('is one question, however many ask', async () => {
    let asked = 0
    const counting = createMetricsRegistry()
    const pool = new Proxy(service.pool, {
      get(target, name) {
        if (name === 'query') asked += 1
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    addBacklog(counting.metrics, { pool, clock: service.clock, log: SILENT })
    await Promise.all(Array.from({ length: 20 }, () => counting.render()))
    expect(asked).toBe(7)
  })

  test('is missing without the database, and the rest is there', async () => {
    const lost = createMetricsRegistry()
    const pool = { query: () => Promise.reject(new Error('gone')) } as never
    const clock = await startDatabaseClock(service.pool)
    addBacklog(lost.metrics, { pool, clock, log: SILENT })
    clock.stop()
    const text = await lost.render()
    expect(valuesOf(text, 'database_up')).toEqual({ '': 0 })
    expect(valuesOf(text, 'mails_waiting')).toEqual({})
    expect(text).toContain('process_cpu_seconds_total')
  })
})
