import type { EventType, MandateStatus } from '@mintmark/contract'
import { command } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { unavailable } from '../platform/errors.ts'
import { mandateInvalidTransition } from './errors.ts'
import { mandateEvent } from './events.ts'
import { findOwn, type MandateScope, type ShownMandate, shown } from './read.ts'
import type { MandateDeps } from './service.ts'
import * as store from './store.ts'
import { END_JOB } from './store.ts'

interface Move {
  verb: string
  type: Extract<EventType, `mandate.${string}`>
  from: readonly MandateStatus[]
  to: MandateStatus
  /**
   * The statement of a standing mandate, and of that of a purchase: each the move, what follows of it, and its event.
   */
  write: keyof typeof STANDING
}

const STANDING = {
  updatePaused: store.updatePaused,
  updateResumed: store.updateResumed,
  updateCancelledByOwner: store.updateCancelledByOwner,
}

const PAUSE: Move = {
  verb: 'paused',
  type: 'mandate.paused',
  from: ['active'],
  to: 'paused',
  write: 'updatePaused',
}

const RESUME: Move = {
  verb: 'resumed',
  type: 'mandate.resumed',
  from: ['paused'],
  to: 'active',
  write: 'updateResumed',
}

const CANCEL: Move = {
  verb: 'cancelled',
  type: 'mandate.cancelled',
  from: ['active', 'paused'],
  to: 'cancelled',
  write: 'updateCancelledByOwner',
}

/** Nothing is charged until it is resumed. What was minted before stays good, and is reported as ever. */
export function pause(deps: MandateDeps, scope: MandateScope, id: string): Promise<ShownMandate> {
  return move(deps, scope, id, PAUSE)
}

/** What was spent of the window is still spent. */
export function resume(deps: MandateDeps, scope: MandateScope, id: string): Promise<ShownMandate> {
  return move(deps, scope, id, RESUME)
}

/**
 * For good. A worker tells the network, which mints nothing any more and voids credentials that were not used; charges
 * wait for their reports as before, because one may have been used already.
 */
export function cancel(deps: MandateDeps, scope: MandateScope, id: string): Promise<ShownMandate> {
  return move(deps, scope, id, CANCEL)
}

/** Whoever asks again, after an answer that was lost, reads that it was done. */
function refusalOf(status: MandateStatus, { verb, to }: Move): string {
  return status === to ? `The mandate is ${status} already.` : `A mandate that is ${status} cannot be ${verb}.`
}

/** So often others would have to change a mandate between a look and a write of ours. */
const MAX_ROUNDS = 50

/**
 * One of any number of callers moves it. The others find that it was moved, read again, and are told what its status
 * does not allow. Each look follows a change that another caller made.
 */
async function move(deps: MandateDeps, scope: MandateScope, id: string, into: Move): Promise<ShownMandate> {
  const { verb, type, from, to, write } = into
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const mandate = await findOwn(deps, scope, id, 0)
    const { status } = shown(deps, mandate)
    if (!from.includes(status)) throw mandateInvalidTransition({ message: refusalOf(status, into) })
    // The payment of a checkout that was reported in time still ends as paid or declined; nothing else happens to it
    // now.
    if (mandate.validUntil <= deps.clock.now()) {
      throw mandateInvalidTransition({ message: `The time of the mandate is over: it cannot be ${verb}.` })
    }
    const declaration = { name: `mandates.${to}`, events: [type], together: 'statement' } as const
    const event = mandateEvent(type, mandate, to)
    const moved = await command(deps, declaration, async ({ on, at, prepare }) => {
      if (to === 'cancelled') wake(on, END_JOB)
      const values = { merchantId: mandate.merchantId, id, version: mandate.version, at, ...prepare(event) }
      const { chargeId } = mandate
      // None: the row is not as it was read.
      const written =
        chargeId === null ? STANDING[write](on, values) : deps.ofPurchases[write](on, { ...values, chargeId })
      return (await written) && { changedAt: at }
    })
    if (moved === undefined) continue
    const endedAt = to === 'cancelled' ? moved.changedAt : null
    return shown(deps, { ...mandate, ...moved, status: to, endedAt })
  }
  throw unavailable()
}
