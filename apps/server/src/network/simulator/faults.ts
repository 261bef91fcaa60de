import { setTimeout as delay } from 'node:timers/promises'
import { GaveUpWaiting } from '../guard.ts'
import { type SimulatorDeps, single } from './deps.ts'
import { claimScriptedFailure } from './store.ts'
import type { Behaviour } from './test-cards.ts'

// How scripted failures are made. Nothing here returns "unknown": the request or the response is really lost, and the
// adapter finds out by waiting, as with a real network.

/** True for the first call about a card or charge, false ever after: the failure that a retry gets past. */
export async function happensNow(deps: SimulatorDeps, subjectId: string, failure: Behaviour): Promise<boolean> {
  return (await claimScriptedFailure(single(deps), { subjectId, failure, at: deps.clock.now() })) === 1
}

/** An answer, or a question, that never arrives. */
export function lost({ lostMillis }: SimulatorDeps): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (lostMillis !== undefined) setTimeout(reject, lostMillis, new GaveUpWaiting())
  return promise
}

/** The network is slower than the adapter's time-out. The wait keeps no process alive. */
export function hang(deps: SimulatorDeps): Promise<void> {
  return delay(deps.timeoutMillis * 2, undefined, { ref: false })
}

/** The connection broke before the question arrived. */
export class ConnectionReset extends Error {
  override readonly name = 'ConnectionReset'
  readonly code = 'ECONNRESET'
}
