// Guarantee: whatever ends a purchase from outside, at any step, what was minted is voided and what was prepared is given back, or it
// says that it was paid. Nothing in between is called a failure.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { atOnce, CARDS, countBy, dbRow, eventsOf, expectError, paymentResult, revoke } from '../../../test/flows.ts'
import {
  AT_REST,
  approvedQuote,
  type Buying,
  booksOf,
  buyOnce,
  LONG_LEASE,
  quotedSession,
  settle,
  startBuying,
} from './testing/quoted.ts'
import type { Question } from './testing/scripted-shop.ts'

let buying: Buying
beforeAll(async () => {
  buying = await startBuying({ env: LONG_LEASE })
})
afterAll(() => buying?.service.close())
beforeEach(() => buying.renew())

const REVOKED = { ...AT_REST.unpaid, state: 'failed', failure: 'SESSION_REVOKED' }

/** Does something while the shop is being asked, the first time. */
function during(question: Question, meanwhile: (chargeId: string) => Promise<unknown>) {
  let isFirst = true
  buying.shop.on(question, async (chargeId) => {
    if (!isFirst) return
    isFirst = false
    await meanwhile(chargeId)
  })
}

test.each(['ok', 'lost_after', 'in_progress'] as const)(
  'a mandate that is cancelled while its shop is paid leaves the payment alone: %s',
  async (behaviour) => {
    const { service, shop } = buying
    shop.script('pay', behaviour)
    const { id, chargeId } = await approvedQuote(buying)
    const { mandate_id } = await dbRow(service, 'select mandate_id from charges where id = $1', [chargeId])
    const instruction = async () =>
      (await dbRow(service, 'select state from simnet.instructions where mandate_id = $1', [mandate_id])).state
    during('pay', async () => {
      expect((await service.merchant.post(`/v1/mandates/${mandate_id}/cancel`)).status).toBe(200)
      await service.job('mandates.end').run()
      expect(await instruction()).toBe('active')
    })
    await service.runJobs()
    shop.set(chargeId, { state: 'paid' })
    await settle(buying, id, service.merchant, 40)
    expect(await booksOf(buying, chargeId)).toMatchObject({ state: 'paid', charge: 'completed', mandate: 'cancelled' })
    await service.clock.advance(10)
    await service.runJobs()
    expect(await instruction()).toBe('cancelled')
  },
)

describe('a revoke', () => {
  test('before the approval leaves no purchase', async () => {
    const { service } = buying
    const { id, chargeId } = await quotedSession(buying)
    expect((await revoke(service.merchant, id)).status).toBe(200)
    expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: { code: 'SESSION_REVOKED' } })
    expect(await booksOf(buying, chargeId)).toMatchObject({ state: null, charge: 'failed', work: [] })
  })

  test('before the shop was asked asks it nothing', async () => {
    const { service, shop } = buying
    const { id, chargeId } = await approvedQuote(buying)
    expect((await revoke(service.merchant, id)).status).toBe(200)
    const failed = { status: 'failed', error: { code: 'SESSION_REVOKED' }, merchant_res: { status: 'failed' } }
    expect(await settle(buying, id)).toMatchObject(failed)
    expect(await booksOf(buying, chargeId)).toMatchObject({
      ...REVOKED,
      mint: 'released',
      credentialState: null,
      atShop: null,
    })
    expect(shop.asked(chargeId)).toEqual([])
    expect(await eventsOf(service, id)).toEqual(['2 session.revoked'])
  })

  test('while the shop prepares gives back what it then holds', async () => {
    const { service, shop } = buying
    const { id, chargeId } = await approvedQuote(buying)
    during('prepare', () => revoke(service.merchant, id))
    expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: { code: 'SESSION_REVOKED' } })
    expect(await booksOf(buying, chargeId)).toMatchObject({
      ...REVOKED,
      mint: 'released',
      credentialState: null,
      atShop: 'released',
    })
    expect(shop.asked(chargeId).filter((question) => question === 'pay')).toEqual([])
  })

  test('gives back also what arrives at the shop after it was to be given back', async () => {
    const { service, shop } = buying
    const { id, chargeId } = await approvedQuote(buying)
    during('prepare', async () => {
      await revoke(service.merchant, id)
      // The release overtakes the prepare: the shop knows of nothing yet.
      const buy = service.job('purchases.buy')
      await buy.run()
      await expect.poll(() => shop.asked(chargeId)).toContain('release')
    })
    await settle(buying, id)
    expect(shop.asked(chargeId)).toContain('release')
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...REVOKED, atShop: 'released' })
  })

  test('gives it back to a shop that is away for days, and leaves a shop alone that is gone', async () => {
    const { service, shop } = buying
    for (const [days, atShop] of [
      [6, 'released'],
      [8, 'open'],
    ] as const) {
      const { id, chargeId } = await approvedQuote(buying)
      during('prepare', () => revoke(service.merchant, id))
      shop.script('release', 'lost_before')
      await settle(buying, id)
      await service.clock.advance(days * 24 * 3600)
      await service.runJobs()
      shop.reset()
      await service.clock.advance(24 * 3600)
      await service.runJobs()
      expect(await booksOf(buying, chargeId), `${days} days`).toMatchObject({ ...REVOKED, atShop })
    }
  })

  test('while the network is silent about the mint voids what it may have minted', async () => {
    const { service } = buying
    const { id, chargeId } = await approvedQuote(buying, { card: CARDS.mintAnswerLost })
    await buyOnce(buying)
    expect(await booksOf(buying, chargeId)).toMatchObject({ state: 'prepared', charge: 'minting', mint: 'minted' })
    expect((await revoke(service.merchant, id)).status).toBe(200)
    await settle(buying, id)
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...REVOKED, atShop: 'released' })
    const { rows } = await service.pool.query(
      'select i.state from simnet.instructions i join charges c on c.mandate_id = i.mandate_id where c.id = $1',
      [chargeId],
    )
    expect(rows).toEqual([{ state: 'cancelled' }])
  })

  test.each(['ok', 'lost_after', 'in_progress', 'needs_human'] as const)(
    'is too late once the shop may have the credential: %s',
    async (behaviour) => {
      const { service, shop } = buying
      shop.script('pay', behaviour)
      const { id, chargeId } = await approvedQuote(buying)
      during('pay', async () => expectError(await revoke(service.merchant, id), 400, 'INVALID_STATE'))
      await service.runJobs()
      expectError(await revoke(service.merchant, id), 400, 'INVALID_STATE')
      shop.set(chargeId, { state: 'paid' })
      await settle(buying, id, service.merchant, 40)
      expect(await booksOf(buying, chargeId)).toMatchObject({ state: 'paid', charge: 'completed', work: [] })
    },
  )

  test('and a payment that race: one wins, and everybody knows which', async () => {
    const { service } = buying
    const rounds = await Promise.all(
      Array.from({ length: 16 }, async (_, round) => ({ round, session: await approvedQuote(buying) })),
    )
    const outcomes = await Promise.all([
      service.runJobs(),
      ...rounds.map(async ({ round, session: { id, chargeId } }) => {
        // So that they meet at different steps, mostly: what is true of each holds wherever they meet.
        await new Promise((resolve) => setTimeout(resolve, round * 12))
        const answers = await atOnce(8, () => revoke(service.merchant, id))
        return { id, chargeId, accepted: answers.filter(({ status }) => status === 200).length }
      }),
    ])
    const found: string[] = []
    for (const { id, chargeId, accepted } of outcomes.slice(1) as {
      id: string
      chargeId: string
      accepted: number
    }[]) {
      const result = await settle(buying, id)
      const books = await booksOf(buying, chargeId)
      // A session that is revoked stays so, for whoever asks again; all of them were told the truth.
      if (accepted > 0) {
        expect(result).toMatchObject({ status: 'failed', error: { code: 'SESSION_REVOKED' } })
        expect(books).toMatchObject({ ...REVOKED })
        expect([null, 'released']).toContain(books.atShop)
      } else {
        expect(result.status).toBe('completed')
        expect(books).toEqual(AT_REST.paid)
      }
      found.push(result.status)
    }
    expect(Object.values(countBy(found, (status) => status)).reduce((sum, count) => sum + count)).toBe(16)
  })
})

describe('meanwhile', () => {
  test('a suspended merchant buys nothing more', async () => {
    const { service, shop } = buying
    const merchant = await service.addMerchant()
    const { id, chargeId } = await approvedQuote(buying, { merchant })
    await service.app.merchants.updateMerchant(merchant.merchantId, { status: 'suspended' })
    await service.runJobs()
    await settleQuietly()
    expect(await booksOf(buying, chargeId)).toMatchObject({
      ...AT_REST.unpaid,
      state: 'failed',
      failure: 'PAYMENT_FAILED',
    })
    expect(shop.asked(chargeId)).toEqual([])
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
  })

  test('one that is suspended while the shop prepares mints nothing, and the shop gets it back', async () => {
    const { service } = buying
    const merchant = await service.addMerchant()
    const { chargeId } = await approvedQuote(buying, { merchant })
    during('prepare', () => service.app.merchants.updateMerchant(merchant.merchantId, { status: 'suspended' }))
    await settleQuietly()
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...AT_REST.unpaid, mint: null, atShop: 'released' })
  })

  test('one that is suspended while it is paid was paid, if the shop says so', async () => {
    const { service, shop } = buying
    const merchant = await service.addMerchant()
    shop.script('pay', 'lost_after')
    const { chargeId } = await approvedQuote(buying, { merchant })
    during('pay', () => service.app.merchants.updateMerchant(merchant.merchantId, { status: 'suspended' }))
    await settleQuietly()
    expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
  })

  test('and was not, if it says that; then it is not paid again', async () => {
    const { service, shop } = buying
    const merchant = await service.addMerchant()
    shop.script('pay', 'lost_before')
    const { chargeId } = await approvedQuote(buying, { merchant })
    during('pay', () => service.app.merchants.updateMerchant(merchant.merchantId, { status: 'suspended' }))
    await settleQuietly()
    const declined = { ...AT_REST.declined, failure: 'PAYMENT_FAILED', atShop: 'released' }
    expect(await booksOf(buying, chargeId)).toMatchObject(declined)
    expect(shop.asked(chargeId).filter((question) => question === 'pay')).toHaveLength(1)
  })

  test('a shop that was disabled is not bought at', async () => {
    const { service, shop, shopId } = buying
    const { id, chargeId } = await approvedQuote(buying)
    const other = await approvedQuote(buying)
    // Both are prepared beside each other: neither goes on before the shop is disabled.
    let disabling: Promise<unknown> | undefined
    shop.on('prepare', async () => {
      disabling ??= service.app.shops.update(shopId, { status: 'disabled' })
      await disabling
    })
    await service.runJobs()
    const failed = { status: 'failed', error: { code: 'MERCHANT_PREPARE_FAILED' } }
    for (const session of [id, other.id]) expect(await settle(buying, session)).toMatchObject(failed)
    await service.app.shops.update(shopId, { status: 'active' })
    for (const charge of [chargeId, other.chargeId]) {
      expect(shop.asked(charge)).not.toContain('pay')
      const books = await booksOf(buying, charge)
      expect(books).toMatchObject({ ...AT_REST.unpaid, failure: 'MERCHANT_PREPARE_FAILED' })
      expect([null, 'released']).toContain(books.atShop)
    }
  })

  test('one that is disabled while it is paid, and was not, is not paid again', async () => {
    const { service, shop, shopId } = buying
    shop.script('pay', 'lost_before')
    const { chargeId } = await approvedQuote(buying)
    during('pay', () => service.app.shops.update(shopId, { status: 'disabled' }))
    await settleQuietly()
    await service.app.shops.update(shopId, { status: 'active' })
    const declined = { ...AT_REST.declined, failure: 'PAYMENT_FAILED', atShop: 'released' }
    expect(await booksOf(buying, chargeId)).toMatchObject(declined)
    expect(shop.asked(chargeId).filter((question) => question === 'pay')).toHaveLength(1)
  })

  test('a card that was deleted pays nothing', async () => {
    const { service } = buying
    const { id, chargeId } = await approvedQuote(buying)
    during('prepare', () => deleteCardOf(id))
    expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: { code: 'CARD_DECLINED' } })
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...AT_REST.unpaid, atShop: 'released' })
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
  })

  test('a card that was deleted once the shop had the credential is declined there', async () => {
    const { id, chargeId } = await approvedQuote(buying)
    during('pay', () => deleteCardOf(id))
    expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: { code: 'CARD_DECLINED' } })
    expect(await booksOf(buying, chargeId)).toMatchObject({
      state: 'failed',
      authorized: 0,
      work: [],
      atShop: 'released',
    })
  })

  async function deleteCardOf(sessionId: string) {
    const { service } = buying
    const { rows } = await service.pool.query(
      `select c.external_user_id as customer_id, s.card_id from sessions s
       join customers c on c.merchant_id = s.merchant_id and c.id = s.customer_id where s.id = $1`,
      [sessionId],
    )
    const deleted = await service.merchant.post('/v1/deleteCard', rows[0])
    expect(deleted.status, JSON.stringify(deleted.body)).toBe(200)
  }

  /** As `settle`, for a merchant whose key opens nothing any more. */
  async function settleQuietly() {
    for (let round = 0; round < 8; round += 1) {
      await buying.service.runJobs()
      await buying.service.clock.advance(31)
    }
  }
})

describe('a row that was edited', () => {
  const edits = [
    ['the shop', "update purchases set shop_id = 'shop_other' where charge_id = $1"],
    ['its name of the quote', "update purchases set shop_ref = 'another' where charge_id = $1"],
    ['the amount', 'update charges set amount_minor = 1 where id = $1'],
    ['the payee', "update charges set payee_url = 'https://evil.example' where id = $1"],
  ] as const

  test.each(edits)('is neither prepared nor paid: %s', async (_, edit) => {
    const { service, shop } = buying
    const { id, chargeId } = await approvedQuote(buying)
    await service.pool.query(edit, [chargeId])
    expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: { code: 'PAYMENT_FAILED' } })
    expect(shop.asked(chargeId)).toEqual([])
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...AT_REST.unpaid, state: 'failed', mint: null })
  })

  test.each(edits)('needs a person once the shop may have the credential: %s', async (_, edit) => {
    const { service, shop } = buying
    shop.script('pay', 'lost_after')
    const { id, chargeId } = await approvedQuote(buying)
    await buyOnce(buying)
    await service.pool.query(edit, [chargeId])
    const asked = shop.asked(chargeId)
    const result = await settle(buying, id)
    expect(result).toMatchObject({ status: 'processing', merchant_res: { status: 'needs_human' } })
    expect(shop.asked(chargeId)).toEqual(asked)
    expect(await booksOf(buying, chargeId)).toMatchObject({ state: 'needs_human', charge: 'awaiting_result' })
  })
})

test('what the shop has lost needs a person: it held it, and was handed a credential', async () => {
  const { service, shop } = buying
  shop.script('pay', 'lost_after')
  const { id, chargeId } = await approvedQuote(buying)
  await buyOnce(buying)
  shop.purchases.delete(chargeId)
  expect(await settle(buying, id)).toMatchObject({ status: 'processing', merchant_res: { status: 'needs_human' } })
  expect((await paymentResult(service.merchant, id)).body).not.toHaveProperty('error')
})
