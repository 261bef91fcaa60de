import { expect } from 'vitest'
import { type LinkedAgent, linkedAgent, mandateOf, newAgent, WIDE } from '../../../../test/agents.ts'
import { dbRow } from '../../../../test/flows.ts'
import { eventually } from '../../../../test/processes/program.ts'
import type { Answer, TestService } from '../../../../test/service.ts'
import { expectBalanced } from '../../../charges/testing/charge.ts'
import { secret } from '../../../platform/secret.ts'
import { SHOP_KEY } from '../../adapters/testing/requests.ts'
import { startScriptedAcp } from '../../adapters/testing/scripted-acp.ts'

// Charges whose card goes to a shop, for tests: a shop that says what a test wants, and agents that buy there.

export const SHOP = { name: 'Tee Shop', url: 'https://tees.example', country: 'US', adapter: 'acp' } as const
/** The checkout session of the scripted shop, and what it costs. */
export const SESSION = 'qte_1'
export const TOTAL = '48.70'
export const DELIVERY = { type: 'acp', checkout_session_id: SESSION }

/** A scripted shop that an operator has registered. */
export async function startTeeShop(service: TestService) {
  const world = await startScriptedAcp()
  const { id } = await service.app.shops.add({ ...SHOP, baseUrl: world.address.baseUrl }, secret(SHOP_KEY))
  return { ...world, id }
}

export interface Buyer {
  agent: LinkedAgent
  mandateId: string
  charge(body?: object, query?: string): Promise<Answer>
  /** The same at another node. */
  chargeAt(node: Pick<TestService, 'apiUrl'>, body?: object): Promise<Answer>
  report(charge: Answer, txn_status?: 'APPROVED' | 'DECLINED'): Promise<Answer>
}

/** An agent with a mandate of 500.00 a month at this shop. */
export async function buyerAt(service: TestService, url: string = SHOP.url, changes: object = {}): Promise<Buyer> {
  const agent = await linkedAgent(service, { limits: WIDE })
  const mandateId = await mandateOf(service, agent, { total_amount: '500.00', merchant_url: url, ...changes })
  const pair = { privateKey: agent.privateKey, publicKey: agent.privateKey }
  const by = ({ send }: Pick<LinkedAgent, 'send'>, body: object, query = '') =>
    send('POST', `/v1/mandates/${mandateId}/charge${query}`, { amount: TOTAL, delivery: DELIVERY, ...body })
  return {
    agent,
    mandateId,
    charge: (body = {}, query = '') => by(agent, body, query),
    chargeAt: (node, body = {}) => by(newAgent(node, agent.agentId, pair), body),
    report: ({ body: { transactionId } }, txn_status = 'APPROVED') =>
      agent.send('POST', `/v1/mandates/${mandateId}/charges/${transactionId}/report`, {
        txn_status,
        txn_type: 'PURCHASE',
      }),
  }
}

/** How the last charge of a mandate stands: here, at the network and in the work that is open. */
export async function booksOf(service: TestService, { mandateId }: Pick<Buyer, 'mandateId'>) {
  return dbRow(
    service,
    `select c.status, c.failure_code as failure, c.credential_sealed is not null as sealed, c.delivery_shop_id as shop,
       n.state as mint, n.credential_state as credential,
       (c.attempts is not null)::int as work
     from charges c left join simnet.mints n on n.charge_id = c.id
     where c.standing_mandate_id = $1 order by c.created_at desc, c.id desc limit 1`,
    [mandateId],
  )
}

/** Mandate, charges and network agree of this mandate: what is spent, in hundredths, and how often. */
export const spentOf = (service: TestService, { mandateId }: Pick<Buyer, 'mandateId'>) =>
  expectBalanced(service, mandateId)

/**
 * A charge at a shop that says nothing, by a caller who waits a moment: it stays open, and no process holds it when this is over.
 */
export async function chargeInVain(hasty: TestService, buyer: Buyer): Promise<void> {
  const { status, body } = await buyer.chargeAt(hasty, { reference: 'r' })
  expect({ status, code: body.error?.code }).toEqual({ status: 500, code: 'NO_TOKEN' })
  await eventually(async () => {
    const { rows } = await hasty.pool.query(
      `select 1 from charges where standing_mandate_id = $1 and status = 'minting' and lease_until is null`,
      [buyer.mandateId],
    )
    return rows.length === 1 ? true : undefined
  })
}
