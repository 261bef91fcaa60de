// Guarantee: what a charge takes of its mandate is taken by one UPDATE, and the reason that is told where it takes nothing is the first of
// those that stood against it.
import type { PoolClient } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { linkedAgent, mandateOf } from '../../test/agents.ts'
import { dbRow } from '../../test/flows.ts'
import { undone } from '../../test/undone.ts'
import { chargeable } from '../charges/testing/charge.ts'
import { addSeconds } from '../platform/clock.ts'
import { type MandateRefusal, type NextWindow, refusalOf, take, windowAfter } from './take.ts'
import { beginWindow, findChargeable } from './take-store.ts'
import { startWithOwner } from './testing/standing.ts'

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)

const WEEK = 7 * 24 * 60 * 60
const at = service.clock.now()
const mandateId = await chargeable(service, owner, { frequency: 'weekly', activatedAt: addSeconds(at, -60) })
const CHARGE = {
  ...{ merchantId: merchant.merchantId, mandateId, amountMinor: 2_500n, hasFraction: true },
  ...{ agentId: null as string | null, ownerId: null as string | null, ownerSeal: null as Buffer | null },
}

const edit = (tx: PoolClient, assignments: string, id = mandateId) =>
  tx.query(`update mandates set ${assignments.replaceAll('$at', `timestamptz '${at.toISOString()}'`)} where id = $1`, [
    id,
  ])

/** The week before has been used up, and is over. */
const WINDOW_OVER = `activated_at = $at - interval '7 days', window_started_at = $at - interval '7 days', window_ends_at = $at,
  window_spent_minor = approved_minor`

type Difference = readonly [assignments: string, told: MandateRefusal | null]
/** What may be different about a mandate, and what is told of it; in the order in which it is told. */
const DIFFERENCES: readonly Difference[] = [
  [`currency = 'JPY'`, 'HAS_FRACTION'],
  [`status = 'paused'`, 'NOT_ACTIVE'],
  ['per_checkout = true', 'NOT_ACTIVE'],
  ['valid_until = $at', 'NOT_ACTIVE'],
  ['instruction_ref = null', 'NO_INSTRUCTION'],
  ['order_id = null', 'NO_ORDER'],
  ['max_charges = charge_count', 'MAX_CHARGES_EXCEEDED'],
  ['approved_minor = 2499', 'THRESHOLD_EXCEEDED'],
  ['window_spent_minor = approved_minor - 2499', 'THRESHOLD_EXCEEDED'],
  ['max_charges = charge_count + 1', null],
  ['window_spent_minor = approved_minor - 2500', null],
  ['window_ends_at = null', null],
  [WINDOW_OVER, null],
]
const columnsOf = (assignments: string) => new Set([...assignments.matchAll(/(\w+) =/g)].map(([, column]) => column))
/** Not of the same column, and not of the approved amount with what is counted from it. */
const isPair = ([first]: Difference, [second]: Difference) =>
  ![...columnsOf(first)].some((column) => columnsOf(second).has(column)) && !`${first}${second}`.includes('= 2499')
const PAIRS = DIFFERENCES.flatMap((first, index) =>
  DIFFERENCES.slice(index + 1).flatMap((second) => (isPair(first, second) ? [[first, second] as const] : [])),
)

async function judged(tx: PoolClient, charge = CHARGE) {
  const mandate = await findChargeable(tx, charge)
  if (mandate === undefined) return { refusal: 'THERE_IS_NONE', taken: await take({ tx, at }, charge, null) }
  const refusal = refusalOf(mandate, charge, at)
  const next = refusal === null ? windowAfter(mandate, at) : null
  return { refusal, taken: await take({ tx, at }, charge, next) }
}

/** What is told of a mandate with these differences, and whether it is taken of. */
const judgedWith = (...differences: readonly Difference[]) =>
  undone(service, async (tx) => {
    for (const [assignments] of differences) await edit(tx, assignments)
    const { refusal, taken } = await judged(tx)
    return { refusal, isTaken: taken !== undefined }
  })

describe('what stands against a charge is what it takes nothing for', () => {
  test.each(DIFFERENCES)('%s: %s', async (assignments, told) => {
    expect(await judgedWith([assignments, told])).toEqual({ refusal: told, isTaken: told === null })
  })

  test(`and the first of two, in all ${PAIRS.length} pairs of these`, async () => {
    for (const [first, second] of PAIRS) {
      const told = first[1] ?? second[1]
      const found = await judgedWith(first, second)
      expect({ first, second, ...found }).toEqual({ first, second, refusal: told, isTaken: told === null })
    }
  })

  test('without a fraction every currency will do', async () => {
    const taken = await undone(service, async (tx) => {
      await edit(tx, `currency = 'JPY'`)
      return judged(tx, { ...CHARGE, hasFraction: false })
    })
    expect(taken).toMatchObject({ refusal: null, taken: { mandateCurrency: 'JPY' } })
  })

  const NONE = { refusal: 'THERE_IS_NONE', taken: undefined }

  test('a mandate of another merchant, or whose card is gone', async () => {
    expect(await undone(service, (tx) => judged(tx, { ...CHARGE, merchantId: 'mrc_other' }))).toEqual(NONE)
    const found = await undone(service, async (tx) => {
      await edit(tx, `card_id = 'crd_gone'`)
      return judged(tx)
    })
    expect(found).toEqual(NONE)
  })

  test('a mandate that is not this agent’s and this owner’s, by columns and seal', async () => {
    const agent = await linkedAgent(service)
    const id = await mandateOf(service, agent)
    const row = await dbRow(
      service,
      'select merchant_id, agent_id, customer_id, owner_seal from mandates where id = $1',
      [id],
    )
    const own = {
      ...{ ...CHARGE, merchantId: row.merchant_id, mandateId: id, hasFraction: false },
      ...{ agentId: row.agent_id, ownerId: row.customer_id, ownerSeal: row.owner_seal },
    }
    const after = (assignments: string, charge = own) =>
      undone(service, async (tx) => {
        await edit(tx, assignments, id)
        return judged(tx, charge)
      })
    expect(await after('updated_at = $at')).toMatchObject({ refusal: null, taken: { mandateId: id } })
    expect(await after(`agent_id = 'agt_other'`)).toEqual(NONE)
    expect(await after(`customer_id = 'cus_other'`)).toEqual(NONE)
    expect(await after('updated_at = $at', { ...own, ownerSeal: Buffer.alloc(32) })).toEqual(NONE)
  })
})

describe('what is taken', () => {
  const rowIn = async (tx: PoolClient) =>
    (
      await tx.query(
        'select charge_count, window_spent_minor::int as spent, window_started_at, window_ends_at from mandates where id = $1',
        [mandateId],
      )
    ).rows[0]

  test('is counted, in the window that lasts', async () => {
    await undone(service, async (tx) => {
      const before = await rowIn(tx)
      await judged(tx)
      expect(await rowIn(tx)).toEqual({ ...before, charge_count: 1, spent: 2_500 })
    })
  })

  test('is alone in the window that follows one that is over', async () => {
    await undone(service, async (tx) => {
      await edit(tx, WINDOW_OVER)
      expect((await judged(tx)).taken).toBeDefined()
      expect(await rowIn(tx)).toEqual({
        ...{ charge_count: 1, spent: 2_500, window_started_at: at, window_ends_at: addSeconds(at, WEEK) },
      })
    })
  })

  test('a clock that was set back opens no window anew: what was spent in it stays spent', async () => {
    await undone(service, async (tx) => {
      await edit(tx, 'window_spent_minor = approved_minor')
      const known = await rowIn(tx)
      const begin = (window: NextWindow) =>
        beginWindow(tx, { merchantId: merchant.merchantId, mandateId, at, ...window })
      const { window_started_at: followsOn, window_ends_at: end } = known
      const next = { startsAt: end, endsAt: addSeconds(end, WEEK) }
      expect(await begin({ followsOn, startsAt: followsOn, endsAt: end })).toBeUndefined()
      expect(await begin({ followsOn: addSeconds(followsOn, 1), ...next })).toBeUndefined()
      expect(await rowIn(tx)).toEqual(known)
      expect(await begin({ followsOn, ...next })).toBeDefined()
      expect(await rowIn(tx)).toMatchObject({ spent: 0, window_started_at: end })
    })
  })

  test('nothing, of a mandate whose windows do not follow each other: its row was edited, and it is not tried again and again', async () => {
    await undone(service, async (tx) => {
      await edit(tx, `${WINDOW_OVER.replace('window_ends_at = $at', `window_ends_at = $at - interval '1 ms'`)}`)
      await edit(tx, `activated_at = activated_at - interval '1 second'`)
      await expect(judged(tx)).rejects.toThrow('do not follow each other')
    })
  })
})
