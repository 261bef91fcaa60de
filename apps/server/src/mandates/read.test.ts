// Guarantee: a mandate reads as it stands at this moment, without a job having run.
import { afterAll, describe, expect, test } from 'vitest'
import { approvedSession, CARDS, dbRow, expectError, report, waitingSession } from '../../test/flows.ts'
import { addSeconds } from '../platform/clock.ts'
import { chargeRow, giveBack, standingMandate, startWithOwner, takeCharge } from './testing/standing.ts'

const DAY_SECONDS = 86_400

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)

const read = (id: string) => merchant.get(`/v1/mandates/${id}`)
const list = (query: string) => merchant.get(`/v1/mandates${query}`)

/** The list view of the same mandate. */
async function listed(id: string) {
  const answer = await list('?limit=500')
  return answer.body.mandates.find((mandate: { id: string }) => mandate.id === id)
}

describe('a standing mandate', () => {
  test('shows its terms, its window and its charges, and the list says the same', async () => {
    const at = service.clock.now()
    const id = await standingMandate(service, owner, { activatedAt: at, validUntil: addSeconds(at, 400 * DAY_SECONDS) })
    const first = await takeCharge(service, owner, id, { reference: 'invoice-1', status: 'completed' })
    const second = await takeCharge(service, owner, id, { amountMinor: 1_050n })
    const { status, body, headers } = await read(id)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    const { spent, chargeCount, charges, ...view } = body
    expect(view).toEqual({
      id,
      agentId: null,
      customerId: owner.customerId,
      externalUserId: owner.userId,
      state: 'available',
      status: 'active',
      recurringFrequency: 'monthly',
      merchantScope: 'listed',
      merchantName: 'Tea House',
      approvedAmount: '100.00',
      remaining: '64.50',
      currency: 'USD',
      validUntil: addSeconds(at, 400 * DAY_SECONDS).toISOString(),
      renewsAt: expect.stringMatching(/Z$/),
      lastCharge: { status: 'awaiting_result', at: expect.any(String) },
      createdAt: at.toISOString(),
      updatedAt: expect.any(String),
    })
    expect({ spent, chargeCount }).toEqual({ spent: '35.50', chargeCount: 2 })
    const charge = { currency: 'USD', createdAt: expect.stringMatching(/Z$/) }
    expect(charges).toEqual([
      { ...charge, transactionId: second, amount: '10.50', status: 'awaiting_result', reference: null },
      { ...charge, transactionId: first, amount: '25.00', status: 'completed', reference: 'invoice-1' },
    ])
    expect(await listed(id)).toEqual(view)
  })

  test('shows a charge in flight as initiated, and counts it', async () => {
    const id = await standingMandate(service, owner)
    await takeCharge(service, owner, id, { status: 'minting' })
    expect((await read(id)).body).toMatchObject({
      lastCharge: { status: 'initiated' },
      spent: '25.00',
      chargeCount: 1,
      charges: [{ status: 'initiated' }],
    })
  })

  test.each([
    ['pending', 'pending', null],
    ['active', 'available', 'a time'],
    ['paused', 'paused', 'a time'],
    ['cancelled', 'cancelled', null],
    ['expired', 'expired', null],
  ] as const)('%s has the state %s and renews at %s', async (status, state, renewsAt) => {
    const id = await standingMandate(service, owner, { status })
    const time = renewsAt === null ? null : expect.any(String)
    expect((await read(id)).body).toMatchObject({ status, state, renewsAt: time, lastCharge: null })
  })

  test('is consumed while nothing remains in its window, or no charge is left', async () => {
    const spent = await standingMandate(service, owner)
    await takeCharge(service, owner, spent, { amountMinor: 10_000n })
    expect((await read(spent)).body).toMatchObject({ status: 'active', state: 'consumed', remaining: '0.00' })
    const counted = await standingMandate(service, owner, { maxCharges: 1 })
    await takeCharge(service, owner, counted, { amountMinor: 1n })
    expect((await read(counted)).body).toMatchObject({ status: 'active', state: 'consumed', remaining: '99.99' })
  })

  test('one_time never renews', async () => {
    const id = await standingMandate(service, owner, { frequency: 'one_time' })
    expect((await read(id)).body).toMatchObject({ recurringFrequency: 'one_time', renewsAt: null })
  })

  test('shows the newest hundred of its charges', async () => {
    const id = await standingMandate(service, owner)
    const at = service.clock.now()
    const ids: string[] = []
    for (let index = 0; index < 102; index += 1) {
      ids.push(await chargeRow(service, owner, id, { status: 'failed', at: addSeconds(at, index) }))
    }
    const { charges } = (await read(id)).body
    const shown = charges.map(({ transactionId }: { transactionId: string }) => transactionId)
    expect(shown).toEqual(ids.slice(2).reverse())
  })
})

describe('a mandate of a checkout', () => {
  /** The mandate of a session. */
  const mandateOf = async (session: string) =>
    (await dbRow(service, 'select mandate_id from charges where opened_by = $1', [session])).mandate_id as string

  test('has its credential out: everything is spent, by its one charge', async () => {
    const { id } = await waitingSession(merchant)
    const mandate = await mandateOf(id)
    const { body } = await read(mandate)
    expect(body).toMatchObject({
      status: 'active',
      state: 'consumed',
      recurringFrequency: 'one_time',
      remaining: '0.00',
      spent: '40.00',
      chargeCount: 1,
      renewsAt: null,
      lastCharge: { status: 'awaiting_result' },
      charges: [{ amount: '40.00', status: 'awaiting_result', reference: null }],
    })
    const { spent: _, chargeCount: __, charges: ___, ...view } = body
    expect(await listed(mandate)).toEqual(view)
  })

  test.each([
    ['APPROVED', { status: 'consumed', state: 'consumed', spent: '40.00', chargeCount: 1 }],
    ['DECLINED', { status: 'cancelled', state: 'cancelled', spent: '0.00', chargeCount: 0 }],
  ])('reported as %s', async (txn_status, expected) => {
    const { id, item } = await waitingSession(merchant)
    await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status })
    expect((await read(await mandateOf(id))).body).toMatchObject(expected)
  })

  test('is pending while the network has not said anything', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintRequestLost)
    expect((await read(await mandateOf(id))).body).toMatchObject({
      status: 'pending',
      state: 'pending',
      spent: '40.00',
      lastCharge: { status: 'initiated' },
    })
  })

  test('shows when it changed last', async () => {
    const { id, approved } = await waitingSession(merchant)
    const mandate = await mandateOf(id)
    const before = (await read(mandate)).body
    await report(merchant, id, approved)
    const after = (await read(mandate)).body
    expect(after.createdAt).toBe(before.createdAt)
    expect(after.updatedAt > before.updatedAt).toBe(true)
  })
})

describe('time', () => {
  test('ends a mandate on every read, before the sweep, also a paused one', async () => {
    const validUntil = addSeconds(service.clock.now(), 100)
    const ids = [
      await standingMandate(service, owner, { validUntil }),
      await standingMandate(service, owner, { validUntil, status: 'paused' }),
    ]
    await service.clock.advance(101)
    for (const id of ids) {
      expect((await read(id)).body).toMatchObject({ status: 'expired', state: 'expired', renewsAt: null })
      expect(await listed(id)).toMatchObject({ status: 'expired', state: 'expired' })
    }
  })

  test('a payment that was reported in time is not called expired while the network is told', async () => {
    const { id, approved } = await waitingSession(merchant, CARDS.confirmationFailsOnce)
    expectError(await report(merchant, id, approved), 502, 'NETWORK_CONFIRMATION_FAILED')
    const { mandate_id } = await dbRow(service, 'select mandate_id from charges where opened_by = $1', [id])
    await service.clock.advance(2 * DAY_SECONDS)
    expect((await read(mandate_id)).body).toMatchObject({ status: 'active', state: 'consumed' })
    await service.runJobs()
    expect((await read(mandate_id)).body).toMatchObject({ status: 'consumed', state: 'consumed' })
  })

  test('a window that has ended reads as nothing spent; of an ended mandate it stays', async () => {
    const id = await standingMandate(service, owner, { frequency: 'weekly', maxCharges: 10 })
    const cancelled = await standingMandate(service, owner, { frequency: 'weekly' })
    for (const one of [id, cancelled]) await takeCharge(service, owner, one)
    await service.pool.query(`update mandates set status = 'cancelled', ended_at = $2 where id = $1`, [
      cancelled,
      service.clock.now(),
    ])
    const before = (await read(id)).body
    expect(before).toMatchObject({ spent: '25.00', remaining: '75.00', chargeCount: 1 })
    await service.clock.advance(7 * DAY_SECONDS)
    const after = (await read(id)).body
    expect(after).toMatchObject({ spent: '0.00', remaining: '100.00', chargeCount: 1, state: 'available' })
    expect(Date.parse(after.renewsAt) - Date.parse(before.renewsAt)).toBe(7 * DAY_SECONDS * 1000)
    expect((await read(cancelled)).body).toMatchObject({ spent: '25.00', remaining: '75.00', chargeCount: 1 })
  })

  // The counters in the row must say what the whole history says, whatever happens in which order.
  test('the row agrees with a model of all charges through a year of weeks and months', async () => {
    const model = { weekly: [] as Taken[], monthly: [] as Taken[] }
    const ids = {
      weekly: await standingMandate(service, owner, { frequency: 'weekly', maxCharges: 60 }),
      monthly: await standingMandate(service, owner, { frequency: 'monthly' }),
    }
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    for (let step = 0; step < 80; step += 1) {
      for (const frequency of ['weekly', 'monthly'] as const) {
        const id = ids[frequency]
        const charges = model[frequency]
        const { renewsAt, remaining, chargeCount, state } = (await read(id)).body
        const inWindow = charges.filter((one) => one.renewsAt === renewsAt && !one.declined)
        const spent = inWindow.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
        const count = charges.filter(({ declined }) => !declined).length
        expect({ remaining, chargeCount }).toEqual({ remaining: text(10_000n - spent), chargeCount: count })
        expect(state).toBe(spent === 10_000n || (frequency === 'weekly' && count >= 60) ? 'consumed' : 'available')
        const amountMinor = BigInt(1 + random(6_000))
        const charge = await takeCharge(service, owner, id, { amountMinor })
        const fits = spent + amountMinor <= 10_000n && (frequency === 'monthly' || count < 60)
        expect(charge !== null).toBe(fits)
        if (charge !== null) charges.push({ id: charge, amountMinor, renewsAt, declined: false })
        // Any earlier one, of this window or of one long over.
        const declined = charges.filter((one) => !one.declined)[random(charges.length * 2)]
        if (declined !== undefined) {
          await giveBack(service, id, declined.id)
          declined.declined = true
        }
      }
      await service.clock.advance(random(9 * DAY_SECONDS) + 1)
    }
  })
})

interface Taken {
  id: string
  amountMinor: bigint
  renewsAt: string
  declined: boolean
}
const text = (minor: bigint) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`
