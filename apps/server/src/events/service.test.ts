import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import type { Queryable } from '../db/statement.ts'
import { withActions } from '../db/transaction.ts'
import { createLog } from '../platform/log.ts'
import { bodyOf, createEventSink, type StoredEvent } from './service.ts'

// Guarantee: the bytes of an event are fixed when it is captured: every version of the program makes the same body from
// equal columns.

const OCCURRED_AT = new Date('2026-11-21T12:00:00.123Z')

test('the bytes of a body, of the first form', () => {
  const event: StoredEvent = {
    merchantId: 'ma_1',
    eventId: 'evt_1',
    eventType: 'payment.failed',
    resourceType: 'payment',
    resourceId: 'txn_1',
    resourceVersion: 2,
    schemaVersion: '2026-11-01',
    environment: 'sandbox',
    eventData: '{"session_id":"sess_1","external_order_ref":"“7” \\"a\\" é","error_code":null}',
    occurredAt: OCCURRED_AT,
  }
  expect(bodyOf(event)).toBe(
    '{"id":"evt_1","type":"payment.failed","schema_version":"2026-11-01","occurred_at":"2026-11-21T12:00:00.123Z",' +
      '"environment":"sandbox","account_id":"ma_1","resource":{"type":"payment","id":"txn_1","version":2},' +
      '"data":{"session_id":"sess_1","external_order_ref":"“7” \\"a\\" é","error_code":null}}',
  )
})

test('the body is the one JSON text of what was captured', async () => {
  const data = { session_id: 'sess_"1"', order_id: null, txn_id: 'é\u2028', error_code: 'X' }
  const resource = { type: 'payment', id: 'txn_1', version: 3 }
  const sink = createEventSink({ environment: 'sandbox', log: createLog({ level: 'silent' }) })
  const on = {} as Queryable
  const captured = await withActions({} as Pool, on, async () =>
    sink.prepare({ on, at: OCCURRED_AT }, { merchantId: 'ma_1', type: 'payment.succeeded', resource, data }),
  )
  const body = bodyOf({ ...captured, merchantId: 'ma_1', occurredAt: OCCURRED_AT })
  expect(body).toBe(
    JSON.stringify({
      id: captured.eventId,
      type: 'payment.succeeded',
      schema_version: '2026-11-01',
      occurred_at: OCCURRED_AT.toISOString(),
      environment: 'sandbox',
      account_id: 'ma_1',
      resource,
      data,
    }),
  )
})
