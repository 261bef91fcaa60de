import type { Currency } from '@mintmark/contract'
import { secret } from '../../platform/secret.ts'
import type { CheckoutAnswer, PayResult, ShopPurchaseState } from '../port.ts'
import type { PurchaseDeps, ReachedShop } from './deps.ts'
import type { PurchaseWork } from './store.ts'

// What is said to a shop about one purchase: outside any transaction, each time under the same name, the id of the
// charge.

/** A shop that takes longer keeps others waiting. */
const USUAL_MILLIS = 2_000
/** Between a shop and its acquirer a payment may take its time. */
const USUAL_PAYMENT_MILLIS = 10_000

/** The shop of a purchase; undefined: there is none any more. */
export async function reach({ shops }: PurchaseDeps, shopId: string): Promise<ReachedShop | undefined> {
  const shop = await shops.find(shopId)
  if (shop === undefined) return undefined
  return {
    isActive: shop.status === 'active',
    checkout: await shops.checkoutOf(shop),
    ask: (usualMillis, question) => shops.places.ask(shopId, usualMillis, question),
  }
}

type Nothing = Record<never, never>

const refOf = ({ id, shopRef }: PurchaseWork) => ({ purchaseId: id, shopRef })
const totalOf = ({ amountMinor: minor, currency }: PurchaseWork) => ({ minor, currency: currency as Currency })

export function prepare({ ask, checkout }: ReachedShop, work: PurchaseWork): Promise<CheckoutAnswer<Nothing>> {
  return ask(USUAL_MILLIS, () => asked(() => checkout.prepare({ ...refOf(work), total: totalOf(work) })))
}

export function inquire(
  { ask, checkout }: ReachedShop,
  work: PurchaseWork,
): Promise<CheckoutAnswer<ShopPurchaseState>> {
  return ask(USUAL_MILLIS, () => asked(() => checkout.inquire(refOf(work))))
}

export function release({ ask, checkout }: ReachedShop, work: PurchaseWork): Promise<CheckoutAnswer<Nothing>> {
  return ask(USUAL_MILLIS, () => asked(() => checkout.release(refOf(work))))
}

/** Opens the credential for the shop alone. It is in the clear from when it has a place there until its answer. */
export async function pay(
  { charges }: PurchaseDeps,
  { ask, checkout }: ReachedShop,
  work: PurchaseWork,
): Promise<CheckoutAnswer<PayResult>> {
  const { merchantId, id: chargeId, credentialSealed: sealed, credentialKeyId: keyId } = work
  if (sealed === null || keyId === null) throw new Error(`The purchase ${chargeId} has no credential to pay with.`)
  return ask(USUAL_PAYMENT_MILLIS, async () => {
    const { token, dynamic_cvv, expiry_month, expiry_year } = await charges.unsealCredential(
      { merchantId, chargeId },
      { sealed, keyId },
    )
    const credential = {
      token: secret(token),
      dynamicCvv: secret(dynamic_cvv),
      expiryMonth: expiry_month,
      expiryYear: expiry_year,
    }
    return asked(() => checkout.pay({ ...refOf(work), total: totalOf(work), credential }))
  })
}

/**
 * Adapters return `unknown` instead of throwing. One that throws after all may quote its request, credential included,
 * so the error ends here: neither its text nor its stack goes any further.
 */
async function asked<T>(question: () => Promise<CheckoutAnswer<T>>): Promise<CheckoutAnswer<T>> {
  try {
    return await question()
  } catch {
    return { outcome: 'unknown', cause: 'The adapter of the shop failed.' }
  }
}
