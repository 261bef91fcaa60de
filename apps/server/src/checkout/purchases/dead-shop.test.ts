// Guarantee: a shop that is dead delays purchases at no other shop, and buys everything once when it is back.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { atOnce, countBy } from '../../../test/flows.ts'
import { AT_REST, approvedQuote, type Buying, booksOf, LONG_LEASE, startBuying } from './testing/quoted.ts'
import { createScriptedShop, type Question, type ScriptedShop } from './testing/scripted-shop.ts'

const SHOP = { name: 'Coffee House', url: 'https://tea.example', country: 'US', adapter: 'native' } as const
/** More than one process has in hand at a time. */
const CROWD = 60

let buying: Buying
let dead: ScriptedShop
let atDead: Buying
beforeAll(async () => {
  dead = createScriptedShop((request) => buying.acquirer.charge(request))
  buying = await startBuying({
    env: LONG_LEASE,
    createCheckout: (_, { baseUrl }) => (baseUrl.includes('dead') ? dead : buying.shop),
  })
  const { id: shopId } = await buying.service.app.shops.add({ ...SHOP, baseUrl: 'https://dead.example/api' }, null)
  atDead = { ...buying, shopId, shop: dead }
})
afterAll(() => buying?.service.close())
beforeEach(() => dead.reset())

/** The worker that buys, as its loop runs it. */
async function whileBuying<T>(work: () => Promise<T>): Promise<T> {
  const job = buying.service.job('purchases.buy')
  let ends = false
  const loop = (async () => {
    while (!ends) {
      await job.run()
      // Its loop sleeps as well; what comes of it does not depend on how long.
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  try {
    return await work()
  } finally {
    ends = true
    await loop
  }
}

const stateOf = async (chargeId: string) => (await booksOf(buying, chargeId)).state

test.each<Question>(['prepare', 'pay'])('while it is silent about %s, others are bought at', async (question) => {
  const back = Promise.withResolvers<void>()
  const crowd: { chargeId: string }[] = []
  for (let index = 0; index < CROWD / 10; index += 1) crowd.push(...(await atOnce(10, () => approvedQuote(atDead))))
  let held = 0
  let most = 0
  const hold = async () => {
    held += 1
    most = Math.max(most, held)
    await back.promise
    held -= 1
  }
  for (const asked of [question, 'inquire'] as const) dead.on(asked, hold)
  await whileBuying(async () => {
    try {
      // How many of them get there before it counts as slow depends on the machine: two at least, and never more than sixteen.
      await expect.poll(() => held).toBeGreaterThanOrEqual(2)
      const { chargeId } = await approvedQuote(buying)
      await expect.poll(() => stateOf(chargeId)).toBe('paid')
      expect(held).toBeGreaterThanOrEqual(2)
      expect(most).toBeLessThanOrEqual(16)
    } finally {
      back.resolve()
    }
  })
  dead.reset()
  await buying.service.clock.advance(90)
  const books = () => Promise.all(crowd.map(({ chargeId }) => booksOf(atDead, chargeId)))
  // Approvals do not last for hours: what is not paid by then is given up.
  for (let round = 0; round < 12 && (await books()).some(({ work }) => work.length > 0); round += 1) {
    await buying.service.runJobs()
    await buying.service.clock.advance(31)
  }
  const atEnd = await books()
  expect(countBy(atEnd, ({ state, payments }) => `${state} ${payments}`)).toEqual({ 'paid 1': CROWD })
  expect(atEnd[0]).toEqual(AT_REST.paid)
})
