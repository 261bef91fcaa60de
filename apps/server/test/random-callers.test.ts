// Guarantee: whatever merchants, cardholders and workers on several nodes do at once, with time passing, leases lost and connections
// ended under them, no caller meets an error that is not documented, and in the end everything has ended: each payment at the service, at
// the network and at the shop alike, and each end in the feed once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isDatabaseUnavailable } from '../src/db/errors.ts'
import { callerOf, nothingKnown } from './callers/acts.ts'
import { endsOf, problemsOf } from './callers/invariants.ts'
import { startWorld, type World } from './callers/world.ts'
import { atOnce } from './flows.ts'
import { randomOf } from './random.ts'
import type { Answer } from './service.ts'

/** `HISTORY=long` plays the long form; with every run of the tests goes the short one. */
const IS_LONG = process.env.HISTORY === 'long'
const CALLERS = IS_LONG ? 24 : 8
const STEPS = IS_LONG ? 120 : 60
/** `HISTORY_SEED` plays one again; how the machine interleaves it is not in the seed. */
const SEED = Number(process.env.HISTORY_SEED ?? Date.now() % 1_000_000)

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

/** Errors of the network's making, and that of an account that is suspended. */
const DOCUMENTED = new Set([
  'NETWORK_CONFIRMATION_FAILED',
  'NETWORK_DELETE_FAILED',
  'NO_TOKEN',
  'MERCHANT_LOOKUP_ERROR',
])
const isDocumented = ({ status, body }: Answer) =>
  status < 500 || status === 503 || DOCUMENTED.has(body?.error?.code ?? '')

/** A part of the program that ends with its connection tries again later. */
const unlessKilled = (work: Promise<unknown>) => work.catch(() => undefined)

/** A connection that was ended while it rested is noticed by whoever is lent it next. */
async function untilAlive(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await work())
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
    }
  }
}

/** What befalls everybody. */
function fateOf(random: (below: number) => number) {
  const { nodes, own, shop } = world
  const { merchants } = nodes[0].app
  const { merchantId } = nodes[0].merchant
  const suspendForAMoment = async () => {
    await unlessKilled(merchants.updateMerchant(merchantId, { status: 'suspended' }))
    await untilAlive(() => merchants.updateMerchant(merchantId, { status: 'active' }))
  }
  return [
    [6, () => unlessKilled(nodes[random(2)]?.runJobs() ?? Promise.resolve())],
    [4, () => unlessKilled(world.advance(1 + random(40)))],
    // Sessions end.
    [1, () => unlessKilled(world.advance(300 + random(700)))],
    // A holder of work writes nothing any more.
    [
      2,
      async () => {
        for (const table of ['open_work', 'charges'])
          await own.query(
            `update ${table} set lease_until = null, lease_fence = lease_fence + 1 where lease_until > $1`,
            [nodes[0].clock.now()],
          )
      },
    ],
    [1, suspendForAMoment],
    [2, async () => shop.script('pay', random(2) === 0 ? 'lost_after' : 'out_of_stock', 'ok')],
    [2, async () => shop.script('prepare', random(2) === 0 ? 'lost_before' : 'lost_after', 'ok')],
  ] as const satisfies [number, () => Promise<unknown>][]
}

/** By steps, not by time: on a busy machine no connection would live long enough to be of any use. */
const STEPS_PER_ENDING = 5

/** Ends a connection of the nodes, whatever it does for the other callers. Returns how many there were to choose from: one, or none. */
async function endConnection(): Promise<number> {
  const { rows } = await world.own.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'mintmark' order by state = 'idle', random() limit 1`,
  )
  return rows.length
}

/** No caller acts any more: what is open is driven to its end, and so are sessions that no cardholder has used. */
async function settle(): Promise<void> {
  const { nodes, own, shop } = world
  shop.reset()
  const { merchantId } = nodes[0].merchant
  await untilAlive(() => nodes[0].app.merchants.updateMerchant(merchantId, { status: 'active' }))
  const open = `select 1 from open_work where due_at < $1 or lease_until is not null
    union all select 1 from charges where work_due_at < $1 or lease_until is not null`
  for (let quiet = 0, round = 0; quiet < 2; round += 1) {
    expect(round, 'something stays open').toBeLessThan(60)
    await untilAlive(world.runJobs)
    const { rowCount } = await own.query(open, [nodes[0].clock.now()])
    quiet = rowCount === 0 && round > 10 ? quiet + 1 : 0
    await untilAlive(() => world.advance(round < 10 ? 45 : 400))
  }
  await world.runJobs()
}

test('random callers', { timeout: 600_000 }, async () => {
  const known = nothingKnown()
  const told: string[] = []
  const undocumented: object[] = []
  let steps = 0
  let ended = 0
  const tell = (what: string, answer: Answer) => {
    const code: string = answer.body?.error?.code ?? ''
    told.push(`${what} ${answer.status} ${code}`)
    if (!isDocumented(answer)) undocumented.push({ what, status: answer.status, code })
  }
  await atOnce(CALLERS, async (caller) => {
    const random = randomOf(SEED * 100 + caller)
    const acts = [...callerOf(world, known, random, tell), ...fateOf(random)]
    const weight = acts.reduce((sum, [often]) => sum + often, 0)
    for (let step = 0; step < STEPS; step += 1) {
      let left = random(weight)
      const act = acts.find(([often]) => {
        left -= often
        return left < 0
      })
      await act?.[1]()
      steps += 1
      if (steps % STEPS_PER_ENDING === 0) ended += await endConnection()
    }
  })
  await settle()
  const played = { seed: SEED, ended, outcomes: [...new Set(told)].sort() }
  expect({ undocumented, problems: await problemsOf(world) }, JSON.stringify(played)).toEqual({
    undocumented: [],
    problems: [],
  })
  expect(ended).toBeGreaterThan(3)
  // Nothing would be wrong where nothing was done. Which of the two a payment comes to is left to the callers' chance.
  const { completed, failed } = await endsOf(world)
  expect(completed + failed).toBeGreaterThan(0)
})
