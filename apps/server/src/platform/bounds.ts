import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from './errors.ts'

/** How long work for one caller goes on. */
export interface Bounds {
  /** On the monotonic timer, in milliseconds. */
  endsAtMillis: number
  /** True once the caller has hung up: nothing is started for them any more. */
  isGone: boolean
  /** How long the work waited for systems that are not ours. */
  awayMillis: number
  /** Whose account the caller acts for, once that is known. */
  tenant?: string
}

const current = new AsyncLocalStorage<Bounds | undefined>()

/** Runs the work of one caller. Each of its waits asks here how long it may take. */
export function bounded<T>(bounds: Bounds, work: () => T): T {
  return current.run(bounds, work)
}

/**
 * Runs work that ends by its own limits, also when the caller has gone: a result of the network has to be recorded, and
 * what several callers wait for must not end with the first of them.
 */
export function unbounded<T>(work: () => T): T {
  return current.run(undefined, work)
}

/** How long a wait may still take; infinite for work that no caller waits for. Not below zero. */
export function remainingMillis(): number {
  const bounds = current.getStore()
  return bounds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, bounds.endsAtMillis - performance.now())
}

/** The tenant that the work is for: what is scarce is shared out among tenants. Undefined: none, or not known. */
export function currentTenant(): string | undefined {
  return current.getStore()?.tenant
}

/** Counts a wait for another system: it says nothing of how busy we are. */
export function noteAway(millis: number): void {
  const bounds = current.getStore()
  if (bounds !== undefined) bounds.awayMillis += millis
}

/**
 * Waits for the word of another system that another request has asked for, or because the caller is to be slowed down: that says nothing
 * of how busy we are either. What the timer takes beyond `millis` does, and is not counted.
 */
export async function waitAway(millis: number): Promise<void> {
  await delay(millis)
  noteAway(millis)
}

/** Throws when the work is to stop: its time is over, or the caller has hung up. */
export function checkBounds(): void {
  const bounds = current.getStore()
  if (bounds === undefined) return
  if (bounds.isGone) throw unavailable({ cause: new CallerGoneError() })
  if (performance.now() >= bounds.endsAtMillis) throw unavailable({ cause: new DeadlineError() })
}

/** For the log. No caller is left to read the response. */
class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError'
}

/** For the log: the request as a whole took too long. */
class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}
