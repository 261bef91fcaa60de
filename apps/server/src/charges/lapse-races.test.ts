// Guarantee: one of these happens: the use of a credential, its report, its lapse on several nodes, or its end before its time; and service and
// network agree on which (faults C11).
import { afterAll, describe, expect, test } from 'vitest'
import { atOnce, CARDS, countBy } from '../../test/flows.ts'
import { startTestNodes, startTestService } from '../../test/service.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { charge, chargeable, expectBalanced, onNodes, outcomeOf, reportCharge, spend } from './testing/charge.ts'
import { BACK, LAPSED, lapsing, READY, TAKEN } from './testing/lapse.ts'

const { service, nodes, close } = await startTestNodes()
afterAll(close)
const { merchant } = service
/** The same merchant, at each of three nodes. */
const callers = onNodes(merchant, nodes)
const owner = await newOwner(service)
const at = lapsing(nodes, merchant, owner)

const as = (index: number) => callers[index % callers.length] ?? merchant
const end = (chargeId: string) => service.app.charges.endCredential({ merchantId: merchant.merchantId, chargeId })
const lapseEverywhere = () => Promise.all(nodes.map((node) => node.runJobs()))

describe('at the same moment', () => {
  test('a lapse on three nodes: each charge ends once, and gives back once', async () => {
    const id = await chargeable(service, owner, { frequency: 'yearly' })
    const made = await atOnce(12, (index) => charge(as(index), id, { amount: '5.00', reference: `r-${index}` }))
    const spent = made.filter((_, index) => index % 3 === 0)
    for (const one of spent) expect((await spend(service, merchant, one)).body.approved).toBe(true)
    await at.passLapse(made[0]?.body.transactionId, 60)
    await lapseEverywhere()
    await lapseEverywhere()
    for (const one of made) {
      const events = await at.typesOf(one.body.transactionId)
      expect(events).toEqual(spent.includes(one) ? [READY] : [READY, '3 payment.failed'])
    }
    expect(await expectBalanced(service, id)).toEqual({ spent: 2_000, count: 4 })
  })

  test.each([true, false])(
    '32 reports and the lapse, spent: %s: the network decides, and all are told the same',
    async (isSpent) => {
      const { id, made, txn } = await at.charged()
      if (isSpent) await spend(service, merchant, made)
      await at.passLapse(txn)
      const [answers] = await Promise.all([
        atOnce(32, (index) => reportCharge(as(index), id, txn, isSpent ? 'APPROVED' : 'DECLINED')),
        lapseEverywhere(),
      ])
      expect(countBy(answers, ({ status }) => status)).toEqual({ [isSpent ? 200 : 409]: 32 })
      expect(await at.typesOf(txn)).toEqual([READY, isSpent ? '3 payment.succeeded' : '3 payment.failed'])
      expect(await expectBalanced(service, id)).toEqual(isSpent ? TAKEN : BACK)
    },
  )

  test('reports while the time passes: one winner', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, txn } = await at.charged()
      await at.passLapse(txn, -1)
      const [answers] = await Promise.all([
        atOnce(32, (index) => reportCharge(as(index), id, txn)),
        at.advance(2).then(lapseEverywhere),
      ])
      const statuses = countBy(answers, ({ status }) => status)
      const won = (await at.rowOf(txn)).status === 'completed'
      expect(statuses).toEqual({ [won ? 200 : 409]: 32 })
      expect(await at.typesOf(txn)).toEqual([READY, won ? '3 payment.succeeded' : '3 payment.failed'])
      expect(await expectBalanced(service, id)).toEqual(won ? TAKEN : BACK)
    }
  })

  test('a payment at the acquirer and the lapse: used or released, and the books agree', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, made, txn } = await at.charged()
      const [paid, ended] = await Promise.all([spend(service, merchant, made), end(txn)])
      expect(ended).toBe(paid.body.approved ? 'used' : 'ended')
      await service.runJobs()
      expect((await at.rowOf(txn)).status).toBe(paid.body.approved ? 'awaiting_result' : 'failed')
      expect(await expectBalanced(service, id)).toEqual(paid.body.approved ? TAKEN : BACK)
    }
  })
})

describe('a credential that is ended before its time', () => {
  test('is dead at once, and its charge has come to nothing: its reference is free again', async () => {
    const { id, made, txn } = await at.charged({ reference: 'r' })
    for (const _ of ['once', 'again']) expect(await end(txn)).toBe('ended')
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
    expect(await at.typesOf(txn)).toEqual([READY, '3 payment.failed'])
    expect((await spend(service, merchant, made)).body).toMatchObject({ approved: false })
    expect(await expectBalanced(service, id)).toEqual(BACK)
    const { body } = await charge(merchant, id, { reference: 'r' })
    expect(body).toMatchObject({ deduplicated: false, status: 'awaiting_result' })
    expect(body.transactionId).not.toBe(txn)
  })

  test('stays as it is where it was used, and where it was reported', async () => {
    const { id, made, txn } = await at.charged()
    await spend(service, merchant, made)
    expect(await end(txn)).toBe('used')
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject({ status: 'awaiting_result' })
    await reportCharge(merchant, id, txn)
    expect(await end(txn)).toBe('used')
    const declined = await at.charged()
    await reportCharge(merchant, declined.id, declined.txn, 'DECLINED')
    expect(await end(declined.txn)).toBe('ended')
    expect(await at.rowOf(declined.txn)).toMatchObject({ failure_code: 'PAYMENT_DECLINED' })
    expect(await expectBalanced(service, declined.id)).toEqual(BACK)
  })

  test('a charge that is being minted comes to nothing: what is asked late makes no credential', async () => {
    const id = await chargeable(service, await newOwner(service, merchant, CARDS.mintRequestLost))
    // Its answer is lost for long enough that the end comes before it is asked again.
    const node = await startTestService({ isForCrowds: true, lostMillis: 10_000, database: service.database })
    const [there = merchant] = onNodes(merchant, [node])
    const asking = charge(there, id, { reference: 'r' }).finally(() => node.close())
    const found = async () =>
      (await service.pool.query('select id from charges where standing_mandate_id = $1', [id])).rows[0]?.id
    await expect.poll(found).toBeDefined()
    expect(await end(await found())).toBe('ended')
    await at.advance(2)
    await service.runJobs()
    expect(outcomeOf(await asking)).toBe('PAYMENT_FAILED')
    expect(await expectBalanced(service, id)).toEqual(BACK)
  })

  test('a network that says nothing: nothing is changed', async () => {
    const { made, txn } = await at.charged({}, {}, await newOwner(service, merchant, numberOf('release_fails_once')))
    expect(await end(txn)).toBe('unknown')
    expect((await at.rowOf(txn)).lapses_at.toISOString()).toBe(made.body.expiresAt)
    expect(await end(txn)).toBe('ended')
  })
})
