// Guarantee: wherever the service dies while the card of an agent's charge goes to a shop, the same request later gets the one charge and the
// one token, which completes the checkout: minted once, handed over once, counted once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acpClient, MUG, totalOf } from '../../../../examples/sandbox-shop/testing/acp-world.ts'
import { KEY, startTestShop, type TestShop } from '../../../../examples/sandbox-shop/testing/world.ts'
import { refusal } from '../../src/checkout/adapters/testing/scripted-acp.ts'
import {
  type Buyer,
  booksOf,
  buyerAt,
  spentOf,
  startTeeShop,
} from '../../src/checkout/delegations/testing/delivered.ts'
import { secret } from '../../src/platform/secret.ts'
import { eventually, note } from '../processes/program.ts'
import { startTestService, type TestService } from '../service.ts'
import { openStage, SIDES, type Stage, type Staged } from './stage.ts'
import { commits, sweepKills, type Victim } from './sweep.ts'

const URL = 'https://sandbox-shop.example'

let stage: Stage
let shop: TestShop
/** A node beside those that die, for what is prepared and looked at. */
let service: TestService
beforeAll(async () => {
  const env = { CHECKOUT_ALLOW_LOOPBACK: 'on' }
  stage = await openStage(env)
  shop = await startTestShop()
  service = await startTestService({ env, database: stage.database })
  const settings = { name: 'Sandbox Shop', url: URL, country: 'US', adapter: 'acp' } as const
  await service.app.shops.add({ ...settings, baseUrl: `${shop.url}/acp` }, secret(KEY))
})
afterAll(async () => {
  await shop?.close()
  await service?.close()
  await stage?.close()
})

interface Checkout {
  buyer: Buyer
  session: { id: string; totals: { type: string; amount: number }[] }
}
const checkouts = new Map<string, Checkout>()
const client = acpClient(() => shop)

async function prepare(): Promise<string> {
  const [buyer, session] = [await buyerAt(service, URL), await client.created([MUG])]
  checkouts.set(session.id, { buyer, session })
  return session.id
}

function charge({ apiUrl }: { apiUrl: string }, id: string) {
  const { buyer, session } = checkouts.get(id) as Checkout
  const amount = (totalOf(session) / 100).toFixed(2)
  return buyer.chargeAt({ apiUrl }, { reference: 'once', amount, delivery: { type: 'acp', checkout_session_id: id } })
}

test.each(SIDES)('killed %s every message of a charge', async (when) => {
  const settle = async ({ program }: Staged, { sessionId: id, answer }: Victim) => {
    const again = await eventually(async () => {
      const answer = await charge(program, id)
      return answer.status === 200 ? answer.body : undefined
    })
    expect(again).toMatchObject({ status: 'awaiting_result', delivery: { token: expect.stringMatching(/^vt_/) } })
    if (answer?.status === 200) expect(again).toEqual({ ...answer.body, deduplicated: true })
    const { buyer, session } = checkouts.get(id) as Checkout
    expect(await spentOf(service, buyer)).toEqual({ spent: totalOf(session), count: 1 })
    expect(await booksOf(service, buyer)).toMatchObject({ status: 'awaiting_result', sealed: true, credential: 'open' })
    expect((await client.complete(session, again.delivery.token)).body).toMatchObject({ status: 'completed' })
  }
  const stops = [
    commits('charges.insert_opened'),
    commits('simnet.insert_minted'),
    commits('charges.update_standing_minted'),
  ]
  const settled = await sweepKills(stage, { when, least: 5, stops, prepare, act: charge }, settle)
  note(`Charge with a delivery, killed ${when} each of ${settled.length} messages`)
})

test.each(SIDES)('killed %s every message of a charge that the shop refuses', async (when) => {
  const tees = await startTeeShop(service)
  tees.says({ delegate_payment: refusal(400, 'invalid_card') })
  const buyers = new Map<string, Buyer>()
  const sweep = {
    when,
    least: 5,
    stops: [
      commits('charges.insert_opened'),
      commits('simnet.insert_minted'),
      commits('simnet.claim_release'),
      commits('charges.update_standing_failed'),
    ],
    async prepare() {
      const buyer = await buyerAt(service)
      buyers.set(buyer.mandateId, buyer)
      return buyer.mandateId
    },
    act: ({ apiUrl }: { apiUrl: string }, id: string) =>
      (buyers.get(id) as Buyer).chargeAt({ apiUrl }, { reference: 'r' }),
  }
  const settled = await sweepKills(stage, sweep, async (_, { sessionId: id, answer, reached, place }) => {
    if (answer !== null) expect(answer.body).toMatchObject({ status: 'failed', errorCode: 'DELIVERY_REFUSED' })
    const buyer = buyers.get(id) as Buyer
    // No caller acts: a worker carries out what the dead service left.
    const books = await eventually(async () => {
      const found = await booksOf(service, buyer).catch(() => ({ status: 'none' }))
      return found.status === 'minting' ? undefined : found
    })
    if (reached === 0) expect(books, place).toEqual({ status: 'none' })
    else {
      expect(books, place).toMatchObject({ status: 'failed', sealed: false, work: 0 })
      expect([null, 'closed']).toContain(books.credential)
    }
    expect(await spentOf(service, buyer)).toEqual({ spent: 0, count: 0 })
  })
  await tees.close()
  note(`Charge that a shop refuses, killed ${when} each of ${settled.length} messages`)
})
