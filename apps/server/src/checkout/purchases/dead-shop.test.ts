// Guarantee: a shop that is dead delays purchases at no other shop, and buys everything once when it is back.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atOnce, countBy } from '../../../test/flows.ts'
import { PATIENT } from '../../../test/service.ts'
import { AT_REST, approvedQuote, type Buying, booksOf, finish, startBuying } from './testing/quoted.ts'
import { createScriptedShop, type Question, type ScriptedShop } from './testing/scripted-shop.ts'

const SHOP = { name: 'Coffee House', url: 'https://tea.example', country: 'US', adapter: 'native' } as const
/** More than one process has in hand at a time. */
const CROWD = 30

let buying: Buying
let dead: ScriptedShop
let atDead: Buying
beforeAll(async () => {
  dead = createScriptedShop((request) => buying.acquirer.charge(request))
  buying = await startBuying({
    env: PATIENT,
    createCheckout: (_, { baseUrl }) => (baseUrl.includes('dead') ? dead : buying.shop),
  })
  const { id: shopId } = await buying.service.app.shops.add({ ...SHOP, baseUrl: 'https://dead.example/api' }, null)
  atDead = { ...buying, shopId, shop: dead }
})
afterAll(() => buying?.service.close())

/** The worker that buys, as its loop runs it. */
async function whileBuying<T>(work: () => Promise<T>): Promise<T> {
  const job = buying.service.job('purchases.buy')
  let ends = false
  const loop = (async () => {
    while (!ends) {
      await job.run()
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

test.each<Question>(['prepare', 'pay'])(
  'while it is silent about %s, others are bought at in seconds',
  { timeout: 120_000 },
  async (question) => {
    const back = Promise.withResolvers<void>()
    const crowd = []
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
        // All that will ever be held is held by then.
        await expect.poll(() => most, { timeout: 20_000 }).toBe(16)
        const { chargeId } = await approvedQuote(buying)
        await expect.poll(() => stateOf(chargeId), { timeout: 30_000 }).toBe('paid')
        expect(held).toBe(16)
      } finally {
        back.resolve()
      }
    })
    dead.reset()
    // Approvals do not last for hours: what is not paid by then is given up.
    await buying.service.clock.advance(90)
    for (const { id } of crowd) await finish(atDead, id)
    const books = await Promise.all(crowd.map(({ chargeId }) => booksOf(atDead, chargeId)))
    expect(countBy(books, ({ state, payments }) => `${state} ${payments}`)).toEqual({ 'paid 1': CROWD })
    expect(books[0]).toEqual(AT_REST.paid)
  },
)
