import { single, singleWithEvent } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { releaseCredential } from './confirm.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import type { Recorded } from './ends.ts'
import { nextEvent, valuesOf } from './events.ts'
import { postpone } from './postpone.ts'
import { isLapsed, overdueTime } from './rules.ts'
import * as endsStore from './standing-ends-store.ts'
import type { ChargeWork } from './store.ts'
import * as store from './store.ts'

// The end of a credential, at the network first: only the network knows whether it was spent.

/**
 * The time of a credential is over. Unused it comes to nothing, and the charge with it; used it waits for its report. A claim may have read
 * the charge before a report came in on the last moment, so it is read again: from now on none is let in before the network has said
 * which of the two it is.
 */
export async function lapseStanding(deps: ChargeDeps, work: ChargeWork, lapsesAt: Date): Recorded {
  const { merchantId, id: chargeId } = work
  const found = await store.findReported(deps.pool, { merchantId, chargeId })
  if (found === undefined || !isLapsed(found, deps.clock.now())) return undefined
  const answer = await deps.network.release({ chargeId })
  if (answer.outcome !== 'ok') {
    await postpone(deps, work)
    return { postponed: true }
  }
  return answer.value.state === 'used' ? recordUsed(deps, work, overdueTime(lapsesAt)) : recordUnused(deps, work)
}

function recordUsed(deps: ChargeDeps, work: ChargeWork, nextDueAt: Date): Recorded {
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

/**
 * Ends the credential of a charge that is not over, before its time, as after a restore from a backup, which brings back credentials that
 * were used, reported or erased since. `ended`: it is dead at the network, shown to nobody from now on, and a worker ends the charge; one that
 * was still being minted comes to nothing. `used`: it was spent, and the charge waits for its report as ever. `unknown`: nothing was
 * changed; ask again. Idempotent.
 */
export async function endCredential(deps: ChargeDeps, charge: ChargeRef): Promise<'ended' | 'used' | 'unknown'> {
  const became = await releaseCredential(deps, charge)
  if (became !== 'ended') return became
  const silent = 'The end of the charge is the event, which a worker writes.'
  await single(deps, { name: 'charges.bring_lapse_forward', silent }, ({ on, at }) => {
    wake(on, store.RECONCILE_JOB)
    return store.updateLapseNow(on, { ...charge, at })
  })
  return 'ended'
}
