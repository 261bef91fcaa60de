import type {
  CardToHandOver,
  CheckoutToPay,
  DelegationAnswer,
  Delegations,
  ShopToken,
} from '../../charges/delivery-port.ts'
import { merchantHost } from '../../network/merchant-host.ts'
import { bound } from '../../platform/bound.ts'
import { RowTampered } from '../../platform/row-seals.ts'
import type { CheckoutAnswer, MerchantCheckout } from '../port.ts'
import { acpPlaceOf, type Shop, type ShopService } from '../shops/service.ts'

// Cards of charges that go to a shop for its own token, with which an agent completes its checkout there.

export interface DelegationDeps {
  shops: Pick<ShopService, 'list' | 'find' | 'checkoutOf' | 'places'>
  /** After a restore nothing is sent to a shop before the network was asked. */
  isClosed(): boolean
}

/** A shop that takes longer keeps others waiting. */
const USUAL_MILLIS = 2_000

/** The shop at the host of this merchant that takes cards, or why there is none. Where there are several, the one registered first. */
async function shopAt({ shops }: DelegationDeps, payeeUrl: string): ReturnType<Delegations['shopAt']> {
  const here = (await shops.list()).filter((shop) => isAt(shop, payeeUrl))
  if (here.length === 0)
    return { shopId: null, problem: 'is for shops that are registered here, and this merchant is none' }
  const speaking = here.filter((shop) => acpPlaceOf(shop) !== null)
  if (speaking.length === 0) {
    return { shopId: null, problem: 'is for shops that speak the Agentic Commerce Protocol, and this one does not' }
  }
  const found = speaking.find(({ status }) => status === 'active')
  return found === undefined
    ? { shopId: null, problem: 'is not possible at the moment: the shop is disabled' }
    : { shopId: found.id, problem: null }
}

function isAt({ url }: Pick<Shop, 'url'>, payeeUrl: string): boolean {
  const host = merchantHost(payeeUrl)
  return host !== null && merchantHost(url) === host
}

/** Whether the checkout is open at that amount. Nothing is changed by it. */
async function look(deps: DelegationDeps, { chargeId, sessionId, total, ...place }: CheckoutToPay) {
  return ask(deps, place, (checkout) => checkout.prepare({ purchaseId: chargeId, shopRef: sessionId, total }))
}

/** The same again is the same token. */
async function delegate(deps: DelegationDeps, card: CardToHandOver): Promise<DelegationAnswer<ShopToken>> {
  const { chargeId: purchaseId, sessionId: shopRef, total, credential, expiresAt, ...place } = card
  return ask(deps, place, async (checkout) =>
    checkout.delegate === undefined
      ? REFUSED
      : checkout.delegate({ purchaseId, shopRef, total, credential, expiresAt }),
  )
}

const REFUSED = { outcome: 'refused', reason: 'refused' } as const

/** Asks the shop, once it has a place for it. An adapter that throws after all may quote its request, card included: the error ends here. */
async function ask<T>(
  deps: DelegationDeps,
  place: Pick<CheckoutToPay, 'shopId' | 'payeeUrl'>,
  question: (checkout: MerchantCheckout) => Promise<CheckoutAnswer<T>>,
): Promise<DelegationAnswer<T>> {
  if (deps.isClosed()) return { outcome: 'unknown' }
  const checkout = await reach(deps, place)
  if (checkout === undefined) return { outcome: 'refused' }
  const answer = await deps.shops.places.ask<T>(place.shopId, USUAL_MILLIS, async () => {
    try {
      return await question(checkout)
    } catch {
      return { outcome: 'unknown', cause: 'The adapter of the shop failed.' }
    }
  })
  return answer.outcome === 'ok' ? answer : { outcome: answer.outcome }
}

/** The shop as it is now. One that was disabled, moved or edited since the charge began is not asked, and shown nothing. */
async function reach({ shops }: DelegationDeps, { shopId, payeeUrl }: Pick<CheckoutToPay, 'shopId' | 'payeeUrl'>) {
  const shop = await shops.find(shopId)
  if (shop === undefined || shop.status !== 'active' || !isAt(shop, payeeUrl)) return undefined
  const place = acpPlaceOf(shop)
  if (place === null) return undefined
  try {
    return await shops.checkoutOf(shop, place)
  } catch (error) {
    // Its alarm is in the log.
    if (error instanceof RowTampered) return undefined
    throw error
  }
}

export const createDelegations = (deps: DelegationDeps): Delegations => bound(deps, { shopAt, look, delegate })
