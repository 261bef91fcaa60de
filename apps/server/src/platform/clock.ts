/**
 * The one source of time. Rules never read the machine's clock: a machine whose clock is an hour wrong, or a test that
 * passes fifteen minutes in a second, must give the same results.
 */
export interface Clock {
  now(): Date
  /** The time that goes on evenly, also when that of a sandbox is moved; absent where nothing moves. */
  unmoved?(): Date
}

/** For what has to hold in the seconds of other people's machines. */
export function unmoved(clock: Clock): Date {
  return clock.unmoved?.() ?? clock.now()
}

/** A clock for tests that stands still until it is moved. */
export class ManualClock implements Clock {
  #millis: number

  constructor(start: Date = new Date('2026-11-21T12:00:00.000Z')) {
    this.#millis = start.getTime()
  }

  now(): Date {
    return new Date(this.#millis)
  }

  advance(seconds: number): void {
    this.#millis += seconds * 1000
  }
}

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
