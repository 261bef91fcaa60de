import type { EventType, MandateStatus } from '@mintmark/contract'
import { type EventRow, singleWithEvent } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import { unavailable } from '../platform/errors.ts'
import { mandateInvalidTransition } from './errors.ts'
import { mandateEvent } from './events.ts'
import { findOwn, type MandateScope, type ShownMandate, shown } from './read.ts'
import type { MandateDeps, MandateRef } from './service.ts'
import * as store from './store.ts'
import { END_JOB } from './store.ts'

interface Move {
  verb: string
  type: Extract<EventType, `mandate.${string}`>
  from: readonly MandateStatus[]
  to: MandateStatus
  /** One statement: the move, what follows of it, and its event. None: the row is not as it was read. */
  write(on: Queryable, values: MandateRef & { version: number; at: Date } & EventRow): Promise<object | undefined>
}

const PAUSE: Move = {
  verb: 'paused',
  type: 'mandate.paused',
  from: ['active'],
  to: 'paused',
  write: store.updatePaused,
}

const RESUME: Move = {
  verb: 'resumed',
  type: 'mandate.resumed',
  from: ['paused'],
  to: 'active',
  write: store.updateResumed,
}

const CANCEL: Move = {
  verb: 'cancelled',
  type: 'mandate.cancelled',
  from: ['active', 'paused'],
  to: 'cancelled',
  write(on, values) {
    wake(on, END_JOB)
    return store.updateCancelledByOwner(on, values)
  },
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
 * For good. Nothing is charged from now on. What was charged before is left alone: its credential is shown, spent and reported until it
 * ends by itself, and when the last one has ended a worker tells the network (ADR 0113).
 */
export function cancel(deps: MandateDeps, scope: MandateScope, id: string): Promise<ShownMandate> {
  return move(deps, scope, id, CANCEL)
}

/** A caller that asks again, after an answer that was lost, reads that it was done. */
function refusalOf(status: MandateStatus, { verb, to }: Move): string {
  return status === to ? `The mandate is ${status} already.` : `A mandate that is ${status} cannot be ${verb}.`
}

/** So often others would have to change a mandate between a look and a write of ours. */
const MAX_LOOKS = 50

/**
 * One of any number of callers moves it. The others find that it was moved, look again, and are told what its status does not
 * allow. Each look follows a change that another caller or a worker made.
 */
async function move(deps: MandateDeps, scope: MandateScope, id: string, into: Move): Promise<ShownMandate> {
  const { verb, type, from, to, write } = into
  const { merchantId } = scope
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const mandate = await findOwn(deps, scope, id, 0)
    const { status } = shown(deps, mandate)
    if (!from.includes(status)) throw mandateInvalidTransition({ message: refusalOf(status, into) })
    // The payment of a checkout that was reported in time still ends as paid or declined; nothing else happens to it now.
    if (mandate.validUntil <= deps.clock.now()) {
      throw mandateInvalidTransition({ message: `The time of the mandate is over: it cannot be ${verb}.` })
    }
    const { version } = mandate
    const declaration = { name: `mandates.${to}`, emits: [type] }
    const moved = await singleWithEvent(deps, declaration, mandateEvent(type, mandate, to), async (change) => {
      const { on, at, event } = change
      return (await write(on, { merchantId, id, version, at, ...event })) && { changedAt: at }
    })
    if (moved === undefined) continue
    const endedAt = to === 'cancelled' ? moved.changedAt : null
    return shown(deps, { ...mandate, ...moved, status: to, endedAt })
  }
  throw unavailable()
}
