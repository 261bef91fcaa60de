// Guarantee: after a restore no caller is let in and nothing new is made until the network has been asked what has ended since, and that has
// ended here as well; the door is opened once, by an operator (faults K2).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dbRow, expectError, networkOf } from '../../test/flows.ts'
import { call, PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { charge, chargeable, expectBalanced, onNodes, reportCharge, spend } from '../charges/testing/charge.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { newId } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { backUp } from './testing/backup.ts'

let service: TestService
let other: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  other = await startTestService({ env: PATIENT, database: service.database })
  merchant = service.merchant
})
afterAll(async () => {
  await other?.close()
  await service?.close()
})

const SILENT = createLog({ level: 'silent' })
const nodes = () => [service, other]
const restored = () => service.app.restored
const chargeRow = (id: string) => dbRow(service, 'select * from charges where id = $1', [id])
const statusOf = async (mandateId: string) => (await merchant.get(`/v1/mandates/${mandateId}`)).body.status

const newKey = () => service.app.merchants.createKey(merchant.merchantId, 'secret')
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

/** What an operator's verb has written reaches every process. */
const heardOf = () => Promise.all(nodes().map(({ clock }) => clock.refresh()))

test('closed, asked, followed, opened', async () => {
  const [owner, leaver] = [await newOwner(service), await newOwner(service)]
  const [kept, cancelled, ofCard] = [
    await chargeable(service, owner, { frequency: 'yearly' }),
    await chargeable(service, owner, { frequency: 'yearly' }),
    await chargeable(service, leaver, { frequency: 'yearly' }),
  ]
  const [unused, used, reported] = [
    await charge(merchant, kept, { reference: 'unused' }),
    await charge(merchant, kept, { reference: 'used' }),
    await charge(merchant, kept, { reference: 'reported' }),
  ]
  await service.runJobs()
  const { merchants } = service.app
  const [spare, revoked] = [await newKey(), await newKey()]
  for (const one of [revoked, spare]) {
    expect((await call(`${service.apiUrl}/v1/mandates`, bearer(one.key.reveal()))).status).toBe(200)
  }
  await merchants.revokeKey(revoked.keyId)
  await merchants.keepKeyUses(SILENT).stop()
  const restore = await backUp(service.pool)

  // Meanwhile things end, and are spent.
  await merchants.revokeKey(spare.keyId)
  expect((await spend(service, merchant, used)).body).toMatchObject({ approved: true })
  expect((await reportCharge(merchant, kept, reported.body.transactionId, 'DECLINED')).status).toBe(200)
  expect((await merchant.post(`/v1/mandates/${cancelled}/cancel`)).status).toBe(200)
  const { card_id: cardId } = await dbRow(service, 'select card_id from mandates where id = $1', [ofCard])
  const { customer_id } = await dbRow(service, 'select customer_id from cards where id = $1', [cardId])
  expect((await merchant.post('/v1/deleteCard', { customer_id, card_id: cardId })).status).toBe(200)
  await service.runJobs()

  await restore()
  await service.app.restored.beginEpoch()
  await heardOf()

  // The backup has revived what ended, and callers are not let in to find out.
  expect(await chargeRow(reported.body.transactionId)).toMatchObject({ status: 'awaiting_result' })
  for (const caller of onNodes(merchant, nodes())) {
    const refused = await charge(caller, cancelled)
    expectError(refused, 503, 'SERVICE_UNAVAILABLE')
    expect(refused.body.error.message).toMatch(/restored from a backup and is closed/)
    expect(refused.headers.get('retry-after')).toBe('30')
  }
  expect((await merchant.wallet.get('/v1/customers/none')).status).toBe(503)
  expect((await fetch(`${service.surfaceUrl}/s/${merchant.merchantId}/${newId('session')}`)).status).toBe(503)
  for (const { apiUrl } of nodes()) {
    expect((await call(`${apiUrl}/health`)).status).toBe(200)
    const ready = await call(`${apiUrl}/ready`)
    expect(ready.body.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: expect.stringMatching(/restored/) })
  }
  const closed = { outcome: 'unknown', cause: 'closed since a restore' }
  const network = networkOf(service)
  expect(await service.app.parts.network.mint({ chargeId: newId('charge') } as never)).toEqual(closed)
  expect(await service.app.parts.network.provision({ cardId } as never)).toEqual(closed)

  // Nothing was listed; then listed on one node that is killed half-way, so to speak, and gone on with by both.
  await expect(restored().open({ force: false })).rejects.toThrow(/was not listed yet\. .+ Nothing was changed\.$/)
  await service.job('restored.follow').run()
  await service.pool.query("update restored_subjects set word = null where kind = 'mandate'")
  await service.pool.query('update restored set is_listed = false')
  expect(await restored().show()).toMatchObject({ state: 'closed', is_listed: false })
  await Promise.all(nodes().map((node) => node.runJobs()))

  const { counts, followed, keys_used_last: keys, ...state } = await restored().show()
  expect(state).toMatchObject({ state: 'closed', is_listed: true, unanswered: 0 })
  expect(counts).toEqual(
    expect.arrayContaining([
      { kind: 'card', network_says: 'ended', count: 1 },
      { kind: 'charge', network_says: 'used', count: 1 },
      { kind: 'charge', network_says: 'ended', count: 2 },
      { kind: 'mandate', network_says: 'active', count: 1 },
    ]),
  )
  const ids = followed.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([cardId, cancelled, used.body.transactionId, unused.body.transactionId]))
  expect(ids).not.toContain(kept)
  // A key that was revoked since opens again, and is shown with its last use before the backup.
  const secret = { merchant_id: merchant.merchantId, kind: 'secret', last_used_at: expect.any(Date) }
  expect(keys[0]).toEqual({ ...secret, key_id: spare.keyId })
  expect(keys).toContainEqual({ ...secret, key_id: merchant.secretKey.slice(8, 24) })
  expect(keys.map(({ key_id }) => key_id)).not.toContain(revoked.keyId)
  // Nothing was sent or numbered meanwhile.
  expect(await dbRow(service, 'select count(*)::int as sent from captured_events')).not.toMatchObject({ sent: 0 })

  // One of two operators opens it.
  const opened = await Promise.all([restored().open({ force: false }), restored().open({ force: false })])
  expect(opened.filter((one) => one.opened)).toHaveLength(1)
  await heardOf()
  expect((await call(`${other.apiUrl}/ready`)).status).toBe(200)
  await service.runJobs()

  expect(await statusOf(cancelled)).toBe('cancelled')
  expect(await statusOf(ofCard)).toBe('cancelled')
  expect(await statusOf(kept)).toBe('active')
  expect(await dbRow(service, 'select status from cards where id = $1', [cardId])).toEqual({ status: 'deleted' })
  expect(await chargeRow(unused.body.transactionId)).toMatchObject({ status: 'failed', credential_sealed: null })
  expect(await chargeRow(reported.body.transactionId)).toMatchObject({ status: 'failed', credential_sealed: null })
  expect(await chargeRow(used.body.transactionId)).toMatchObject({ status: 'awaiting_result' })
  expect((await reportCharge(merchant, kept, used.body.transactionId)).body).toMatchObject({ status: 'completed' })
  expect(await expectBalanced(service, kept)).toEqual({ spent: 2_500, count: 1 })
  expect(await network.inquire({ chargeId: unused.body.transactionId })).toMatchObject({ value: { state: 'returned' } })
  expect((await charge(merchant, kept, { reference: 'unused' })).body).toMatchObject({ status: 'awaiting_result' })
})

test('while the network is silent the door stays closed, unless it is forced', async () => {
  const owner = await newOwner(service)
  const id = await chargeable(service, owner, { frequency: 'yearly' })
  await service.app.restored.beginEpoch()
  await heardOf()
  const hasty = await startTestService({ env: { NETWORK_TIMEOUT_MS: '100' }, database: service.database })
  const blocking = await service.pool.connect()
  try {
    await blocking.query('begin; lock table simnet.instructions in access exclusive mode')
    await hasty.job('restored.follow').run()
  } finally {
    await blocking.query('rollback')
    blocking.release()
    await hasty.close()
  }
  expect((await restored().show()).unanswered).toBeGreaterThan(0)
  await expect(restored().open({ force: false })).rejects.toThrow(/has not answered about .*\d of kind mandate/)
  expect(await restored().open({ force: true })).toMatchObject({ state: 'open', opened: true })
  expect(await restored().open({ force: false })).toMatchObject({ state: 'open', opened: false })
  await heardOf()
  expect(await statusOf(id)).toBe('active')
})
