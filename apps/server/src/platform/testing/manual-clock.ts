import type { Clock } from '../clock.ts'

/** A clock that stands still until it is moved. */
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
