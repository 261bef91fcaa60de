import { expect } from 'vitest'
import type { Answer } from '../service.ts'
import { EXTENT, isKillPoint, letLeasesEnd, type Stage, type Staged, type StagedMerchant } from './stage.ts'
import type { Fault, WireMessage } from './wire-proxy.ts'

/** A message that a sweep is about. */
type Stop = (message: WireMessage) => boolean

/** The message by which the server carries out a statement. In a transaction nothing of it lasts yet. */
export const runs =
  (...statements: string[]): Stop =>
  ({ does }) =>
    statements.some((statement) => does.includes(statement))

/** The message by which a statement lasts: its own, or the COMMIT of its transaction. */
export const commits =
  (...statements: string[]): Stop =>
  (message) =>
    statements.some((statement) => message.commits.includes(statement))

interface Sweep<Variant extends string> {
  when: Fault['when']
  /** So many messages `act` has at least; fewer, and the sweep has not met what it is about. */
  least: number
  /**
   * The messages that change what a death leads to, in their order: for instance the claim of the work, and the COMMIT of its result.
   * They are found by what they say, never by their number, which moves with what the service does for itself.
   */
  stops: readonly Stop[]
  /** What `act` is to lead to, where there is a choice: each variant dies at each of its messages. */
  variants?: readonly Variant[]
  /** Up to the moment of interest; returns the session, or whatever else is acted upon. `at` is another one each time. */
  prepare(merchant: StagedMerchant, at: number, variant: Variant): Promise<string>
  /** What is interrupted. */
  act(merchant: StagedMerchant, sessionId: string, variant: Variant): Promise<Answer>
}

export interface Victim<Variant extends string = string> {
  sessionId: string
  variant: Variant
  /** Where the service died, for who reads of a failure. */
  place: string
  /** How many of the stops had reached the server, in their order, when the service died. It is what a death leads to that hangs on it. */
  reached: number
  /** Null: the service died before it responded. */
  answer: Answer | null
}

/** One of the messages of `act`: the n-th that does this. */
interface Place<Variant> {
  variant: Variant
  /** Null: whatever comes first. */
  does: string | null
  nth: number
}

/** With other sessions at once, which costs fewer services: what one of them holds must not keep another one waiting for long. */
const KILLED_TOGETHER = 8
/** A service gives up what gets no answer after seven seconds, and might do something else before it is killed. */
const MAX_HELD_MILLIS = 6_000
/** For what was not killed at its place at first. */
const ROUNDS_MORE = 10

/**
 * Kills services at the messages of `act`; lets another one go on with what they left, whose leases have ended; and looks at each of their
 * sessions with `settle`. Returns what was found.
 */
export async function sweepKills<Found, Variant extends string = 'only'>(
  stage: Stage,
  sweep: Sweep<Variant>,
  settle: (recovered: Staged, victim: Victim<Variant>) => Promise<Found>,
): Promise<Found[]> {
  const victims = await killAtPlaces(stage, sweep)
  const recovered = await stage.start('recover')
  await letLeasesEnd(recovered.merchant)
  const found: Found[] = []
  for (const victim of victims) found.push(await settle(recovered, victim))
  await recovered.program.stop()
  return found
}

/**
 * To need few services, each has several sessions in work when it dies, each session held at another message. What was not killed at its
 * place is killed at it with the next service: it was answered without it, or held for so long that the service may have gone another way.
 */
async function killAtPlaces<Variant extends string>(stage: Stage, sweep: Sweep<Variant>): Promise<Victim<Variant>[]> {
  let staged = await stage.start('serve')
  const victims: Victim<Variant>[] = []
  let places = await placesOf(staged, sweep)
  let together = KILLED_TOGETHER
  const maxRounds = Math.ceil(places.length / KILLED_TOGETHER) + ROUNDS_MORE
  for (let round = 1; places.length > 0; round += 1) {
    if (round > maxRounds) {
      // Among all messages some come once in a while, as the answers to what a service asks for itself.
      if (EXTENT !== 'short') return victims
      throw new Error(`No service was killed at ${JSON.stringify(places)}.`)
    }
    if (round > 1) staged = await stage.start('serve')
    const groups = Math.ceil(places.length / together)
    const group = places.filter((_, index) => index % groups === 0)
    const killed = await killTogether(staged, sweep, group)
    if (killed === null) together = Math.ceil(together / 2)
    victims.push(...(killed ?? []).map(({ victim }) => victim))
    const done = new Set(killed?.map(({ place }) => place))
    places = places.filter((place) => !done.has(place))
  }
  return victims
}

/** What an act says, counted the second time, when what the service asks once has been asked. */
async function placesOf<Variant extends string>(staged: Staged, sweep: Sweep<Variant>): Promise<Place<Variant>[]> {
  const places: Place<Variant>[] = []
  for (const variant of sweep.variants ?? (['only'] as Variant[])) {
    await recorded(staged, sweep, variant)
    const messages = await recorded(staged, sweep, variant)
    expect(messages.length).toBeGreaterThanOrEqual(sweep.least)
    const all = messages.map((message, index) => {
      const does = nameOf(message)
      const place = { variant, does, nth: messages.slice(0, index + 1).filter((one) => nameOf(one) === does).length }
      return index === 0 ? { ...place, does: null } : place
    })
    const stops = stopsAmong(messages, sweep.stops)
    expect(stops, messages.map(nameOf).join('; ')).toHaveLength(sweep.stops.length)
    const chosen = new Set([0, ...stops, messages.length - 1])
    places.push(...all.filter((_, index) => EXTENT !== 'short' || chosen.has(index)))
  }
  return places
}

async function recorded<Variant extends string>(
  { merchant, proxy }: Staged,
  sweep: Sweep<Variant>,
  variant: Variant,
): Promise<WireMessage[]> {
  const sessionId = await sweep.prepare(merchant, nextNumber(), variant)
  const messages: WireMessage[] = []
  const counts = (message: WireMessage) => {
    if (isOfAct(message)) messages.push(message)
    return false
  }
  void proxy?.arm({ counts, at: Number.POSITIVE_INFINITY, when: 'before', action: 'hold' })
  const answer = await sweep.act(merchant, sessionId, variant)
  proxy?.disarm()
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
  return messages
}

let numbers = 0
const nextNumber = () => {
  numbers += 1
  return numbers
}

/** Where each of the stops is, among the messages in their order, as far as they came. */
function stopsAmong(messages: readonly WireMessage[], stops: readonly Stop[]): number[] {
  const found: number[] = []
  for (const stop of stops) {
    const from = (found.at(-1) ?? -1) + 1
    const at = messages.findIndex((message, index) => index >= from && stop(message))
    if (at === -1) break
    found.push(at)
  }
  return found
}

const nameOf = ({ direction, type, does }: WireMessage) => does.join(', ') || `${direction} ${type}`

/** What a service says by the clock, in a new connection, or for many calls at once: it comes among the messages of an act, or not. */
const OF_SERVICE = /^(?:clock|limits|keys|nodes)\.|pg_is_in_recovery|pg_notify|^merchants\.write_key_uses|^listen /i

export const isOfAct = (message: WireMessage) => isKillPoint(message) && !OF_SERVICE.test(nameOf(message))

interface Killed<Variant extends string> {
  place: Place<Variant>
  victim: Victim<Variant>
}

/** Those that were killed at their places; null: they were held for too long, so that nothing is certain of any of them. */
async function killTogether<Variant extends string>(
  { program, proxy, merchant }: Staged,
  sweep: Sweep<Variant>,
  places: Place<Variant>[],
): Promise<Killed<Variant>[] | null> {
  // All are prepared before the first is held; the latest message first, since what the earliest ones ask is shared.
  const prepared = []
  for (const place of places.toReversed()) {
    prepared.push({ place, sessionId: await sweep.prepare(merchant, nextNumber(), place.variant) })
  }
  const held = []
  const since = performance.now()
  for (const { place, sessionId } of prepared) held.push(await holdAt({ proxy, merchant }, sweep, place, sessionId))
  expect((await program.stop('SIGKILL')).signal).toBe('SIGKILL')
  if (performance.now() - since > MAX_HELD_MILLIS && places.length > 1) return null
  // The server may still be at what it got last.
  await proxy?.ended()
  const killed: Killed<Variant>[] = []
  for (const { answer, happened, ...one } of held) {
    if (happened) killed.push({ ...one, victim: { ...one.victim, answer: await answer } })
  }
  return killed
}

/** Acts until the message of a place, which nothing passes any more. */
async function holdAt<Variant extends string>(
  { proxy, merchant }: Pick<Staged, 'proxy' | 'merchant'>,
  sweep: Sweep<Variant>,
  place: Place<Variant>,
  sessionId: string,
) {
  const met: WireMessage[] = []
  const counts = (message: WireMessage) => {
    if (!isOfAct(message)) return false
    met.push(message)
    return place.does === null || nameOf(message) === place.does
  }
  const happening = proxy?.arm({ counts, at: place.nth, when: sweep.when, action: 'hold' })
  const answer = sweep.act(merchant, sessionId, place.variant).catch(() => null)
  await Promise.race([happening, answer])
  const happened = proxy?.disarm().happened ?? false
  const passed = sweep.when === 'before' ? met.slice(0, -1) : met
  const { variant, does, nth } = place
  const reached = stopsAmong(passed, sweep.stops).length
  const where = `killed ${sweep.when} ${does ?? 'the first message'} (${nth}), ${variant}, ${reached} of ${sweep.stops.length} stops reached`
  return { place, victim: { sessionId, variant, place: where, reached }, answer, happened }
}
