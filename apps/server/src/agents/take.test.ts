// Guarantee: what a charge takes of an agent's limits is taken by one UPDATE, and the limit that is told where it takes nothing is the one
// that it would have passed.
import type { PoolClient } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { linkedAgent } from '../../test/agents.ts'
import { dbRow } from '../../test/flows.ts'
import { startTestService } from '../../test/service.ts'
import { undone } from '../../test/undone.ts'
import { addSeconds } from '../platform/clock.ts'
import { keepsItsOwn, reachedBy, take } from './take.ts'
import { findSpent } from './take-store.ts'

const service = await startTestService()
afterAll(service.close)
const agent = await linkedAgent(service)
const { merchant_id: merchantId } = await dbRow(service, 'select merchant_id from agents where id = $1', [
  agent.agentId,
])

const DAY = 24 * 60 * 60
const at = new Date('2026-11-15T12:00:00Z')
const NO_LIMITS = {
  ...{ agentLimit: null, openLimit: null, dayLimit: null, monthLimit: null },
  ...{ asksRepeats: false, asksFirst: false, isAllowed: false },
}
const CHARGE = { merchantId, agentId: agent.agentId, amountMinor: 1_000n, ...NO_LIMITS }

/** What was taken on a day: 20.00 by 3 charges that are open. */
const spentOn = (tx: PoolClient, day: Date) =>
  tx.query(
    `update agent_spending set open_count = 3, day = $2, day_minor = 2000, month = date_trunc('month', $2::date), month_minor = 2000
     where agent_id = $1`,
    [agent.agentId, day.toISOString().slice(0, 10)],
  )

const rowIn = async (tx: PoolClient) =>
  (
    await tx.query(
      `select open_count as open, day::text, day_minor::int as in_day, month::text, month_minor::int as in_month
       from agent_spending where agent_id = $1`,
      [agent.agentId],
    )
  ).rows[0]

/** The limit that is told, whether it is known without a count, and the row behind the charge, if it takes anything. */
async function judged(tx: PoolClient, limits: object) {
  const charge = { ...CHARGE, ...limits }
  const spent = await findSpent(tx, { ...charge, at })
  if (spent === undefined) throw new Error('The agent has no row.')
  const told = reachedBy(charge, spent, false)
  const isTaken = keepsItsOwn(charge) && (await take({ tx, at }, charge))
  return { told, row: isTaken ? await rowIn(tx) : null }
}

const TAKEN = { open: 4, day: '2026-11-15', in_day: 3_000, month: '2026-11-01', in_month: 3_000 }
const ALL = { agentLimit: 'hours', openLimit: 3, dayLimit: 1n, monthLimit: 1n, asksFirst: true }

test.each([
  ['nothing is limited', {}, null],
  ['as many may be open', { openLimit: 4 }, null],
  ['too many are open', { openLimit: 3 }, 'open'],
  ['the day has just enough', { dayLimit: 3_000n }, null],
  ['the day has too little', { dayLimit: 2_999n }, 'day'],
  ['the month has just enough', { monthLimit: 3_000n }, null],
  ['the month has too little', { monthLimit: 2_999n }, 'month'],
  ['its owner is asked first', { asksFirst: true }, 'ask_above'],
  ['the first of several is told: its own', ALL, 'hours'],
  ['the count', { ...ALL, agentLimit: null }, 'open'],
  ['the day', { ...ALL, agentLimit: null, openLimit: null }, 'day'],
  ['the month', { ...ALL, agentLimit: null, openLimit: null, dayLimit: null }, 'month'],
  ['nothing holds up what the owner has allowed', { ...ALL, isAllowed: true }, null],
])('%s', async (_what, limits, told) => {
  await undone(service, async (tx) => {
    await spentOn(tx, at)
    const before = await rowIn(tx)
    expect(await judged(tx, limits)).toEqual({ told, row: told === null ? TAKEN : null })
    if (told !== null) expect(await rowIn(tx)).toEqual(before)
  })
})

test.each([
  ['yesterday is not of today', -DAY, { dayLimit: 1_000n, monthLimit: 3_000n }, { ...TAKEN, in_day: 1_000 }],
  ['yesterday is of this month', -DAY, { monthLimit: 2_999n }, 'month'],
  [
    'last month is of neither',
    -20 * DAY,
    { dayLimit: 1_000n, monthLimit: 1_000n },
    { ...TAKEN, in_day: 1_000, in_month: 1_000 },
  ],
  // Another node has begun it: what this one adds counts there.
  ['a day that has not come here counts', DAY, { dayLimit: 3_000n }, { ...TAKEN, day: '2026-11-16' }],
  ['and is passed here as well', DAY, { dayLimit: 2_999n }, 'day'],
])('what was taken %s', async (_when, seconds, limits, expected) => {
  await undone(service, async (tx) => {
    await spentOn(tx, addSeconds(at, seconds))
    const isTold = typeof expected === 'string'
    expect(await judged(tx, limits)).toEqual({ told: isTold ? expected : null, row: isTold ? null : expected })
  })
})

test('a charge that repeats another one is told where the owner wants to be asked of that, and has not allowed it', async () => {
  const spent = await findSpent(service.pool, { ...CHARGE, at })
  const told = (repeats: boolean, isAllowed = false) =>
    spent && reachedBy({ ...CHARGE, asksRepeats: true, isAllowed }, spent, repeats)
  expect([told(true), told(false), told(true, true)]).toEqual(['ask_repeats', null, null])
})
