import { complete, createSession, networkOf, newUser } from '../../../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../../../test/service.ts'
import { fromQuote, quoted, variantOf } from '../../quotes/testing/scripted-shop.ts'
import { type Acquirer, createScriptedShop, type ScriptedShop } from './scripted-shop.ts'

/** A service that buys at one scripted shop, whose acquirer is the simulated network's. */
export interface Buying {
  service: TestService
  shopId: string
  shop: ScriptedShop
  /** What the shop's acquirer does; the simulated one's unless a test says otherwise. */
  acquirer: { charge: Acquirer; real: Acquirer }
  /** Shop and acquirer behave again. */
  reset(): void
  /** The same, and the shop stands as it was added, whatever a test before this one has left of it. */
  renew(): Promise<void>
}

/** A worker that a busy machine kept waiting is not taken for dead: what it asks the shop is asked once. */
export const LONG_LEASE = { LEASE_SECONDS: '30' }

const BASE_URL = 'https://tea.example/api'
const CHANGEABLE = { name: 'Tea House', url: 'https://tea.example', country: 'US', baseUrl: BASE_URL } as const

export async function startBuying(options: Parameters<typeof startTestService>[0] = {}): Promise<Buying> {
  const acquirer = { charge: (request) => acquirer.real(request), real: () => Promise.reject() } as Buying['acquirer']
  const shop = createScriptedShop((request) => acquirer.charge(request))
  const service = await startTestService({ createCheckout: () => shop, ...options })
  const network = networkOf(service)
  acquirer.real = ({ credential, total }) =>
    network.authorize({ ...credential, amount: total, merchantUrl: 'https://tea.example' })
  const { id: shopId } = await service.app.shops.add({ ...CHANGEABLE, adapter: 'native' }, null)
  const reset = () => {
    shop.reset()
    acquirer.charge = (request) => acquirer.real(request)
  }
  const renew = async () => {
    reset()
    // After a test that failed while it was disabled all that follow would fail as well.
    await service.app.shops.update(shopId, { ...CHANGEABLE, status: 'active' })
  }
  return { service, shopId, shop, acquirer, reset, renew }
}

interface Wishes {
  merchant?: TestMerchant
  simulated?: boolean
}

/** A session of a quote of 40.00, which its cardholder has still to approve. */
export async function quotedSession(
  { service, shopId }: Buying,
  { merchant = service.merchant, simulated = false }: Wishes = {},
) {
  const quote = await quoted(
    merchant,
    { id: shopId },
    { items: [{ variant_id: variantOf({ id: shopId }), quantity: 1 }] },
  )
  const sandbox_simulation = { stage: 'payment', outcome: 'success' }
  const wishes = { user_id: newUser(), ...(simulated && { sandbox_simulation }) }
  const created = await createSession(merchant, { ...fromQuote(quote), ...wishes })
  const { rows } = await service.pool.query<{ id: string }>('select id from charges where opened_by = $1', [
    created.session_id,
  ])
  return { ...created, id: created.session_id, chargeId: rows[0]?.id ?? '', quoteId: quote.quote_id }
}

/** The same, approved with this card. Nothing is bought before the background work runs. */
export async function approvedQuote(buying: Buying, { card, ...wishes }: Wishes & { card?: string } = {}) {
  const session = await quotedSession(buying, wishes)
  const approved = await complete(wishes.merchant ?? buying.service.merchant, session.id, {
    ...(card !== undefined && { card_number: card }),
  })
  if (approved.status !== 200) throw new Error(JSON.stringify(approved.body))
  return session
}

/** All that is known of a purchase, at the service, at the network, at the acquirer and at the shop. */
export async function booksOf({ service, shop }: Buying, chargeId: string) {
  const { rows } = await service.pool.query(
    `select p.state, c.status as charge, c.failure_code as failure, c.reported_outcome as reported,
       c.network_confirmation as confirmation, c.credential_sealed is not null as credential, m.status as mandate,
       n.state as mint, n.credential_state as "credentialState", n.confirmed_outcome as confirmed,
       (select count(*)::int from simnet.authorizations a where a.charge_id = c.id and a.response_code = '00') as authorized,
       array(select kind from open_work w where w.id in (c.id, c.mandate_id)
         union all select 'charge' where c.attempts is not null order by kind) as work
     from charges c
     left join purchases p on p.merchant_id = c.merchant_id and p.charge_id = c.id
     left join mandates m on m.merchant_id = c.merchant_id and m.id = c.mandate_id
     left join simnet.mints n on n.charge_id = c.id where c.id = $1`,
    [chargeId],
  )
  const { state: atShop = null, payments = 0 } = shop.purchases.get(chargeId) ?? {}
  return { ...rows[0], atShop, payments }
}

/** Where a purchase may rest, with everything that is then true together. */
export const AT_REST = {
  paid: {
    ...{
      state: 'paid',
      charge: 'completed',
      failure: null,
      reported: 'APPROVED',
      confirmation: 'SUCCESS',
      credential: false,
    },
    ...{ mandate: 'consumed', mint: 'minted', credentialState: 'used', confirmed: 'APPROVED', authorized: 1, work: [] },
    ...{ atShop: 'paid', payments: 1 },
  },
  /** The shop was handed the credential, and says no. */
  declined: {
    ...{ state: 'failed', charge: 'failed', reported: 'DECLINED', confirmation: 'SUCCESS', credential: false },
    ...{ mandate: 'cancelled', mint: 'minted', confirmed: 'DECLINED', authorized: 0, work: [], payments: 0 },
  },
  /** Neither the service nor the shop ever had a credential. */
  unpaid: {
    ...{ charge: 'failed', reported: null, confirmation: null, credential: false, mandate: 'cancelled' },
    ...{ authorized: 0, work: [], payments: 0 },
  },
} as const

/** One round of buying. What a shop or the network did not answer is due again in a second: on a busy machine all tasks take longer than that. */
export async function buyOnce({ service }: Buying): Promise<void> {
  const job = service.job('purchases.buy')
  await job.run()
  await job.settled?.()
}

/** Lets the background work go on until the session is at its end, or for as many rounds as are given. */
export async function settle({ service }: Buying, sessionId: string, merchant = service.merchant, rounds = 8) {
  for (let round = 0; ; round += 1) {
    await service.runJobs()
    const { body } = await merchant.get(`/v1/sessions/${sessionId}/payment-result`)
    if (body.status !== 'processing' || round >= rounds) {
      // What no caller waits for: the network hears of a cancellation, the shop gets back what it held.
      await service.clock.advance(90)
      await service.runJobs()
      return body
    }
    await service.clock.advance(31)
  }
}
