import type { MandateScope, ShownMandate } from '../mandates/service.ts'
import { newId } from '../platform/ids.ts'
import { agentValues, type Charging } from './agent.ts'
import type { ChargeDeps } from './deps.ts'
import { isSameMerchant } from './rules.ts'
import { sealedStanding } from './seal.ts'
import type { Payee, PurchasedProduct } from './wire-purchase.ts'

export interface ChargeRequest {
  amountMinor: bigint
  /** The caller's own key of the charge. */
  reference: string | null
  /** How long its credential lives. */
  lifeMinutes: number
  /** Null: the merchant of the mandate. */
  payee: Payee | null
  products: PurchasedProduct[]
  /** The amounts with a fraction, by their paths in the request. Whether there may be any is for the mandate's currency to say. */
  fractions: string[]
  /** Only whether it would pass. */
  isDry: boolean
  /** The agent that charges, where one does. */
  agent: Charging | null
  /** The checkout at the shop that the card is to go to. */
  delivery: { sessionId: string } | null
}

export type Given = Awaited<ReturnType<typeof prepare>>

/**
 * The values of a new charge. One that names its merchant, goes to a shop, or is made for one user, costs one look at the mandate, and so does the
 * first one of an agent's.
 */
export async function prepare(deps: ChargeDeps, scope: MandateScope, mandateId: string, request: ChargeRequest) {
  const { amountMinor, reference, lifeMinutes, payee, products, fractions, isDry, agent } = request
  const { merchantId } = scope
  const seen = agent === null ? undefined : deps.places.find(mandateId, agent.agentId)
  const isOwn = agent === null ? scope.agentId === undefined : seen !== undefined
  const isPlain = payee === null && request.delivery === null && scope.user === undefined && isOwn
  const mandate = isPlain ? null : await deps.mandates.look(scope, mandateId)
  const place = mandate ?? seen
  if (agent !== null && mandate !== null) deps.places.remember(mandateId, agent.agentId, mandate)
  const { merchantAllowed, other } = merchantOf(mandate, payee)
  const chargeId = newId('charge')
  const payeeUrl = other === null || other.url === mandate?.payeeUrl ? null : other.url
  const { problem: deliveryProblem, ...delivered } = await deliveryFor(deps, request, payeeUrl ?? mandate?.payeeUrl)
  const sealed = { merchantId, id: chargeId, mandateId, reference, amountMinor, currency: null, payeeUrl, ...delivered }
  return {
    ...{ merchantId, mandateId, chargeId, amountMinor, reference, lifeMinutes, fractions, isDry, merchantAllowed },
    ...{ deliveryProblem, ...delivered },
    hasFraction: fractions.length > 0,
    lineItemId: newId('lineItem'),
    payeeName: other?.name ?? null,
    payeeNetworkName: other?.networkName ?? null,
    payeeUrl: other?.url ?? null,
    payeeCountry: other?.country ?? null,
    payeeCategoryCode: payee?.categoryCode ?? null,
    payeeCategory: payee?.category ?? null,
    products: products.map((product) => ({ ref: newId('product'), ...product })),
    chargeSeal: deps.seals.seal(sealedStanding(sealed)),
    agent:
      agent !== null && place !== undefined
        ? {
            ...agentValues(
              agent,
              place,
              { amountMinor, reference, payeeUrl, products, merchantAllowed },
              deps.clock.now(),
            ),
            ownerSeal: deps.mandates.ownerSeal({ merchantId, id: mandateId, ...ofOwner(agent) }),
          }
        : null,
  }
}

/** The values of a charge, with what those of an agent's say beside; null, where a merchant charges. */
export const valuesOf = (given: Given) => ({ ...given, ...(given.agent ?? NO_AGENT) })
const NO_AGENT = {
  ...{ agentId: null, ownerId: null, ownerSeal: null, likeness: null, alikeSince: null },
  ...{ asksRepeats: false, isAllowed: false },
}

const ofOwner = ({ agentId, customerId: ownerId }: Charging) => ({ agentId, ownerId })

const NO_DELIVERY = { deliveryShopId: null, deliverySessionId: null, problem: null }

/** The shop that the card goes to: the merchant of the charge; null where the card goes to the caller. */
async function deliveryFor(
  { delegations }: ChargeDeps,
  { delivery, agent }: ChargeRequest,
  payeeUrl: string | undefined,
) {
  if (delivery === null) return NO_DELIVERY
  // A merchant is the shop, or pays for its user by itself.
  if (agent === null || payeeUrl === undefined) return { ...NO_DELIVERY, problem: 'is for agents' }
  const { shopId, problem } = await delegations.shopAt(payeeUrl)
  return { deliveryShopId: shopId, deliverySessionId: delivery.sessionId, problem }
}

/** Whether the mandate allows the merchant that the charge names; `other` where it is not the mandate's own, of which an owner may be asked. */
function merchantOf(mandate: ShownMandate | null, payee: Payee | null) {
  if (mandate === null || payee === null) return { merchantAllowed: true, other: null }
  if (mandate.merchantScope === 'any') return { merchantAllowed: true, other: payee }
  const listed = { name: mandate.payeeName, url: mandate.payeeUrl }
  const merchantAllowed = isSameMerchant(listed, payee)
  return { merchantAllowed, other: merchantAllowed ? null : payee }
}
