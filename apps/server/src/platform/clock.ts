/**
 * The one source of time. Rules never read the machine's clock: an hour on the wrong machine, or a test that walks
 * fifteen minutes in a second, must give the same answers everywhere.
 */
export interface Clock {
  now(): Date
}

/** A clock for tests that stands still until moved. */
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
