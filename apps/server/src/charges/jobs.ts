import { command } from '../db/command.ts'
import { leaseBound } from '../jobs/due.ts'
import { workBeside } from '../jobs/handle.ts'
import type { Job } from '../jobs/loop.ts'
import type { ChargeDeps } from './deps.ts'
import { driveHeld } from './finish.ts'
import { chargeWork, listMerchantsWithWaiting, RECONCILE_JOB, updateWaiting } from './store.ts'

/** Charges of one process at a time. Many of them wait for the network. */
const MAX_AT_ONCE = 50
/**
 * Under load a charge falls due each few milliseconds, a lease after it was opened, and nearly all of them wait for
 * their report alone. Asked at each, the question was a fifth of all that the database did.
 */
const DUE_MILLIS = 250

/** Takes open work that no process holds to its end. */
export function reconciling(deps: ChargeDeps): Job {
  const job = workBeside(deps, chargeWork, {
    name: RECONCILE_JOB,
    limit: MAX_AT_ONCE,
    async handle(work) {
      await driveHeld(deps, work)
      return true
    },
  })
  return { ...job, dueMillis: DUE_MILLIS }
}

/** Charges that one round puts off. */
const MAX_PUT_OFF = 500

/**
 * Puts off the charges that only wait for their report until their credential lapses, a merchant at a time. Returns how
 * many.
 */
async function putOffWaiting(deps: Pick<ChargeDeps, 'pool' | 'clock'>): Promise<number> {
  const now = deps.clock.now()
  const limit = MAX_PUT_OFF
  const why = 'When a worker looks at a charge is not a change that anyone sees.'
  let moved = 0
  for (const { merchantId } of await listMerchantsWithWaiting(deps.pool, {
    at: now,
    leaseBound: leaseBound(now),
    limit,
  })) {
    const rows = await command(deps, { name: 'charges.put_off_waiting', why, together: 'statement' }, ({ on, at }) =>
      updateWaiting(on, { merchantId, at, leaseBound: leaseBound(at), limit }),
    )
    moved += rows.length
  }
  return moved
}

/** What waits is passed over by each question for due work until then: some rows of an index. */
export function puttingOff(deps: Pick<ChargeDeps, 'pool' | 'clock'>): Job {
  const run = async () => ({ taken: await putOffWaiting(deps), nextDueAt: null })
  return { name: 'charges.put_off_waiting', restMillis: 5_000, run }
}
