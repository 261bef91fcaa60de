import { afterAll, beforeAll, expect, it } from 'vitest'
import { sessionBody, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

it('takes a purchase from session to a credential that is accepted once, and a report', async () => {
  const { merchant } = service
  const created = await merchant.post('/v1/sessions', sessionBody())
  expect(created.status).toBe(201)
  const { session_id: id } = created.body

  expect((await merchant.get(`/v1/sessions/${id}/payment-result`)).body.status).toBe('pending')
  const completed = await merchant.post(`/v1/test_helpers/sessions/${id}/complete`, {})
  expect(completed.body).toMatchObject({ status: 'awaiting_result', outcome: 'approved' })

  const result = await merchant.get(`/v1/sessions/${id}/payment-result`)
  expect(result.headers.get('cache-control')).toBe('no-store')
  const [item] = result.body.transactions[0].line_items
  const { token, dynamic_cvv, expiry_month, expiry_year } = item
  const payment = {
    token,
    dynamic_cvv,
    expiry_month,
    expiry_year,
    amount: '40.00',
    currency: 'USD',
    merchant_url: 'https://tea.example',
  }
  const first = await merchant.post('/v1/test_helpers/authorizations', payment)
  expect(first.body).toMatchObject({ approved: true, response_code: '00' })
  const second = await merchant.post('/v1/test_helpers/authorizations', payment)
  expect(second.body.approved).toBe(false)

  const report = {
    txn_ref_id: item.txn_ref_id,
    txn_status: 'APPROVED',
    authorization_code: first.body.authorization_code,
  }
  const reported = await merchant.post(`/v1/sessions/${id}/report-status`, report)
  expect(reported.body).toEqual({
    status: 'confirmed',
    txn_ref_id: item.txn_ref_id,
    txn_status: 'APPROVED',
    network_confirmation: 'SUCCESS',
  })
  const final = await merchant.get(`/v1/sessions/${id}/payment-result`)
  expect(final.body.status).toBe('completed')
  expect(final.body.transactions[0].line_items[0]).toMatchObject({
    status: 'completed',
    token: null,
    dynamic_cvv: null,
  })
})
