import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Charge, MintmarkAgent } from '@mintmark/node'
import type { Owner } from './owner.ts'
import type { Order, Shop } from './shop.ts'

interface Deps {
  apiUrl: string
  owner: Owner
  shop: Shop
  say: (line: string) => void
}

const POLL_MILLIS = 2_000

/** An agent's day: linked, allowed to buy at one shop, and asking once more where that is not enough. */
export async function shopping(deps: Deps): Promise<void> {
  const { say, shop } = deps
  const agent = await linked(deps)
  const mandateId = await mandate(agent, deps)
  say(`A mug from ${shop.name}`)
  await buy(agent, mandateId, await shop.order('stoneware-mug.oat'), deps)
  say('A bowl, which costs more than it may spend by itself')
  await buy(agent, mandateId, await shop.order('serving-bowl.small'), deps)
  say('What its owner allows, and what is left of it')
  for (const { kind, limit, used, left } of (await agent.me.get()).limits) {
    say(`  ${kind.padEnd(9)} ${limit}${used === null ? '' : `, used ${used}, left ${left}`}`)
  }
}

/** A key that the service does not know becomes an agent with an owner. A real agent keeps the key in a file of its own (0600). */
async function linked({ apiUrl, owner, say }: Deps): Promise<MintmarkAgent> {
  say('A new agent asks a person to own it')
  const { privateKey: key } = generateKeyPairSync('ed25519')
  const nobody = new MintmarkAgent({ apiUrl, key })
  const link = await nobody.links.create({ name: 'Household', description: 'Buys what is missing in the kitchen.' })
  say(`  ${link.link_url}`)
  await owner.link(link.link_id, link.link_url)
  const { status, agent_id } = await nobody.links.wait(link.link_id)
  if (agent_id === undefined) throw new Error(`The link is ${status}.`)
  const agent = new MintmarkAgent({ apiUrl, key, keyId: agent_id })
  const { owner: name } = await agent.me.get()
  say(`  It is ${agent_id}, and its owner ${name}`)
  return agent
}

async function mandate(agent: MintmarkAgent, { owner, shop, say }: Deps): Promise<string> {
  say('It asks for 60.00 USD a month at one shop')
  const asked = await agent.sessions.create({
    ...{ total_amount: '60.00', currency: 'USD' },
    ...{ merchant_name: shop.name, merchant_url: shop.url, merchant_country: shop.country },
    products: [{ description: 'Things for the kitchen', unit_price: '60.00' }],
    mandate_setup: { recurring_frequency: 'monthly' },
  })
  say(`  “${asked.approval.sentence}”`)
  await owner.approve(asked.session_id, asked.payment_url)
  const { status } = await agent.sessions.waitForResult(asked.session_id)
  if (status !== 'completed' || asked.mandate_id === undefined) throw new Error(`The mandate is ${status}.`)
  say(`  Approved: ${asked.mandate_id}`)
  return asked.mandate_id
}

/** The order is the reference: whatever is cut off, it is charged once. */
async function buy(agent: MintmarkAgent, mandateId: string, order: Order, deps: Deps): Promise<void> {
  const { owner, shop, say } = deps
  const { id: reference, total: amount, lines: product_details } = order
  const charge = () => agent.charges.create(mandateId, { amount, reference, purchase_context: [{ product_details }] })
  let made = await charge()
  if (made.escalation !== undefined && isAsking(made)) {
    const { details, escalation } = made
    say(`  ${amount} USD refused: ${made.errorCode}, the limit is "${details?.limit}". Its owner is asked`)
    await owner.decide(escalation.id, escalation.url)
    for (made = await charge(); isAsking(made); made = await charge()) await delay(POLL_MILLIS)
  }
  const { encrypted_payload: payload, transactionId } = made
  if (payload === undefined || transactionId === null)
    throw new Error(`Not charged: ${made.errorMessage ?? made.status}`)
  say(`  ${amount} USD charged: ${transactionId}`)
  // The one moment in which the agent has a card. It goes to the shop, and to no log and no model.
  const paid = await shop.pay(order, agent.open(payload))
  say(paid.approved ? '  The shop took the card' : `  The shop did not take the card: ${paid.reason}`)
  const { mandateStatus } = await agent.charges.report(made.mandateId, transactionId, {
    txn_type: 'PURCHASE',
    txn_status: paid.approved ? 'APPROVED' : 'DECLINED',
    ...(paid.approved ? { authorization_code: paid.authorizationCode } : {}),
  })
  say(`  Reported. The card is worth nothing now, and the mandate ${mandateStatus}`)
}

const isAsking = ({ status, escalation }: Charge) => status === 'failed' && escalation?.status === 'pending'
