/** What waits for a place. */
export interface Waiting {
  /** Lower ones come first. */
  rank: number
  /** Whose it is: places are shared out among those who wait. */
  key: string
  /** It takes further what earlier requests have begun. */
  goesOn: boolean
  /** It shows no credential. */
  isAnonymous: boolean
  /** Whose it is is not known: it shows no credential, or one that may be made up. */
  isStranger: boolean
}

/** What is in hand. */
export interface Held<Entry> {
  by(key: string): number
  /** Its caller holds little beside another who keeps beginnings out. */
  holdsLittle(entry: Entry): boolean
}

interface Waiter<Entry> {
  entry: Entry
  sinceMillis: number
}

export interface LineOptions {
  /** Most that wait at the same time. */
  most: number
  /** The share of them that strangers may be while the line is full. */
  strangersShare: number
  monotonicMillis: () => number
  /** How long a wait lasts while the line is a burst that passes. */
  burstMillis: number
  /** How long what goes on waits, in a burst or not. */
  goesOnMillis: number
}

/** Where waits stay this long for as long as a burst may take, more comes than can be done. */
export const LATE_MILLIS = 250
/** A line that was never half as late for so long has passed: the next one is a burst again. */
const PASSED_MILLIS = 1_000

/**
 * Those who wait for a place, each for a bounded time. A burst is waited out: everybody waits as long as it takes to come through. A line
 * that stays is cut down to short waits: what waits long in it is refused in any case, or is done for callers who have given up. So what
 * decides is how long the oldest waits and since when, not how many there are. What goes on with something waits longer: refused it would
 * have cost all that was done for it. There is as much of it as was let in to begin, and while it waits nothing begins but for callers
 * who hold little.
 */
export type Line<Entry extends Waiting> = ReturnType<typeof createLine<Entry>>

export function createLine<Entry extends Waiting>(options: LineOptions) {
  const { most, strangersShare, monotonicMillis, burstMillis, goesOnMillis } = options
  /** In the order of their coming. */
  const waiters: Waiter<Entry>[] = []
  /** Since when the oldest has waited long, without a pause. */
  let lateSince: number | null = null
  let lateUntil = Number.NEGATIVE_INFINITY

  function look(): number {
    const now = monotonicMillis()
    const age = now - (waiters[0]?.sinceMillis ?? now)
    if (age >= LATE_MILLIS / 2) {
      lateSince ??= now
      lateUntil = now
    } else if (now - lateUntil > PASSED_MILLIS) lateSince = null
    return now
  }

  const lasts = (now: number) => lateSince !== null && now - lateSince >= burstMillis

  return {
    /**
     * Returns who has to go, because the line is full: the one that came, or the last of those of whom the most wait, if these are more.
     * So a caller who sends many keeps no other out of the line, and of theirs what comes last goes first. Where strangers are more than
     * their share, one of them goes: they may be few who send many.
     */
    add(entry: Entry): Entry | undefined {
      const sinceMillis = look()
      waiters.push({ entry, sinceMillis })
      if (waiters.length <= most) return undefined
      // Anonymous ones first: a stranger with a credential may be a cardholder who goes on.
      const strangers = waiters.filter(({ entry }) => entry.isStranger)
      const anonymous = strangers.filter(({ entry }) => entry.isAnonymous)
      const crowd = lastOfMost([anonymous, strangers].find(({ length }) => length > most * strangersShare) ?? waiters)
      waiters.splice(waiters.indexOf(crowd), 1)
      return crowd.entry
    },
    remove(entry: Entry): boolean {
      const place = waiters.findIndex((waiter) => waiter.entry === entry)
      if (place >= 0) waiters.splice(place, 1)
      return place >= 0
    },
    /** Takes out the next that fits: callers who hold little first, then the lowest rank, then the caller with the least, then the oldest. */
    next(fits: (entry: Entry) => boolean, held: Held<Entry>): Entry | undefined {
      look()
      let first: (Candidate & { entry: Entry; place: number }) | undefined
      for (const [place, { entry }] of waiters.entries()) {
        if (!fits(entry)) continue
        const found = { entry, holdsLittle: held.holdsLittle(entry), held: held.by(entry.key), place }
        if (first === undefined || comesBefore(found, first)) first = found
      }
      if (first !== undefined) waiters.splice(first.place, 1)
      return first?.entry
    },
    /** Takes out those who have waited as long as they may. */
    takeLate(): Entry[] {
      const now = look()
      const otherMillis = lasts(now) ? Math.min(LATE_MILLIS, burstMillis) : burstMillis
      const [late, others] = [[] as Waiter<Entry>[], [] as Waiter<Entry>[]]
      for (const waiter of waiters) {
        const longest = waiter.entry.goesOn ? goesOnMillis : otherMillis
        ;(now - waiter.sinceMillis >= longest ? late : others).push(waiter)
      }
      if (late.length > 0) waiters.splice(0, waiters.length, ...others)
      return late.map(({ entry }) => entry)
    },
    /** How many wait. */
    length: () => waiters.length,
  }
}

/** Zero of none. A loop, because there may be more than a call takes arguments. */
export function greatest(values: Iterable<number>): number {
  let most = 0
  for (const value of values) most = Math.max(most, value)
  return most
}

/** The last one of the highest rank, of the keys that are there most often. */
function lastOfMost<Entry extends Waiting>(waiters: readonly Waiter<Entry>[]): Waiter<Entry> {
  const counts = new Map<string, number>()
  for (const { entry } of waiters) counts.set(entry.key, (counts.get(entry.key) ?? 0) + 1)
  const most = greatest(counts.values())
  const crowd = waiters.filter(({ entry }) => counts.get(entry.key) === most)
  const rank = greatest(crowd.map(({ entry }) => entry.rank))
  const last = crowd.findLast(({ entry }) => entry.rank === rank)
  if (last === undefined) throw new RangeError('There is none.')
  return last
}

interface Candidate {
  entry: Waiting
  holdsLittle: boolean
  held: number
}

function comesBefore(one: Candidate, other: Candidate): boolean {
  if (one.holdsLittle !== other.holdsLittle) return one.holdsLittle
  if (one.entry.rank !== other.entry.rank) return one.entry.rank < other.entry.rank
  return one.held < other.held
}
