// Guarantee: wherever the service dies, or loses its database, while it buys, the shop is paid once or not at all, and what the
// merchant reads in the end is what the shop's books and the acquirer's say.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  AT_REST,
  approvedQuote,
  type Buying,
  booksOf,
  settle,
  startBuying,
} from '../../src/checkout/purchases/testing/quoted.ts'
import type { Behaviour, Question } from '../../src/checkout/purchases/testing/scripted-shop.ts'
import { closePool, createPool } from '../../src/db/pool.ts'
import { countBy, eventsOf } from '../flows.ts'
import { note } from '../processes/program.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { BOTH_SIDES, SIDES } from './stage.ts'
import { isOfAct } from './sweep.ts'
import { type Fault, startWireProxy, type WireProxy } from './wire-proxy.ts'

let buying: Buying
beforeAll(async () => {
  buying = await startBuying({ env: PATIENT })
})
afterAll(() => buying?.service.close())
beforeEach(() => buying.renew())

/** Every n-th message; the long forms of CRASH_SWEEP take each. */
const IS_LONG = process.env.CRASH_SWEEP !== undefined
const STRIDE = IS_LONG ? 1 : 9
/** Some hundreds of messages, of which each takes a service of its own and a second or two. */
const MAX_MILLIS = IS_LONG ? 3_600_000 : 600_000

interface Scenario {
  name: string
  script: Partial<Record<Question, Behaviour[]>>
  /** How long it has waited already when the process that dies takes it up. */
  waitedHours?: number
  /** What all books say in the end. */
  end: object
}

const SCENARIOS: Scenario[] = [
  { name: 'is paid', script: {}, end: AT_REST.paid },
  {
    name: 'is paid and does not say so',
    script: { prepare: ['lost_after', 'ok'], pay: ['lost_after', 'ok'] },
    end: AT_REST.paid,
  },
  {
    name: 'declines',
    script: { pay: ['insufficient_funds'] },
    end: { ...AT_REST.declined, failure: 'INSUFFICIENT_FUNDS', atShop: 'released' },
  },
  {
    name: 'wanted a person for 72 hours',
    script: { pay: ['needs_human'] },
    waitedHours: 72,
    end: {
      ...{ ...AT_REST.declined, confirmed: null, failure: 'MERCHANT_ACTION_REQUIRED', atShop: 'released' },
      ...{ mint: 'released', credentialState: 'closed', events: ['2 payment.failed'] },
    },
  },
]

/** A process of its own as far as the database knows: what it says goes through a proxy, and with that it dies. */
interface Node {
  service: TestService
  proxy: WireProxy
  die(): Promise<void>
}

async function startNode(): Promise<Node> {
  const { database } = buying.service
  const proxy = await startWireProxy(database.connection)
  const connection = { ...database.connection, host: '127.0.0.1', port: proxy.port }
  const pool = createPool({ connection, max: 4, log: { warn: () => {} } })
  const createCheckout = () => buying.shop
  const service = await startTestService({ env: PATIENT, createCheckout, database: { ...database, pool, connection } })
  return {
    service,
    proxy,
    async die() {
      await proxy.close()
      await service.close()
      await closePool(pool).catch(() => undefined)
    },
  }
}

/** All that a worker does for a purchase, from its claim to its end; what has to be asked again is due by then. */
async function buy({ service }: Node): Promise<void> {
  const job = service.job('purchases.buy')
  for (let round = 0; round < 4; round += 1) {
    await job.run()
    await job.settled?.()
    await service.clock.advance(6)
  }
}

async function approved({ script, waitedHours }: Scenario) {
  buying.reset()
  for (const [question, behaviours] of Object.entries(script)) {
    buying.shop.script(question as Question, ...behaviours)
  }
  const approval = await approvedQuote(buying)
  if (waitedHours === undefined) return approval
  await settle(buying, approval.id)
  await buying.service.clock.advance(waitedHours * 3600)
  return approval
}

async function countMessages(scenario: Scenario): Promise<number> {
  await approved(scenario)
  const node = await startNode()
  void node.proxy.arm({ counts: isOfAct, at: Number.POSITIVE_INFINITY, when: 'before', action: 'hold' })
  await buy(node)
  const { counted } = node.proxy.disarm()
  await node.die()
  await settleAll()
  return counted
}

/** Takes what is left over to its end, before the next one begins. */
const settleAll = async () => {
  await buying.service.clock.advance(120)
  await buying.service.runJobs()
}

/** Buys with a fault at one message; another process then goes on. Returns the state that it found. */
async function interrupted(node: Node, scenario: Scenario, fault: Omit<Fault, 'counts'>): Promise<string> {
  const { id, chargeId } = await approved(scenario)
  const happened = node.proxy.arm({ counts: isOfAct, ...fault })
  const bought = buy(node).catch(() => undefined)
  await Promise.race([happened, bought])
  if (fault.action === 'hold') await node.die()
  await bought
  if (fault.action !== 'hold') node.proxy.disarm()
  const { state, charge } = await booksOf(buying, chargeId)
  // The lease of the dead ends, and so does what it had to wait for.
  await buying.service.clock.advance(70)
  await settle(buying, id)
  const events = await eventsOf(buying.service, id)
  expect(
    { ...(await booksOf(buying, chargeId)), events },
    `${scenario.name}, ${fault.when} message ${fault.at}`,
  ).toMatchObject(scenario.end)
  return `${state}/${charge}`
}

/** The first message, the last, and those of the stride between. */
const placesOf = (messages: number) =>
  Array.from({ length: messages }, (_, place) => place + 1).filter(
    (at) => at % STRIDE === 1 % STRIDE || at === messages,
  )

for (const [index, scenario] of SCENARIOS.entries()) {
  test.each(index === 0 ? BOTH_SIDES : SIDES)(
    `a shop that ${scenario.name}: killed %s messages of the purchase`,
    { timeout: MAX_MILLIS },
    async (when) => {
      const messages = await countMessages(scenario)
      const found: string[] = []
      for (const at of placesOf(messages)) {
        found.push(await interrupted(await startNode(), scenario, { at, when, action: 'hold' }))
      }
      note(
        `${scenario.name}, killed ${when} ${found.length} of ${messages} messages: ${JSON.stringify(countBy(found, String))}`,
      )
      expect(messages, String(messages)).toBeGreaterThan(8)
      // Before the first of what is written, and after the last.
      expect(found.at(-1)).not.toBe(found[0])
    },
  )
}

test.each(SIDES)(
  'the connection is lost %s messages of the purchase, and the same process goes on',
  { timeout: MAX_MILLIS },
  async (when) => {
    const [scenario] = SCENARIOS
    if (scenario === undefined) throw new Error('There is no scenario.')
    const messages = await countMessages(scenario)
    const node = await startNode()
    const found: string[] = []
    for (const at of placesOf(messages)) {
      found.push(await interrupted(node, scenario, { at, when, action: 'drop' }))
    }
    await node.die()
    note(`Purchase, connection lost ${when} ${found.length} of ${messages} messages`)
  },
)
