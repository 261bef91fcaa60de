import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Bounds, bounded } from '../platform/bounds.ts'
import { unavailable } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The place of the request; null for those that need none. */
    place: Place | null
  }
  interface FastifyContextConfig {
    /** Of the row: see `Route`. */
    begins?: boolean
  }
}

export interface DoorOptions {
  /** Most requests in hand at the same time, over all hosts of the process. */
  places: number
  log: Log
  /** Called with each refusal. */
  onRefused?: () => void
  deadlineMillis?: number
  slowMillis?: number
  calmMillis?: number
}

interface Place {
  /** The request begins something that takes more requests to finish. */
  begins: boolean
  taken: boolean
  enteredAt: number
  bounds: Bounds
}

/**
 * Bounds the requests a process has in hand. Beyond that number a request is refused before anything is done for it:
 * all would otherwise crawl together, until callers give up and no work is of use to anyone.
 */
export type Door = ReturnType<typeof createDoor>

/** How long one request may take, all its waits together. Below the time-out of common clients and load balancers. */
const DEADLINE_MILLIS = 10_000
/**
 * A request that took longer than this, waits for the network aside, shows that too many are in hand for this machine at
 * this moment: each then gets so little of it that all come near their deadline, and what was begun is thrown away.
 */
const SLOW_MILLIS = 700
/** Of the places, when requests are slow: narrowed step by step to the least, and widened with each quick request. */
const NARROWING = 0.8
const NARROWING_PAUSE_MILLIS = 200
/**
 * Requests that begin something are let in only while less than this share of the open places is taken. What is refused
 * half-way has cost all its earlier requests, so the rest is kept for what goes on. Half: what is begun keeps every
 * database connection busy, and more in hand at a time would only take longer each.
 */
const BEGINNING_SHARE = 0.5
/** Of the open places, so many must be in use for a slow request to count: a pause of the machine alone is no overload. */
const CROWDED_SHARE = 0.5
/** So long without a refusal or a slow crowd, and all places are open again. */
const CALM_MILLIS = 5_000
const LEAST_PLACES = 2
const LEAST_SHARE = 1 / 16
/** So long after a refusal the process is still called busy; also the pause between two lines in the log. */
const SHUT_MILLIS = 1_000

/** Made once: a stack for each refusal would cost what the door saves. It is not logged as a failure. */
export const turnedAway = unavailable({
  message: 'The service has too many requests in hand. Try again shortly.',
  retryAfterSeconds: 1,
})

export function createDoor(options: DoorOptions) {
  const { places, log, onRefused = () => undefined } = options
  const { deadlineMillis = DEADLINE_MILLIS, slowMillis = SLOW_MILLIS, calmMillis = CALM_MILLIS } = options
  const least = Math.min(places, Math.max(LEAST_PLACES, places * LEAST_SHARE))
  let open = places
  let narrowedAt = Number.NEGATIVE_INFINITY
  let inHand = 0
  let refused = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  let toldAt = Number.NEGATIVE_INFINITY

  function enter(place: Place): boolean {
    if (performance.now() - Math.max(refusedAt, narrowedAt) > calmMillis) open = places
    if (inHand >= roomFor(place)) {
      refused += 1
      onRefused()
      refusedAt = performance.now()
      tell()
      return false
    }
    inHand += 1
    place.taken = true
    place.enteredAt = performance.now()
    place.bounds.endsAtMillis = place.enteredAt + deadlineMillis
    return true
  }

  function roomFor({ begins }: Place): number {
    return begins ? Math.max(1, Math.floor(open * BEGINNING_SHARE)) : Math.floor(open)
  }

  function leave(place: Place): void {
    if (!place.taken) return
    inHand -= 1
    place.taken = false
    adjust(performance.now() - place.enteredAt - place.bounds.awayMillis)
  }

  function adjust(tookMillis: number): void {
    const isCrowded = inHand + 1 >= open * CROWDED_SHARE
    if (tookMillis < slowMillis) open = Math.min(places, open + 1 / open)
    else if (isCrowded && performance.now() - narrowedAt > NARROWING_PAUSE_MILLIS) {
      narrowedAt = performance.now()
      open = Math.max(least, Math.min(open, inHand + 1) * NARROWING)
    }
  }

  /** One line a second, however many are refused: a line each would be a load of its own. */
  function tell(): void {
    if (refusedAt - toldAt < SHUT_MILLIS) return
    toldAt = refusedAt
    log.warn('requests were turned away: too many are in hand', { count: refused })
    refused = 0
  }

  return {
    /** True while no place is free, and shortly after a request was refused: send new work elsewhere. */
    isShut: () => inHand >= Math.floor(open) || performance.now() - refusedAt < SHUT_MILLIS,
    /** Takes a place and starts the request's time; undefined when there is none for it. */
    take(begins = false): Place | undefined {
      const place = { begins, taken: false, enteredAt: 0, bounds: { endsAtMillis: 0, isGone: false, awayMillis: 0 } }
      return enter(place) ? place : undefined
    },
    enter,
    leave,
    /** For those who watch: requests in hand, and how many may be at this moment. */
    usage: () => ({ inHand, open: Math.floor(open) }),
  }
}

type Step = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** First step of a request that needs a place. `isFree` names the requests that need none. */
export function enterDoor(door: Door, isFree: (request: FastifyRequest) => boolean): Step {
  return function enterTheDoor(request, reply, done) {
    if (isFree(request)) return done()
    const place = door.take(request.routeOptions.config.begins)
    if (place === undefined) return done(turnedAway)
    request.place = place
    reply.raw.once('close', () => {
      place.bounds.isGone = !reply.raw.writableFinished
      door.leave(place)
    })
    bounded(place.bounds, done)
  }
}

/** Between headers and body: a body that is slow to arrive takes no place, or a few such callers would shut the door. */
export function waitOutside(door: Door): Step {
  return function waitOutsideTheDoor(request, _reply, done) {
    if (request.place !== null) door.leave(request.place)
    done()
  }
}

/**
 * The body is here. Its bytes came in events of the connection, so the bounds are set again. Who has hung up meanwhile is not
 * let in again: that they have is said once, so their place would not be given back, and there is nobody to begin anything for.
 */
export function enterAgain(door: Door): Step {
  return function enterTheDoorAgain({ place }, _reply, done) {
    if (place === null) done()
    else if (place.bounds.isGone) done(turnedAway)
    else if (place.taken || door.enter(place)) bounded(place.bounds, done)
    else done(turnedAway)
  }
}

/**
 * The response is made: how fast its caller reads it is no work of ours. A place that is kept until then is kept by a caller who reads
 * nothing, one for each request in line on the connection; and it would count as one of a slow process.
 */
export function leaveDoor(door: Door) {
  return function leaveTheDoor({ place }: FastifyRequest, _reply: unknown, _body: unknown, done: () => void): void {
    if (place !== null) door.leave(place)
    done()
  }
}
