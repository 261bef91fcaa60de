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

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
