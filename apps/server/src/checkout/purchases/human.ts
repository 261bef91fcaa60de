import type { PurchaseDeps, ReachedShop } from './deps.ts'
import * as ends from './ends.ts'
import { askLater, postpone } from './later.ts'
import { isReleased, type Verdict } from './rules.ts'
import * as shops from './shop.ts'
import type { PurchaseWork } from './store.ts'

/**
 * A purchase has waited for a person as long as it may, and its shop was asked once more. What it did not buy it has said to be over, or
 * gives back now: then nothing will be paid. The network is asked before that is believed: it ends the credential, unless it was spent,
 * and then the shop is mistaken. Everything else stays with the operator. A process that dies in between is followed by one that asks
 * all of it again, and hears the same.
 */
export async function endWaiting(
  deps: PurchaseDeps,
  work: PurchaseWork,
  shop: ReachedShop,
  verdict: Verdict,
): Promise<boolean> {
  if (verdict.next === 'paid') return ends.paid(deps, work, verdict)
  const isSaid = verdict.next === 'refused'
  if (!isSaid && !(await isGivenBack(shop, work, verdict))) return askLater(deps, work, verdict.next === 'unknown')
  switch (await deps.charges.releaseCredential({ chargeId: work.id })) {
    case 'ended':
      return ends.declined(deps, work, 'MERCHANT_ACTION_REQUIRED', isSaid)
    case 'used':
      return askLater(deps, work, false)
    case 'unknown':
      return postpone(deps, work)
  }
}

/** What it is at, or says nothing of, is not taken from it. */
async function isGivenBack(shop: ReachedShop, work: PurchaseWork, { next }: Verdict): Promise<boolean> {
  return (next === 'open' || next === 'needs_human') && isReleased(await shops.release(shop, work))
}
