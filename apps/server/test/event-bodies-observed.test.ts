// Guarantee: the events of what the card network tells by itself have exactly these facts; `event-bodies.test.ts` has
// the other kinds.
import type { EventType } from '@mintmark/contract'
import { EVENT_KINDS } from '@mintmark/contract/wire/events'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvedSession, authorization, eventBodies, paymentResult, report } from './flows.ts'
import { PATIENT, startTestService, type TestService } from './service.ts'
import { shapeOf } from './shape.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
})
afterAll(() => service?.close())

test('a payment that was captured in part, refunded and disputed', async () => {
  const { merchant } = service
  const { id, item } = await approvedSession(merchant, undefined, { external_order_ref: 'order-7' })
  const { order_id, transactions } = (await paymentResult(merchant, id)).body
  const { txn_id: txn } = transactions[0]
  const { body: paid } = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
  await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
  const path = `/v1/test_helpers/authorizations/${paid.authorization_id}/settle`
  const steps: [EventType, object, { captured: string; refunded: string; counted: string }][] = [
    [
      'payment.captured',
      { type: 'captured', amount: '30.00', more_to_follow: true },
      { captured: '30.00', refunded: '0.00', counted: '40.00' },
    ],
    [
      'payment.reversed',
      { type: 'reversed', amount: '10.00' },
      { captured: '30.00', refunded: '0.00', counted: '30.00' },
    ],
    [
      'payment.refunded',
      { type: 'refunded', amount: '5.00' },
      { captured: '30.00', refunded: '5.00', counted: '30.00' },
    ],
    [
      'payment.disputed',
      { type: 'disputed', amount: '30.00' },
      { captured: '30.00', refunded: '5.00', counted: '30.00' },
    ],
  ]
  for (const [index, [type, act, sums]] of steps.entries()) {
    const done = await merchant.post(path, act)
    expect(done.status, JSON.stringify(done.body)).toBe(200)
    await service.runJobs()
    const text = (await eventBodies(service, txn)).at(-1) ?? '{}'
    const body = JSON.parse(text)
    expect(body).toMatchObject({ type, resource: { type: 'payment', id: txn, version: index + 4 } })
    expect(body.data).toEqual({
      ...{ session_id: id, mandate_id: null, order_id, external_order_ref: 'order-7', status: 'completed' },
      ...{ amount: { value: '40.00', currency: 'USD' }, outcome_source: 'network_observed' },
      ...{ failure_category: null, error_code: null },
      network: { amount: done.body.amount, merchant: expect.any(String), occurred_at: expect.any(String), ...sums },
    })
    expect(text.length, 'events stay small').toBeLessThan(900)
    const { schema, example } = EVENT_KINDS[type]
    expect(Value.Errors(schema, body), 'what the reference says of it').toEqual([])
    expect(shapeOf(body, example), 'the shape of its example').toEqual(shapeOf(example, body))
  }
})
