import type { PaymentFailure } from '@mintmark/contract'
import type { Captured, Change, Rollback } from '../../db/command.ts'
import { rollback } from '../../db/command.ts'
import type { Queryable } from '../../db/statement.ts'
import { wake } from '../../jobs/wake.ts'
import { bound } from '../../platform/bound.ts'
import type { PurchaseDeps, PurchaseRef, QuotedAt } from './deps.ts'
import { buying } from './jobs.ts'
import { unresolved } from './list.ts'
import { resolve } from './resolve.ts'
import * as store from './store.ts'

export type { PurchaseDeps, PurchaseRef, QuotedAt, ReachedShop } from './deps.ts'
export { merchantStatusOf } from './rules.ts'

/** The values of a new purchase (`INSERT_PURCHASE`), in the statement of the approval. */
export function purchaseOf({ seals }: PurchaseDeps, purchase: PurchaseRef & { quoteId: string } & QuotedAt) {
  const { quoteId, shopId, shopRef } = purchase
  return { quoteId, shopId, shopRef, purchaseSeal: seals.seal(store.sealedPurchase(purchase)) }
}

/** Lets a worker buy as soon as the write that opens a purchase has committed. */
export function wakeBuying(_deps: PurchaseDeps, on: Queryable): void {
  wake(on, store.BUY_JOB)
}

/**
 * Ends a charge that has no credential yet, with its purchase, in the caller's transaction. What the network may have
 * minted is voided there, and what the shop may hold is given back by a worker. Rolls back once there is a credential:
 * then the shop may have been paid.
 */
export async function voidPurchase(
  deps: PurchaseDeps,
  { tx, at }: Change,
  charge: PurchaseRef & { customerId: string; failure: PaymentFailure; from: readonly ('initiated' | 'minting')[] },
): Promise<Captured<'payment.failed'> | Rollback> {
  const ended = await deps.charges.voidCharge({ tx, at }, charge)
  if (ended === rollback) return rollback
  const { merchantId, chargeId, failure } = charge
  const owed = await store.updateVoided(tx, { merchantId, chargeId, failure, at })
  if (owed !== undefined) wake(tx, store.BUY_JOB)
  return ended
}

/**
 * What the service buys itself, for an approved session: at the shop, with a credential that only the shop is shown.
 */
export const createPurchaseService = (deps: PurchaseDeps) =>
  bound(deps, { purchaseOf, wakeBuying, voidPurchase, buying, resolve, unresolved })
export type PurchaseService = ReturnType<typeof createPurchaseService>
