// Guarantee: however many callers charge one mandate at once, on however many nodes, neither its cap nor its count is passed;
// one charge is made for equal references; nothing is charged after a pause was acknowledged; and what fails is given back.
import type { PoolClient } from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { blockedBy } from '../../test/blocked.ts'
import { atOnce, blocked, CARDS, countBy, dbRow, expectError, networkOf } from '../../test/flows.ts'
import { type Answer, startTestNodes, startTestService } from '../../test/service.ts'
import { undone } from '../../test/undone.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { charge, chargeable, expectBalanced, onNodes, outcomeOf, reportCharge } from './testing/charge.ts'

const DAY = 24 * 60 * 60
const CALLERS = 64
const LOCK_WAIT = { interval: 10 }
const { service, others, nodes: services, close } = await startTestNodes()
afterAll(close)
const { merchant } = service
/** The same merchant, at each of three nodes. */
const nodes = onNodes(merchant, services)
const owner = await newOwner(service)

const at = (index: number) => nodes[index % nodes.length] ?? merchant
const chargeAtOnce = (count: number, mandateId: string, bodyOf: (index: number) => Record<string, unknown>) =>
  atOnce(count, (index) => charge(at(index), mandateId, bodyOf(index)))
const mintsOf = async (mandateId: string) =>
  (
    await dbRow(service, `select count(*)::int as count from simnet.mints where mandate_id = $1 and state = 'minted'`, [
      mandateId,
    ])
  ).count

async function advance(seconds: number): Promise<void> {
  await service.clock.advance(seconds)
  await Promise.all(others.map(({ clock }) => clock.refresh()))
}

describe('64 callers on three nodes', () => {
  test('never pass the cap together', async () => {
    const id = await chargeable(service, owner)
    const answers = await chargeAtOnce(CALLERS, id, () => ({ amount: '10.00' }))
    expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: 10, THRESHOLD_EXCEEDED: CALLERS - 10 })
    expect(await expectBalanced(service, id)).toEqual({ spent: 10_000, count: 10 })
  })

  test('never pass the count together', async () => {
    const id = await chargeable(service, owner, { maxCharges: 5 })
    const answers = await chargeAtOnce(CALLERS, id, (index) => ({ amount: '1.00', reference: `r-${index}` }))
    expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: 5, MAX_CHARGES_EXCEEDED: CALLERS - 5 })
    expect(await expectBalanced(service, id)).toEqual({ spent: 500, count: 5 })
  })

  test('charge a mandate for one time once: the next of them may when that came to nothing, and none when it was paid', async () => {
    const id = await chargeable(service, owner, { frequency: 'one_time' })
    const race = async () => {
      // Half of them without a reference, and all of them together within the cap.
      const answers = await chargeAtOnce(CALLERS, id, (index) => ({
        amount: '1.00',
        ...(index % 2 === 0 && { reference: `r-${index}` }),
      }))
      expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: 1, MAX_CHARGES_EXCEEDED: CALLERS - 1 })
      expect(await expectBalanced(service, id)).toEqual({ spent: 100, count: 1 })
      return answers.find((answer) => outcomeOf(answer) === 'awaiting_result')?.body.transactionId
    }
    const declined = await race()
    const { body } = await merchant.get(`/v1/mandates/${id}`)
    expect(body).toMatchObject({ state: 'consumed', status: 'active', remaining: '99.00' })
    await reportCharge(merchant, id, declined, 'DECLINED')
    await reportCharge(merchant, id, await race())
    const late = await chargeAtOnce(8, id, () => ({ amount: '1.00' }))
    for (const answer of late) expectError(answer, 409, 'MANDATE_NOT_ACTIVE')
    expect(await mintsOf(id)).toBe(2)
  })

  test('with one reference make one charge, and all get it with its credential', async () => {
    const id = await chargeable(service, owner, { maxCharges: 1 })
    // All of the cap: a caller that is late must not be told that nothing is left.
    const answers = await chargeAtOnce(CALLERS, id, () => ({ amount: '100.00', reference: 'one' }))
    expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: 1, deduplicated: CALLERS - 1 })
    const shown = answers.map(({ body: { deduplicated: _, ...rest } }) => JSON.stringify(rest))
    expect(new Set(shown).size).toBe(1)
    expect(answers[0]?.body.credentials.token).toMatch(/^\d{16}$/)
    expect(await mintsOf(id)).toBe(1)
    expect(await expectBalanced(service, id)).toEqual({ spent: 10_000, count: 1 })
  })

  test('are refused at once while the count is full, and one gets what is given back when that is committed', async () => {
    const id = await chargeable(service, owner, { maxCharges: 1 })
    const { transactionId } = (await charge(merchant, id, { amount: '1.00' })).body
    const { reported } = await undone(service, async (holder) => {
      await holder.query('select 1 from mandates where id = $1 for no key update', [id])
      const reported = reportCharge(merchant, id, transactionId, 'DECLINED')
      await expect.poll(() => blocked(service), LOCK_WAIT).toBe(1)
      const early = await chargeAtOnce(8, id, () => ({ amount: '1.00' }))
      expect(countBy(early, outcomeOf)).toEqual({ MAX_CHARGES_EXCEEDED: 8 })
      return { reported }
    })
    expect((await reported).status).toBe(200)
    const late = await chargeAtOnce(8, id, () => ({ amount: '1.00' }))
    expect(countBy(late, outcomeOf)).toEqual({ awaiting_result: 1, MAX_CHARGES_EXCEEDED: 7 })
    await expectBalanced(service, id)
  })

  const holdReference = (holder: PoolClient, mandateId: string) =>
    holder.query(
      `insert into charges (merchant_id, id, line_item_id, order_id, mandate_id, standing_mandate_id, reference, status, amount_minor,
         currency, payee_name, payee_network_name, payee_url, payee_country, products, version, created_at, updated_at)
       select merchant_id, 'txn_held', 'tli_held', order_id, id, id, 'held', 'minting', 1,
         currency, payee_name, payee_network_name, payee_url, payee_country, '[]', 1, now(), now()
       from mandates where id = $1`,
      [mandateId],
    )

  test('wait for no reference that a charge is about to hold, where the mandate allows nothing more', async () => {
    const id = await chargeable(service, owner, { maxCharges: 1 })
    await charge(merchant, id, { amount: '1.00' })
    // The clock of a node may be behind: for it, what it refuses is of the very moment of what was taken.
    const { updated_at } = await dbRow(service, 'select updated_at from mandates where id = $1', [id])
    const clocks = services.map(({ clock }) => vi.spyOn(clock, 'now').mockReturnValue(updated_at))
    await undone(service, async (holder) => {
      await holdReference(holder, id)
      const answers = await chargeAtOnce(8, id, () => ({ amount: '1.00', reference: 'held' }))
      expect(countBy(answers, outcomeOf)).toEqual({ MAX_CHARGES_EXCEEDED: 8 })
    }).finally(() => {
      for (const now of clocks) now.mockRestore()
    })
  })

  test('wait for one that is being made, and are judged by what it has left', async () => {
    const id = await chargeable(service, owner, { maxCharges: 2 })
    const { first, waiting } = await undone(service, async (holder) => {
      await holdReference(holder, id)
      // It has taken of the mandate, and waits for its reference.
      const first = charge(merchant, id, { amount: '1.00', reference: 'held' })
      await expect.poll(() => blocked(service), LOCK_WAIT).toBe(1)
      const waiting = chargeAtOnce(8, id, () => ({ amount: '1.00' }))
      await expect.poll(() => blocked(service), LOCK_WAIT).toBe(9)
      return { first, waiting }
    })
    expect(countBy([await first, ...(await waiting)], outcomeOf)).toEqual({
      awaiting_result: 2,
      MAX_CHARGES_EXCEEDED: 7,
    })
    expect(await expectBalanced(service, id)).toEqual({ spent: 200, count: 2 })
  })

  test('meet the index where a reference is taken without the lock of the mandate, and look again', async () => {
    const id = await chargeable(service, owner)
    const send = () => charge(merchant, id, { amount: '1.00', reference: 'held' })
    const { transactionId } = (await send()).body
    const free = (isFree: boolean): [string, unknown[]] => [
      'update charges set reference_freed = $2 where id = $1',
      [transactionId, isFree],
    ]
    await service.pool.query(...free(true))
    const { body } = await blockedBy(service, free(false), send)
    expect(body).toMatchObject({ transactionId, deduplicated: true })
    expect(await expectBalanced(service, id)).toEqual({ spent: 100, count: 1 })
  })

  test('with one reference and different amounts: all are answered with the amount of the one', async () => {
    const id = await chargeable(service, owner)
    const answers = await chargeAtOnce(CALLERS, id, (index) => ({ amount: `${1 + (index % 7)}.00`, reference: 'one' }))
    expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: 1, deduplicated: CALLERS - 1 })
    expect(new Set(answers.map(({ body }) => `${body.transactionId} ${body.amount}`)).size).toBe(1)
    await expectBalanced(service, id)
  })

  test('begin a new window together, and share it', async () => {
    const id = await chargeable(service, owner, { frequency: 'weekly' })
    expect(outcomeOf(await charge(merchant, id, { amount: '100.00' }))).toBe('awaiting_result')
    for (let week = 0; week < 3; week += 1) {
      await advance(7 * DAY)
      const answers = await chargeAtOnce(CALLERS, id, () => ({ amount: '10.00' }))
      expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: 10, THRESHOLD_EXCEEDED: CALLERS - 10 })
      await expectBalanced(service, id)
    }
  })
})

describe('a charge against a move of its mandate', () => {
  test.each([
    ['pause', 'paused'],
    ['cancel', 'cancelled'],
  ] as const)('%s: what begins after its answer is refused, what began before is whole', async (verb, status) => {
    const id = await chargeable(service, owner)
    const early = chargeAtOnce(24, id, (index) => ({ amount: '1.00', reference: `early-${index}` }))
    const moved = await at(1).post(`/v1/mandates/${id}/${verb}`)
    expect(moved.body.status).toBe(status)
    const late = await chargeAtOnce(12, id, (index) => ({ amount: '1.00', reference: `late-${index}` }))
    for (const answer of late) expectError(answer, 409, 'MANDATE_NOT_ACTIVE')
    const outcomes = new Set((await early).map(outcomeOf))
    expect(
      [...outcomes].filter((one) => !['awaiting_result', 'MANDATE_NOT_ACTIVE', 'PAYMENT_FAILED'].includes(one)),
    ).toEqual([])
    await service.runJobs()
    await expectBalanced(service, id)
  })

  test('its end: on the last second charges pass, after it none', async () => {
    const validUntil = new Date(service.clock.now().getTime() + 60_000)
    const id = await chargeable(service, owner, { validUntil })
    expect(outcomeOf(await charge(merchant, id, { amount: '1.00' }))).toBe('awaiting_result')
    await advance(61)
    const answers = await chargeAtOnce(12, id, () => ({ amount: '1.00' }))
    for (const answer of answers) expectError(answer, 409, 'MANDATE_NOT_ACTIVE')
  })

  test('reports of both kinds while others charge: nothing is lost, and nothing given back twice', async () => {
    const id = await chargeable(service, owner, { approvedMinor: 1_000n })
    const paid: string[] = []
    const worker = async (index: number) => {
      for (let round = 0; round < 6; round += 1) {
        const answer = await charge(at(index), id, { amount: '1.00', reference: `${index}-${round}` })
        if (outcomeOf(answer) !== 'awaiting_result') continue
        const approve = (index + round) % 4 === 0
        const { transactionId } = answer.body
        await Promise.all(
          [0, 1].map((node) => reportCharge(at(node), id, transactionId, approve ? 'APPROVED' : 'DECLINED')),
        )
        if (approve) paid.push(transactionId)
      }
    }
    await atOnce(12, worker)
    expect(await expectBalanced(service, id)).toEqual({ spent: paid.length * 100, count: paid.length })
    expect(paid.length).toBeLessThanOrEqual(10)
  })
})

describe('a network that does not answer', () => {
  test.each([
    ['the answer is lost', CARDS.mintAnswerLost],
    ['the request is lost', CARDS.mintRequestLost],
  ])('%s: every caller waits, and gets the one charge', async (_what, card) => {
    const id = await chargeable(service, await newOwner(service, merchant, card))
    const answers = await chargeAtOnce(16, id, () => ({ reference: 'r' }))
    expect(new Set(answers.map(({ body }) => body.transactionId)).size).toBe(1)
    expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: 1, deduplicated: 15 })
    expect(await mintsOf(id)).toBe(1)
    await expectBalanced(service, id)
  })

  test('the network refuses: all are told of the one failed charge, and the reference is free', async () => {
    const id = await chargeable(service, await newOwner(service, merchant, CARDS.success))
    await networkOf(service).cancelInstruction({ mandateId: id })
    const answers = await chargeAtOnce(16, id, () => ({ reference: 'r' }))
    expect(answers.map(({ status, body }) => `${status} ${body.errorCode}`)).toEqual(
      Array(16).fill('200 PAYMENT_FAILED'),
    )
    expect(await expectBalanced(service, id)).toEqual({ spent: 0, count: 0 })
  })

  test('for longer than a caller waits: 500, nothing fails, and the same reference gets the charge', async () => {
    const id = await chargeable(service, owner)
    const hasty = { isForCrowds: true, database: service.database, callerWaitMillis: 1_000 }
    const hurried = await Promise.all([1, 2, 3].map(() => startTestService(hasty)))
    const hurriedNodes = onNodes(merchant, hurried)
    const client = await service.pool.connect()
    let answers: Answer[] = []
    try {
      // The network cannot judge a mint while its instruction is held.
      await client.query('begin')
      await client.query('select 1 from simnet.instructions where mandate_id = $1 for update', [id])
      answers = await atOnce(6, (index) => charge(hurriedNodes[index % 3] ?? merchant, id, { reference: 'r' }))
      for (const answer of answers) expectError(answer, 500, 'NO_TOKEN')
      const { body } = await merchant.get(`/v1/mandates/${id}`)
      expect(body).toMatchObject({
        remaining: '75.00',
        chargeCount: 1,
        charges: [{ status: 'initiated', reference: 'r' }],
      })
    } finally {
      await client.query('rollback')
      client.release()
      await Promise.all(hurried.map((node) => node.close()))
    }
    await advance(31)
    await service.runJobs()
    const again = await charge(at(2), id, { reference: 'r' })
    expect(again.body).toMatchObject({
      status: 'awaiting_result',
      deduplicated: true,
      credentials: { dynamicCvv: expect.any(String) },
    })
    expect(await mintsOf(id)).toBe(1)
    await expectBalanced(service, id)
  })

  test('and a merchant that is suspended meanwhile: what was minted is given back there too, or counts on at both', async () => {
    const shop = await service.addMerchant()
    const id = await chargeable(service, await newOwner(service, shop))
    const { transactionId: txn } = (await charge(shop, id)).body
    // As after a lost answer: the network has minted, and this service does not know.
    await service.pool.query(
      `update charges set status = 'minting', credential_sealed = null, credential_key_id = null, lapses_at = null
       where id = $1`,
      [txn],
    )
    await service.pool.query('update charges set work_due_at = $2, attempts = 1 where id = $1', [
      txn,
      service.clock.now(),
    ])
    await service.app.merchants.updateMerchant(shop.merchantId, { status: 'suspended' })
    await service.runJobs()
    expect(await dbRow(service, 'select status, failure_code from charges where id = $1', [txn])).toEqual({
      status: 'failed',
      failure_code: 'PAYMENT_FAILED',
    })
    expect(await expectBalanced(service, id)).toEqual({ spent: 0, count: 0 })
    const mint = await dbRow(
      service,
      'select confirmed_outcome, credential_state from simnet.mints where charge_id = $1',
      [txn],
    )
    expect(mint).toEqual({ confirmed_outcome: 'DECLINED', credential_state: 'closed' })
  })

  test.each([
    ['pause', 'and had minted'],
    ['pause', 'and had not heard of it'],
    ['cancel', 'and had minted'],
    ['cancel', 'and had not heard of it'],
  ] as const)('and an owner who says %s meanwhile, %s: a repeat charges nothing', async (verb, known) => {
    const id = await chargeable(service, owner)
    const { transactionId: txn } = (await charge(merchant, id, { reference: 'r' })).body
    await service.pool.query(
      `update charges set status = 'minting', credential_sealed = null, credential_key_id = null, lapses_at = null
       where id = $1`,
      [txn],
    )
    if (known === 'and had not heard of it') {
      await service.pool.query('delete from simnet.mints where charge_id = $1', [txn])
      await service.pool.query('update simnet.windows set spent_minor = 0 where mandate_id = $1', [id])
      await service.pool.query('update simnet.instructions set charge_count = 0 where mandate_id = $1', [id])
    }
    // So often that what was asked first cannot be on its way any more.
    await service.pool.query('update charges set work_due_at = $2, attempts = 5 where id = $1', [
      txn,
      service.clock.now(),
    ])
    await merchant.post(`/v1/mandates/${id}/${verb}`)
    const again = await charge(at(1), id, { reference: 'r' })
    expect(again.body).toMatchObject({
      ...{ transactionId: txn, deduplicated: true, status: 'failed', errorCode: 'PAYMENT_FAILED', credentials: null },
    })
    expect(await expectBalanced(service, id)).toEqual({ spent: 0, count: 0 })
    const open = `select 1 from simnet.mints where charge_id = $1 and credential_state = 'open'`
    expect((await service.pool.query(open, [txn])).rowCount).toBe(0)
    if (verb === 'cancel') return
    await merchant.post(`/v1/mandates/${id}/resume`)
    expect(outcomeOf(await charge(merchant, id, { reference: 'r' }))).toBe('awaiting_result')
  })

  test('and a caller whose process died: the next one with its reference takes over', async () => {
    const id = await chargeable(service, owner)
    const client = await service.pool.connect()
    try {
      await client.query('begin')
      await client.query('select 1 from simnet.instructions where mandate_id = $1 for update', [id])
      const dying = charge(merchant, id, { reference: 'r' })
      await expectMinting(id)
      // Its lease is over, and nothing was written by it.
      await service.pool.query(
        'update charges set lease_until = $2, lease_fence = lease_fence + 1 where mandate_id = $1',
        [id, new Date(0)],
      )
      await client.query('rollback')
      const answer = await charge(at(1), id, { reference: 'r' })
      expect(answer.body).toMatchObject({ status: 'awaiting_result', deduplicated: true })
      expect((await dying).body.transactionId).toBe(answer.body.transactionId)
    } finally {
      client.release()
    }
    expect(await mintsOf(id)).toBe(1)
    await expectBalanced(service, id)
  })
})

async function expectMinting(mandateId: string): Promise<void> {
  const read = async () =>
    (await service.pool.query('select attempts from charges where mandate_id = $1', [mandateId])).rows
  const [seen] = await vi.waitUntil(async () => (await read()).length === 1 && read(), { timeout: 10_000 })
  // The worker that takes it over tries for the second time, and asks whether the first one minted.
  expect(seen).toEqual({ attempts: 1 })
}
