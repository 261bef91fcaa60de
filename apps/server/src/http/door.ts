import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Bounds, bounded } from '../platform/bounds.ts'
import { unavailable } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { type Caller, createCallers, type Shown } from './callers.ts'
import { createLine, greatest, LATE_MILLIS, type Waiting } from './line.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The place of the request; null for those that need none. */
    place: Place | null
  }
  interface FastifyContextConfig {
    /** As the row says: see `Route`. */
    begins?: boolean
    goesOn?: boolean
    /** What the request shows of a credential that the route takes; null: none. Absent: it takes none. */
    shownBy?: (request: Pick<FastifyRequest, 'headers' | 'ip'>) => Shown | null
  }
}

export interface DoorOptions {
  /** Most requests in hand at the same time, over all hosts of the process. */
  places: number
  /** Most that wait for one; `WAITING_PER_PLACE` for each place unless given. */
  waiting?: number
  /** The share of the open places for anonymous requests, and of a full line for strangers; `STRANGERS_SHARE` unless given. */
  strangersShare?: number
  log: Log
  /** Called with each refusal. */
  onRefused?: () => void
  deadlineMillis?: number
  slowMillis?: number
  calmMillis?: number
  burstMillis?: number
  goesOnMillis?: number
  /** By which it waits, narrows and widens; the process's own unless given. The deadline is always by that. */
  monotonicMillis?: () => number
}

interface Place extends Waiting, Arrival {
  taken: boolean
  enteredAt: number
  bounds: Bounds
  /** Gives it back, or the one in the line. Whatever writes a response past the framework calls it when that is made. */
  leave(): void
}

/** A request that has come. */
export interface Arrival extends Caller {
  /** It begins something that takes more requests to finish. */
  begins: boolean
  /** It takes further what was begun, and shows whose that is. */
  goesOn: boolean
}

/**
 * Bounds the requests a process has in hand: all would otherwise crawl together, until callers give up and no work is of use to anyone.
 * Beyond that number they wait in a line (`line.ts`), and are refused when it is full or does not pass, before anything is done for them.
 */
export type Door = ReturnType<typeof createDoor>

/** How long one request may take, all its waits together. Below the time-out of common clients and load balancers. */
export const DEADLINE_MILLIS = 10_000
/**
 * A request that took longer than this, waits for the network aside, shows that too many are in hand for this machine at
 * this moment: each then gets so little of it that all come near their deadline, and what was begun is thrown away.
 */
const SLOW_MILLIS = 700
/** What each step leaves of the open places, down to the least, while requests are slow. Each quick request opens more. */
const NARROWING = 0.8
const NARROWING_PAUSE_MILLIS = 200
/**
 * Requests that begin something are let in only while less than this share of the open places is taken. What is refused
 * half-way has cost all its earlier requests, so the rest is kept for what goes on. Half: what is begun keeps every
 * database connection busy, and more in hand at a time would only take longer each.
 */
const BEGINNING_SHARE = 0.5
/**
 * The share of the open places that anonymous requests may take: they cost an attacker nothing, from as many addresses as they have. Those
 * with a credential may take all: a bad one is refused at the first step inside. Also the share of a full line for both, until a credential was good.
 */
const STRANGERS_SHARE = 0.5
/**
 * The least share of all places that a caller must hold to count as one who keeps others out. Measured by the few that are open in a slow hour,
 * a caller with two would count, and beginnings would pass what goes on.
 */
const CROWD_SHARE = 0.25
/** The share of the open places that must be in use for a slow request to count: a pause of the machine alone is no overload. */
const CROWDED_SHARE = 0.5
/** So long without a refusal or a slow crowd, and all places are open again. */
const CALM_MILLIS = 5_000
const MIN_PLACES = 2
const MIN_SHARE = 1 / 16
/** The pause between two lines in the log. */
const TELL_MILLIS = 1_000
/** Each request that waits has a connection, and at most a body of 64 KiB. */
const WAITING_PER_PLACE = 8
/** A burst takes at most so long to come through, and others wait no longer: some hundred creations, on a machine that is busy. */
const BURST_MILLIS = 3_000
/** What goes on with something waits so long at most: what is left of its time is enough to do it, on a machine that is busy. */
const GOES_ON_MILLIS = 6_000
/** How often the door looks for requests that have waited too long, while any waits. */
const LOOK_MILLIS = LATE_MILLIS / 5

/** Made once: a stack for each refusal would cost what the door saves. It is not logged as a failure. */
export const turnedAway = unavailable({
  message: 'The service has too many requests in hand. Try again shortly.',
  retryAfterSeconds: 1,
})

export function createDoor(options: DoorOptions) {
  const { places, log, onRefused = () => undefined, deadlineMillis = DEADLINE_MILLIS } = options
  const { waiting = places * WAITING_PER_PLACE, burstMillis = BURST_MILLIS, goesOnMillis = GOES_ON_MILLIS } = options
  const { monotonicMillis = () => performance.now(), strangersShare = STRANGERS_SHARE } = options
  const line = createLine<Place>({ most: waiting, strangersShare, monotonicMillis, burstMillis, goesOnMillis })
  /** What each of those who wait is told: whether there is a place. */
  const answers = new WeakMap<Place, (isIn: boolean) => void>()
  const held = countHeld()
  const callers = createCallers()
  let looking: NodeJS.Timeout | undefined
  let isLettingIn = false
  const width = createWidth(options, monotonicMillis)
  const refusals = countRefusals(log, onRefused, monotonicMillis)

  /** Answers at once where there is room, or none to wait; else when there is. */
  function enter(place: Place, answer: (isIn: boolean) => void): void {
    width.calm(refusals.lastAt())
    if (hasRoom(place)) take(place, answer)
    else {
      // It goes on in its own context, not in that of the request that makes room.
      answers.set(place, AsyncLocalStorage.bind(answer))
      looking ??= setInterval(lookForLate, LOOK_MILLIS).unref()
      const left = line.add(place)
      if (left !== undefined) refuse(left)
    }
  }

  function take(place: Place, answer: (isIn: boolean) => void): void {
    held.add(place)
    place.taken = true
    place.enteredAt = monotonicMillis()
    answer(true)
  }

  const refuse = (place: Place) => {
    refusals.add()
    answerOf(place)(false)
  }

  /** At least one, of however few that are open. */
  const shareOf = (share: number) => Math.max(1, Math.floor(width.open() * share))

  /**
   * Another caller alone holds what beginnings are let in below, or did before the last place was given back; and with one more this one
   * would hold no more than half of what that one does. Strangers are such another one together, because addresses and made up keys cost
   * them nothing, and hold little themselves only one at a time, with a credential: it may be good.
   */
  function holdsLittle({ key, isAnonymous, isStranger }: Caller): boolean {
    if (isAnonymous || (isStranger && held.withUnknown() > 0)) return false
    const other = held.most()
    return other + 1 >= Math.max(shareOf(BEGINNING_SHARE), places * CROWD_SHARE) && 2 * (held.by(key) + 1) <= other
  }

  function hasRoom(place: Place): boolean {
    if (place.isAnonymous && held.anonymous() >= shareOf(strangersShare)) return false
    return held.all() < shareOf(place.begins && !holdsLittle(place) ? BEGINNING_SHARE : 1)
  }

  /** Gives back the place, or the one in the line. */
  function leave(place: Place): void {
    if (!place.taken) {
      if (line.remove(place)) answerOf(place)(false)
      return
    }
    held.remove(place)
    place.taken = false
    width.adjust(monotonicMillis() - place.enteredAt - place.bounds.awayMillis, held.all())
    letIn()
  }

  function letIn(): void {
    // A request that is let in may leave at once: the loop below goes on for it, and the stack stays flat.
    if (isLettingIn) return
    isLettingIn = true
    try {
      const next = () => line.next(hasRoom, { by: held.by, holdsLittle })
      for (let place = next(); place !== undefined; place = next()) take(place, answerOf(place))
    } finally {
      isLettingIn = false
    }
    if (line.length() > 0) return
    clearInterval(looking)
    looking = undefined
  }

  const answerOf = (place: Place) => answers.get(place) ?? (() => undefined)

  function lookForLate(): void {
    for (const place of line.takeLate()) refuse(place)
    letIn()
  }

  return {
    callers,
    /** The credential was good, and its account is known. The place is not taken: what is counted as one caller's is given back as theirs. */
    recognise(place: Place): void {
      const { tenant } = place.bounds
      if (tenant !== undefined && !place.taken) Object.assign(place, callers.learn(place, tenant))
    },
    /** Its time begins now. */
    arrive: (arrival: Arrival) => placeOf(arrival, performance.now() + deadlineMillis, leave),
    enter,
    leave,
    /** For those who watch: requests in hand, how many may be at this moment, and how many wait. */
    usage: () => ({ inHand: held.all(), open: Math.floor(width.open()), waiting: line.length() }),
  }
}

type WidthOptions = Pick<DoorOptions, 'places' | 'slowMillis' | 'calmMillis'>

/** How many of the places are open: fewer while requests are slow, and all again after some calm. */
function createWidth(options: WidthOptions, monotonicMillis: () => number) {
  const { places, slowMillis = SLOW_MILLIS, calmMillis = CALM_MILLIS } = options
  const least = Math.min(places, Math.max(MIN_PLACES, places * MIN_SHARE))
  let open = places
  let narrowedAt = Number.NEGATIVE_INFINITY
  return {
    open: () => open,
    calm(refusedAt: number): void {
      if (monotonicMillis() - Math.max(refusedAt, narrowedAt) > calmMillis) open = places
    },
    /** By what a request took that is done, and how many are in hand without it. */
    adjust(tookMillis: number, inHand: number): void {
      const isCrowded = inHand + 1 >= open * CROWDED_SHARE
      if (tookMillis < slowMillis) open = Math.min(places, open + 1 / open)
      else if (isCrowded && monotonicMillis() - narrowedAt > NARROWING_PAUSE_MILLIS) {
        narrowedAt = monotonicMillis()
        open = Math.max(least, Math.min(open, inHand + 1) * NARROWING)
      }
    },
  }
}

function placeOf(arrival: Arrival, endsAtMillis: number, leave: (place: Place) => void): Place {
  const rank = arrival.begins ? Rank.begins : Rank.goesOn
  const bounds = { endsAtMillis, isGone: false, awayMillis: 0 }
  const place: Place = { ...arrival, rank, taken: false, enteredAt: 0, bounds, leave: () => leave(place) }
  return place
}

/** Places in hand. */
function countHeld() {
  const keys = new Map<string, number>()
  const by = (key: string) => keys.get(key) ?? 0
  let all = 0
  let anonymous = 0
  let strangers = 0
  let most = 0

  function count({ isAnonymous, isStranger }: Caller, by: 1 | -1): void {
    all += by
    if (isAnonymous) anonymous += by
    if (isStranger) strangers += by
  }

  return {
    add(caller: Caller): void {
      const { key } = caller
      count(caller, 1)
      keys.set(key, by(key) + 1)
      most = Math.max(most, by(key))
    },
    remove(caller: Caller): void {
      const { key } = caller
      count(caller, -1)
      const wasMost = by(key) === most
      if (by(key) > 1) keys.set(key, by(key) - 1)
      else keys.delete(key)
      if (wasMost) most = greatest(keys.values())
    },
    by,
    /** What the caller with the most holds; strangers are one. */
    most: () => Math.max(most, strangers),
    /** What strangers with a credential hold. */
    withUnknown: () => strangers - anonymous,
    all: () => all,
    anonymous: () => anonymous,
  }
}

function countRefusals(log: Log, onRefused: () => void, monotonicMillis: () => number) {
  let count = 0
  let lastAt = Number.NEGATIVE_INFINITY
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    add(): void {
      count += 1
      onRefused()
      lastAt = monotonicMillis()
      // One line a second, however many are refused: a line each would be a load of its own.
      if (lastAt - toldAt < TELL_MILLIS) return
      toldAt = lastAt
      log.warn('requests were turned away: too many are in hand', { count })
      count = 0
    },
    lastAt: () => lastAt,
  }
}

/** The order of those who wait: what was begun comes first, and of either what has been looked at already. */
const Rank = { goesOnAgain: 0, goesOn: 1, beginsAgain: 2, begins: 3 } as const

type Step = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/**
 * First step of a request that needs a place. `isFree` names the requests that need none. Whose it is is not known yet, unless what it
 * shows was good before: `callers.ts`.
 */
export function enterDoor(door: Door, isFree: (request: FastifyRequest) => boolean): Step {
  return function enterTheDoor(request, reply, done) {
    if (isFree(request)) return done()
    const { begins = false, goesOn = false, shownBy } = request.routeOptions.config
    const caller = door.callers.of(shownBy?.(request) ?? null, request.ip)
    const place = door.arrive({ begins, goesOn: goesOn && !caller.isAnonymous, ...caller })
    request.place = place
    reply.raw.once('close', () => {
      place.bounds.isGone = !reply.raw.writableFinished
      place.leave()
    })
    goIn(door, place, done)
  }
}

function goIn(door: Door, place: Place, done: (error?: Error) => void): void {
  door.enter(place, (isIn) => {
    if (isIn) bounded(place.bounds, done)
    else done(turnedAway)
  })
}

/** Between headers and body: a body that is slow to arrive takes no place, or a few such callers would shut the door. */
export function waitOutside({ place }: FastifyRequest, _reply: unknown, _body: unknown, done: () => void): void {
  place?.leave()
  done()
}

/**
 * The body is here. Its bytes came in events of the connection, so the bounds are set again. A caller who has hung up meanwhile
 * is not let in again: that they have is said once, so their place would not be given back, and no caller is left to begin anything for.
 */
export function enterAgain(door: Door): Step {
  return function enterTheDoorAgain({ place }, _reply, done) {
    if (place === null) return done()
    if (place.bounds.isGone) return done(turnedAway)
    if (place.taken) return bounded(place.bounds, done)
    place.rank = place.begins ? Rank.beginsAgain : Rank.goesOnAgain
    door.recognise(place)
    goIn(door, place, done)
  }
}

/**
 * The response is made: how fast its caller reads it is no work of ours. A place that is kept until then is kept by a caller who reads
 * nothing, one for each request in line on the connection; and it would count as one of a slow process.
 */
export function leaveDoor({ place }: FastifyRequest, _reply: unknown, _body: unknown, done: () => void): void {
  place?.leave()
  done()
}
