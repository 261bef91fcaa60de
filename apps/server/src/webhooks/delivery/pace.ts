import { addSeconds } from '../../platform/clock.ts'

// How fast a merchant is sent to, over all its endpoints and all workers: at most two requests at a time and five claims a
// second. What is decided here is decided under the lock of the merchant's row of `webhook_applications`.

const MAX_FLIGHTS = 2
export const CLAIMS_A_SECOND = 5
/**
 * A request has ten seconds. One that is older is not believed to be on its way: its worker died. A worker that comes to itself
 * later than it may sends nothing (`STALE_MILLIS`).
 */
const FLIGHT_SECONDS = 15
/** A process that was stopped for longer between its claim and its request sends nothing: its place may be another's by then. */
export const STALE_MILLIS = 2_000
/** One that ends later than any can was written before the clock was turned back, as with leases (`jobs/due.ts`). */
const FLIGHT_BOUND_SECONDS = 120
/** Each of several endpoints with something to send comes once in its turn. */
const TURN_MILLIS = 1000 / CLAIMS_A_SECOND

export type Limit = 'rate' | 'flights' | 'own_flight'

export interface Pace {
  /** Newest first. */
  lastClaims: readonly Date[]
  flights: Readonly<Record<string, number>>
  waiting: readonly string[]
}

/**
 * Until when a claim is too early; null: it may be now. Where the lease of an endpoint went to another worker, the request before
 * may still be on its way: the lease of a worker that is slow ends before its request does.
 */
export function tooEarlyUntil(pace: Pace, endpointId: string, at: Date): { until: Date; because: Limit } | null {
  const flights = flightsAt(pace, at)
  const own = flights[endpointId]
  if (own !== undefined) return { until: new Date(own), because: 'own_flight' }
  const ends = Object.values(flights).sort((one, other) => one - other)
  const first = ends[ends.length - MAX_FLIGHTS]
  if (first !== undefined) return { until: new Date(first), because: 'flights' }
  const until = rateAllowsAt(pace, at)
  return until > at ? { until, because: 'rate' } : null
}

/** When the next claim may be, by the number of claims alone. */
export function rateAllowsAt({ lastClaims }: Pick<Pace, 'lastClaims'>, at: Date): Date {
  const oldest = lastClaims[CLAIMS_A_SECOND - 1]
  const allowed = oldest === undefined ? at : addSeconds(oldest, 1)
  // Never longer than the rule itself: a clock may have been turned back.
  const latest = addSeconds(at, 1)
  return allowed < latest ? allowed : latest
}

/** The pace with a claim of this endpoint. Times never go back, though the clocks of workers differ a little. */
export function withClaim(pace: Pace, endpointId: string, at: Date): Pace {
  const [newest = at] = pace.lastClaims
  return {
    lastClaims: [newest > at ? newest : at, ...pace.lastClaims].slice(0, CLAIMS_A_SECOND),
    flights: { ...flightsAt(pace, at), [endpointId]: flightEnd(at) },
    waiting: pace.waiting.filter((id) => id !== endpointId),
  }
}

/** The pace with one endpoint more that waits for a place. */
export function withWaiting(pace: Pace, endpointId: string): Pace {
  return { ...pace, waiting: [...pace.waiting.filter((id) => id !== endpointId), endpointId] }
}

/** The pace after the request of an endpoint, which has made its place free: no endpoint waits any more. */
export function withLanding(pace: Pace, endpointId: string, at: Date): Pace {
  const { [endpointId]: _landed, ...others } = flightsAt(pace, at)
  return { ...pace, flights: others, waiting: [] }
}

/** How long an endpoint that was sent to lets the others go first, of which there are `others` with something to send. */
export function turnMillis(others: number): number {
  return others === 0 ? 0 : (others + 1) * TURN_MILLIS
}

/** When a request that begins now is certainly over. */
export function flightEnd(at: Date): number {
  return addSeconds(at, FLIGHT_SECONDS).getTime()
}

function flightsAt({ flights }: Pace, at: Date): Record<string, number> {
  const bound = addSeconds(at, FLIGHT_BOUND_SECONDS).getTime()
  return Object.fromEntries(Object.entries(flights).filter(([, until]) => until > at.getTime() && until <= bound))
}
