import { single } from '../../db/command.ts'
import type { Queryable } from '../../db/statement.ts'
import { leaseBound } from '../../jobs/due.ts'
import { wake } from '../../jobs/wake.ts'
import { fieldErrors } from '../../platform/errors.ts'
import type { PurchaseDeps, PurchaseRef } from './deps.ts'
import { beingAsked, notResolvable, purchaseNotFound } from './errors.ts'
import { isOrderRef } from './rules.ts'
import type { PurchaseState } from './states.ts'
import * as store from './store.ts'

/** What an operator found out about a purchase that no program could end. */
export interface Resolution {
  outcome: 'paid' | 'failed'
  /** The shop's order for a purchase that was paid, if it has one. */
  orderId: string | null
}

/**
 * An operator says how a purchase ended that needs a person, or about whose payment the shop is silent. The network is told then,
 * and the merchant. The same word again is no change; the other one is refused.
 */
export async function resolve(
  deps: PurchaseDeps,
  purchase: PurchaseRef,
  { outcome, orderId }: Resolution,
): Promise<{ state: PurchaseState; orderId: string | null; resolvedAt: Date | null }> {
  if (orderId !== null && !isOrderRef(orderId)) {
    throw fieldErrors({ order_id: 'must be 1 to 64 of A-Z, a-z, 0-9 and . _ : -' })
  }
  // An operator who names an order means that it was paid: money is not given back because of a slip.
  if (orderId !== null && outcome === 'failed') throw fieldErrors({ order_id: 'is of a purchase that was paid' })
  const { merchantId, chargeId } = purchase
  const made = await single(deps, { name: 'purchases.resolve', silent: 'middle' }, ({ on, at }) =>
    write(on, { merchantId, id: chargeId, at, leaseBound: leaseBound(at) }, { outcome, orderId }),
  )
  const found = await store.findPurchase(deps.pool, { merchantId, chargeId })
  if (found === undefined) throw purchaseNotFound()
  const { state, orderRef, resolvedAt } = found
  if (made !== undefined) {
    deps.log.warn(`an operator resolved a purchase as ${outcome}`, {
      audit: 'purchase_resolved',
      merchant_id: merchantId,
      charge_id: chargeId,
    })
  } else if (state === 'needs_human' || (state === 'paying' && found.unknownSince !== null)) {
    throw beingAsked()
  } else if (resolvedAt === null || state !== outcome) {
    throw notResolvable({ message: `${notResolvable().message} It is ${state}.` })
  }
  return { state, orderId: orderRef, resolvedAt }
}

type Values = { merchantId: string; id: string; at: Date; leaseBound: Date }

async function write(on: Queryable, values: Values, { outcome, orderId: orderRef }: Resolution) {
  const made =
    outcome === 'paid'
      ? await store.updateResolvedPaid(on, { ...values, orderRef, authorizationCode: null })
      : await store.updateResolvedFailed(on, { ...values, failure: 'MERCHANT_ACTION_REQUIRED', releaseOwed: true })
  if (made !== undefined) wake(on, store.BUY_JOB)
  return made
}
