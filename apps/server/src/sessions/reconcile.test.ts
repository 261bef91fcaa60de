// Guarantee: an unknown answer of the network is never a failure and never a second mint; whatever died or hung is taken
// to its end by any number of workers, each item by one of them; every committed change has one event (faults C1, C2).
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EVENTS } from '../../test/events.ts'
import {
  approvedSession,
  atOnce,
  authorization,
  CARDS,
  chargeOf,
  complete,
  createSession,
  dbRow,
  eventBodies,
  eventsOf,
  expectError,
  newUser,
  paymentResult,
  report,
} from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { call, jsonRequest, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'

/** Two nodes on one database. */
let service: TestService
let secondNode: TestService
let merchant: TestMerchant
const { log, alarms } = keepLog('error')
beforeAll(async () => {
  service = await startTestService({
    ...{ isForCrowds: true, lostMillis: 400 },
    log,
  })
  secondNode = await startTestService({ database: service.database, isForCrowds: true })
  merchant = service.merchant
})
afterAll(async () => {
  await secondNode?.close()
  await service?.close()
})

const resultOf = async (id: string) => (await paymentResult(merchant, id)).body

/** Moves the clock on both nodes, which else learn of it within a second. */
async function advance(seconds: number): Promise<void> {
  await service.clock.advance(seconds)
  await secondNode.clock.advance(1)
}

async function runJob(node: TestService, name: string): Promise<number> {
  const job = node.job(name)
  const { taken } = await job.run()
  await job.settled?.()
  return taken
}

/** As time, another worker or a caller would change the charge of a session. */
async function changeCharge(id: string, change: string): Promise<void> {
  const { rowCount } = await service.pool.query(`update charges set ${change} where opened_by = $1`, [id])
  expect(rowCount).toBe(1)
}

/** One credential: minted once, shown, accepted once, announced once. */
async function expectOneCredential(id: string): Promise<void> {
  const result = await resultOf(id)
  expect(result.status).toBe('awaiting_result')
  const charge = await chargeOf(service, id)
  expect(charge).toMatchObject({ mint_state: 'minted', charge_count: 1, lease_until: null })
  // No network call is open: what is left to do is to let the credential lapse, in its time.
  expect(charge.work_due_at).toEqual(charge.valid_until)
  expect(await eventsOf(service, id)).toEqual(['2 payment.credentials_ready'])
  const body = authorization(result.transactions[0].line_items[0])
  const codes = [
    await merchant.post('/v1/test_helpers/authorizations', body),
    await merchant.post('/v1/test_helpers/authorizations', body),
  ].map((answer) => answer.body.response_code)
  expect(codes).toEqual(['00', '57'])
}

describe('the network does not answer', () => {
  test.for([
    ['the answer is lost', CARDS.mintAnswerLost],
    ['the request is lost', CARDS.mintRequestLost],
    ['it hangs, and mints later', CARDS.mintHangs],
  ])('%s: processing, and exactly one credential after the next try', async ([, card]) => {
    const { id, status, item } = await approvedSession(merchant, card)
    expect(status).toBe('processing')
    expect(item).toMatchObject({ status: 'pending', token: null })
    await advance(2)
    await secondNode.runJobs()
    await expectOneCredential(id)
  })

  test('what is not due yet is left alone', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintRequestLost)
    await changeCharge(id, `work_due_at = work_due_at + interval '60 seconds'`)
    expect(await runJob(service, 'charges.reconcile')).toBe(0)
    await advance(62)
    expect(await runJob(secondNode, 'charges.reconcile')).toBe(1)
    await expectOneCredential(id)
  })

  test('it stays silent: processing for as long as that lasts, tried ever more rarely', async () => {
    const purchase_context = { custom: { ...tea(), effective_until_minutes: 1440 } }
    const { id } = await approvedSession(merchant, CARDS.mintRequestLost, { purchase_context })
    for (const pause of [2, 5, 10, 30, 30]) {
      await advance(40)
      await service.pool.query('delete from simnet.scripted_failures')
      const before = service.clock.now().getTime()
      // One round: on a busy machine the next try may be due before all jobs have been asked.
      await runJob(service, 'charges.reconcile')
      const after = service.clock.now().getTime()
      expect(await resultOf(id)).toMatchObject({ status: 'processing' })
      const { work_due_at: dueAt } = await chargeOf(service, id)
      expect(dueAt.getTime()).toBeLessThanOrEqual(after + pause * 1000)
      expect(dueAt.getTime()).toBeGreaterThanOrEqual(before + pause * 1000)
    }
    // A quarter of an hour later the operator is to know.
    expect(alarms('work_stuck')).toEqual([])
    await changeCharge(id, 'attempts = 33')
    await advance(40)
    await service.pool.query('delete from simnet.scripted_failures')
    await runJob(service, 'charges.reconcile')
    const { id: row_id } = await dbRow(service, 'select id from charges where opened_by = $1', [id])
    expect(alarms('work_stuck')).toMatchObject([{ job: 'charges.reconcile', row_id, attempt: 34 }])
    await advance(40)
    await secondNode.runJobs()
    await expectOneCredential(id)
  })

  test('it was asked too late: its word, that the approval has lapsed, ends the session', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintRequestLost)
    await advance(901)
    expect(await resultOf(id)).toMatchObject({ status: 'processing' })
    await secondNode.runJobs()
    expect(await resultOf(id)).toMatchObject({ status: 'failed', error: { code: 'MANDATE_EXPIRED' } })
    expect(await chargeOf(service, id)).toMatchObject({ mint_state: 'declined', mandate_status: 'cancelled' })
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
  })

  test('it had minted, and the approval lapsed before we knew: the credential is never shown', async () => {
    const { id, item } = await approvedSession(merchant, CARDS.mintAnswerLost)
    await advance(901)
    await secondNode.runJobs()
    const result = await resultOf(id)
    expect(result).toMatchObject({ status: 'failed', error: { code: 'MANDATE_EXPIRED' } })
    expect(result.transactions[0].line_items[0].token).toBe(null)
    expect(await chargeOf(service, id)).toMatchObject({ credential_sealed: null })
    const answer = await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
    expectError(answer, 400, 'MANDATE_EXPIRED')
  })

  test('enrolling a card, the answer is lost: said so, and the retry gets the one token', async () => {
    const { session_id } = await createSession(merchant)
    const card = { card_number: CARDS.provisionAnswerLost }
    expectError(await complete(merchant, session_id, card), 503, 'NETWORK_UNAVAILABLE')
    expect(await resultOf(session_id)).toMatchObject({ status: 'pending' })
    expect((await complete(merchant, session_id, card)).body).toMatchObject({ status: 'awaiting_result' })
    const row = await dbRow(
      service,
      `select count(*)::int as cards, count(t.token_ref)::int as tokens from cards c
       left join simnet.tokens t on t.card_id = c.id
       where (c.merchant_id, c.customer_id) = (select merchant_id, customer_id from sessions where id = $1)`,
      [session_id],
    )
    expect(row).toEqual({ cards: 1, tokens: 1 })
  })
})

function tea(): object {
  return {
    merchant_details: { name: 'Tea House', url: 'https://tea.example', country_code_iso2: 'US' },
    product_details: [{ description: 'Tea', unit_price: '40.00' }],
  }
}

describe('workers', () => {
  test('two at once share the open charges: each is driven once', async () => {
    const ids = (await atOnce(12, () => approvedSession(merchant, CARDS.mintRequestLost))).map(({ id }) => id)
    const thirdNode = await startTestService({ database: service.database, isForCrowds: true })
    const leases = await Promise.all(ids.map(async (id) => (await chargeOf(service, id)).lease_fence))
    await advance(2)
    await thirdNode.clock.advance(1)
    const nodes = [thirdNode, secondNode, thirdNode, secondNode]
    const counts = await Promise.all(nodes.map((node) => runJob(node, 'charges.reconcile'))).finally(thirdNode.close)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12)
    for (const [place, id] of ids.entries()) {
      // After the lease of the approval one of a worker.
      const lease_fence = leases[place] + 1n
      expect(await chargeOf(service, id)).toMatchObject({ status: 'awaiting_result', lease_fence, charge_count: 1 })
      expect(await eventsOf(service, id)).toEqual(['2 payment.credentials_ready'])
    }
  })

  test('one that waits for the network is driven beside the job, which goes on to the others', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintRequestLost)
    const { id: lapsing } = await approvedSession(merchant)
    await advance(2)
    const job = secondNode.job('charges.reconcile')
    const client = await service.pool.connect()
    try {
      await client.query('begin')
      await client.query('lock table simnet.instructions in access exclusive mode')
      expect((await job.run()).taken).toBe(1)
      await changeCharge(lapsing, `lapses_at = created_at, work_due_at = work_due_at - interval '1 day'`)
      expect((await job.run()).taken).toBe(1)
      await expect.poll(async () => (await dbCharge(lapsing)).status, { interval: 10 }).toBe('failed')
      // The first one is at the network still.
      const work = 'select lease_until from charges where opened_by = $1'
      expect(await dbRow(service, work, [id])).toEqual({ lease_until: expect.any(Date) })
    } finally {
      await client.query('rollback')
      client.release()
    }
    await job.settled?.()
    await expectOneCredential(id)
  })

  test('a charge in hand is left alone until its lease ends', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintRequestLost)
    await changeCharge(id, `lease_until = work_due_at + interval '30 seconds'`)
    await advance(5)
    expect(await runJob(service, 'charges.reconcile')).toBe(0)
    await advance(30)
    expect(await runJob(secondNode, 'charges.reconcile')).toBe(1)
    await expectOneCredential(id)
  })

  test('a late writer is fenced off: it writes nothing, says nothing, and the charge is settled once', async () => {
    const { session_id: id } = await createSession(merchant)
    await complete(merchant, id, { stop_after: 'passkey' })
    const client = await service.pool.connect()
    try {
      // The network is held up in the middle of the approval …
      await client.query('begin')
      await client.query('lock table simnet.instructions in access exclusive mode')
      const late = slowly(id)
      await expect.poll(async () => (await dbCharge(id)).status, { interval: 10 }).toBe('minting')
      // … while another worker takes the charge over.
      await changeCharge(id, 'lease_fence = lease_fence + 1')
      await client.query('commit')
      expect((await late).body).toMatchObject({ status: 'processing' })
    } finally {
      client.release()
    }
    expect(await chargeOf(service, id)).toMatchObject({
      status: 'minting',
      credential_sealed: null,
      mint_state: 'minted',
    })
    expect(await eventsOf(service, id)).toEqual([])
    await advance(60)
    await secondNode.runJobs()
    await expectOneCredential(id)
  })

  /** The approval through the patient node. */
  function slowly(id: string) {
    const authorization = `Bearer ${merchant.secretKey}`
    return call(`${secondNode.apiUrl}/v1/test_helpers/sessions/${id}/complete`, jsonRequest(authorization, {}))
  }
  const dbCharge = (id: string) => dbRow(service, 'select status from charges where opened_by = $1', [id])

  test('two sweepers at once end 120 expired sessions, each once', async () => {
    const fresh = await service.addMerchant()
    // More at once would be refused at the door.
    for (let batch = 0; batch < 4; batch += 1) await atOnce(30, () => createSession(fresh, { user_id: newUser() }))
    await advance(901)
    await Promise.all([service.runJobs(), secondNode.runJobs()])
    expect(await summary(fresh)).toEqual({ SESSION_EXPIRED: 120 })
    expect(await eventCounts(fresh)).toEqual({ 'payment.failed': 120 })
    expect(await runJob(service, 'sessions.expire')).toBe(0)
  })

  test('two sweepers at once end lapsed approvals, each once, and leave no credential', async () => {
    const fresh = await service.addMerchant()
    await atOnce(20, () => approvedSession(fresh))
    await advance(901)
    await Promise.all([service.runJobs(), secondNode.runJobs()])
    expect(await summary(fresh)).toEqual({ MANDATE_EXPIRED: 20 })
    expect(await eventCounts(fresh)).toEqual({ 'payment.credentials_ready': 20, 'payment.failed': 20 })
    const left = await dbRow(
      service,
      `select count(credential_sealed)::int as sealed from charges where merchant_id = $1`,
      [fresh.merchantId],
    )
    expect(left).toEqual({ sealed: 0 })
  })

  async function summary({ merchantId }: TestMerchant) {
    const sql = 'select failure_code as key, count(*)::int as count from charges where merchant_id = $1 group by 1'
    return counts(sql, merchantId)
  }
  async function eventCounts({ merchantId }: TestMerchant) {
    return counts(
      `select type as key, count(*)::int as count from ${EVENTS} events where merchant_id = $1 group by 1`,
      merchantId,
    )
  }
  async function counts(sql: string, merchantId: string): Promise<Record<string, number>> {
    const { rows } = await service.pool.query<{ key: string; count: number }>(sql, [merchantId])
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]))
  }
})

describe('events', () => {
  test('one a change, in rising versions, with exactly these keys', async () => {
    const { id, item } = await approvedSession(merchant, undefined, { external_order_ref: 'order-7' })
    await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
    expect(await eventsOf(service, id)).toEqual(['2 payment.credentials_ready', '3 payment.succeeded'])
    const { rows } = await service.pool.query(
      `select * from ${EVENTS} events where resource_id = $1 order by resource_version`,
      [(await chargeOf(service, id)).id],
    )
    const { order_id, transactions } = await resultOf(id)
    expect(rows).toHaveLength(2)
    const bodies = await eventBodies(service, (await chargeOf(service, id)).id)
    for (const [place, row] of rows.entries()) {
      const text = bodies[place] ?? ''
      const body = JSON.parse(text)
      expect(body).toEqual({
        id: row.id,
        type: row.type,
        schema_version: '2026-11-01',
        occurred_at: row.occurred_at.toISOString(),
        environment: 'sandbox',
        account_id: merchant.merchantId,
        resource: { type: 'payment', id: transactions[0].txn_id, version: row.resource_version },
        data: {
          session_id: id,
          mandate_id: null,
          order_id,
          external_order_ref: 'order-7',
          status: place === 0 ? 'awaiting_result' : 'completed',
          amount: { value: '40.00', currency: 'USD' },
          outcome_source: place === 0 ? 'service_issued' : 'merchant_reported',
          failure_category: null,
          error_code: null,
        },
      })
      expect(text).not.toContain(item.token)
      // An id may spell anything by chance.
      const words = text.replaceAll(/(?<=_)[0-9a-z]{10,}/g, '')
      expect(words).not.toMatch(/ann@example|user-|4242|cus_|card_|tea/i)
    }
  })

  test('a failure says why', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintDeclined)
    const [body] = await eventBodies(service, (await chargeOf(service, id)).id)
    expect(JSON.parse(body ?? '')).toMatchObject({ type: 'payment.failed', data: { error_code: 'CARD_DECLINED' } })
  })
})
