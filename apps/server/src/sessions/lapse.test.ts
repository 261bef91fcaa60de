// Guarantee: when the time of a checkout passes without a report, its payment reads failed at once, and the network is asked until it has ended
// the credential. One that was spent all the same is an alarm (faults C11).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvedSession, authorization, chargeOf, eventsOf, paymentResult } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'

let service: TestService
let merchant: TestMerchant
const { log, alarms } = keepLog('error')
beforeAll(async () => {
  service = await startTestService({ log })
  merchant = service.merchant
})
afterAll(() => service?.close())

const LIFE_SECONDS = 900

/** Its time passes, and a read says so; what the network is to be told is left to the worker. */
async function lapse(id: string): Promise<void> {
  await service.clock.advance(LIFE_SECONDS + 1)
  const { body } = await paymentResult(merchant, id)
  expect(body).toMatchObject({ status: 'failed', error: { code: 'MANDATE_EXPIRED' } })
  expect(await chargeOf(service, id)).toMatchObject({ mandate_status: 'expired', mint_state: 'minted' })
}

test('unused: it is ended at the network, in milliseconds and once', async () => {
  const { id } = await approvedSession(merchant)
  await lapse(id)
  expect(await service.job('mandates.end').run()).toMatchObject({ taken: 1 })
  await service.job('mandates.end').settled?.()
  const ended = await chargeOf(service, id)
  expect(ended).toMatchObject({ mint_state: 'released', credential_state: 'closed', mandate_due_at: null })
  expect(ended).toMatchObject({
    status: 'failed',
    mandate_status: 'expired',
    credential_sealed: null,
    work_due_at: null,
  })
  expect(await eventsOf(service, id)).toEqual(['2 payment.credentials_ready', '3 payment.failed'])
  expect(await service.job('mandates.end').run()).toMatchObject({ taken: 0 })
  expect(alarms('lapsed_credential_used')).toEqual([])
})

test('of many reads at its end one gives the work', async () => {
  const { id } = await approvedSession(merchant)
  await service.clock.advance(LIFE_SECONDS + 1)
  await Promise.all(Array.from({ length: 12 }, () => paymentResult(merchant, id)))
  await service.runJobs()
  expect(await chargeOf(service, id)).toMatchObject({ mint_state: 'released', mandate_due_at: null })
  expect(await eventsOf(service, id)).toEqual(['2 payment.credentials_ready', '3 payment.failed'])
})

test('spent, and never reported: an alarm names it', async () => {
  const { id, item } = await approvedSession(merchant)
  const spent = await merchant.post('/v1/test_helpers/authorizations', {
    ...authorization({}, { token: item.token, dynamic_cvv: item.dynamic_cvv }),
    ...{ expiry_month: item.expiry_month, expiry_year: item.expiry_year, amount: '40.00' },
    merchant_url: 'https://tea.example',
  })
  expect(spent.body).toMatchObject({ approved: true })
  await lapse(id)
  await service.runJobs()
  const { id: charge_id, ...ended } = await chargeOf(service, id)
  expect(ended).toMatchObject({ status: 'failed', mint_state: 'minted', mandate_due_at: null })
  expect(alarms('lapsed_credential_used')).toMatchObject([{ charge_id, merchant_id: merchant.merchantId }])
})

test('the network is silent: it is asked again', async () => {
  const { id } = await approvedSession(merchant)
  await lapse(id)
  const hasty = await startTestService({ env: { NETWORK_TIMEOUT_MS: '400' }, database: service.database })
  const silence = await service.pool.connect()
  try {
    await silence.query('begin; lock table simnet.mints in access exclusive mode')
    await hasty.job('mandates.end').run()
    await hasty.job('mandates.end').settled?.()
  } finally {
    await silence.query('rollback')
    silence.release()
    await hasty.close()
  }
  const open = await chargeOf(service, id)
  expect(open).toMatchObject({ status: 'failed', mandate_attempts: 1 })
  expect(open.mandate_due_at).not.toBeNull()
  await service.clock.advance(60)
  await service.runJobs()
  expect(await chargeOf(service, id)).toMatchObject({ mint_state: 'released', mandate_due_at: null })
})
