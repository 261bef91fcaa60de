import { single, singleWithEvent } from '../db/command.ts'
import type { ChargeDeps } from './deps.ts'
import type { Recorded } from './ends.ts'
import { nextEvent, valuesOf } from './events.ts'
import { postpone } from './postpone.ts'
import { isLapsed, overdueTime } from './rules.ts'
import * as endsStore from './standing-ends-store.ts'
import type { ChargeWork } from './store.ts'
import * as store from './store.ts'

// The end of a credential, at the network first: only the network knows whether it was spent.

/**
 * The time of a credential is over, or its card was deleted. Unused it comes to nothing, and the charge with it; used it waits for its
 * report. A claim may have read the charge before a report came in on the last moment, so it is read again: from the end of its time on none
 * is let in before the network has said which of the two it is. `tell` says that it was used, and that nobody has reported it for a day.
 */
export async function lapseStanding(
  deps: ChargeDeps,
  work: ChargeWork,
  lapsesAt: Date,
  tell: () => Recorded,
): Recorded {
  const { merchantId, id: chargeId, isCardDeleted = false } = work
  const found = await store.findReported(deps.pool, { merchantId, chargeId })
  if (found === undefined || found.reportedOutcome !== null) return undefined
  if (!isCardDeleted && !isLapsed(found, deps.clock.now())) return undefined
  const answer = await deps.network.release({ chargeId })
  if (answer.outcome !== 'ok') {
    await postpone(deps, work)
    return { postponed: true }
  }
  if (answer.value.state !== 'used') return recordUnused(deps, work)
  const nextDueAt = overdueTime(lapsesAt)
  // Where its card was deleted the network was asked long before, or has not answered until now.
  return isCardDeleted && nextDueAt <= deps.clock.now() ? tell() : recordUsed(deps, work, nextDueAt)
}

/** It was spent: it is erased, and looked at again when `nextDueAt` comes. */
export function recordUsed(deps: ChargeDeps, work: ChargeWork, nextDueAt: Date): Recorded {
  const { merchantId, id, leaseFence, version } = work
  const silent = 'What becomes of the payment is the event, or that nobody says it.'
  return single(deps, { name: 'charges.lapse_used', silent }, ({ on, at }) =>
    endsStore.updateLapsedUsed(on, { merchantId, id, leaseFence, version, at, nextDueAt }),
  )
}

function recordUnused(deps: ChargeDeps, work: ChargeWork): Recorded {
  const declaration = { name: 'charges.lapse_unused', emits: ['payment.failed'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.failed', work, 'CREDENTIAL_LAPSED'), (context) =>
    endsStore.updateLapsedUnused(context.on, valuesOf(work, context)),
  )
}
