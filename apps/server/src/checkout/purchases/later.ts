import { single } from '../../db/command.ts'
import { noteLongWait, retryTime } from '../../jobs/handle.ts'
import type { PurchaseDeps } from './deps.ts'
import * as ends from './ends.ts'
import { isDayOfAlarm, isHumanOver, isOverlong, nextRelease, silentSince } from './rules.ts'
import { BUY_JOB, type PurchaseWork, purchaseWork } from './store.ts'

// When a purchase is looked at again of which there is no word yet, and who is told how long that takes.

/** Less and less often, and not for ever: a shop may be gone for good. */
export async function releaseLater(deps: PurchaseDeps, work: PurchaseWork): Promise<boolean> {
  const retryAt = nextRelease(work, deps.clock.now())
  if (retryAt !== null) return postpone(deps, work, retryAt)
  deps.log.warn('a shop was not told that nothing more comes of a purchase', {
    merchant_id: work.merchantId,
    charge_id: work.id,
  })
  return ends.released(deps, work)
}

/** Until the shop is asked again. `isSilent`: it gave no answer. One that answers, and says nothing of the outcome for long, is no better. */
export async function askLater(deps: PurchaseDeps, work: PurchaseWork, isSilent: boolean): Promise<boolean> {
  const now = deps.clock.now()
  const unknownSince = silentSince(work, isSilent, now)
  if (isHumanOver(work, deps.humanHours, now)) {
    if (isDayOfAlarm(work, deps.humanHours, now)) ends.callForPerson(deps, work)
  } else if (isOverlong(unknownSince, now)) {
    deps.log.error('a shop does not say what became of a purchase', {
      alarm: 'purchase_unknown',
      merchant_id: work.merchantId,
      charge_id: work.id,
    })
  }
  await ends.askAgain(deps, work, unknownSince)
  return false
}

/** Until the network, or a shop that is to be told, is asked again. Always false. */
export async function postpone(deps: PurchaseDeps, work: PurchaseWork, retryAt?: Date): Promise<boolean> {
  // A shop that is silent has an alarm of its own, or none where nothing depends on it.
  if (retryAt === undefined) noteLongWait(deps.log, BUY_JOB, work)
  await single(deps, { name: 'purchases.postpone', silent: 'work' }, ({ on, at }) =>
    purchaseWork.postpone(on, work, retryAt ?? retryTime(at, work.attempts)),
  )
  return false
}
