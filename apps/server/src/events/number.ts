import { pipelinedCommand, single } from '../db/command.ts'
import { sqlState, UNIQUE_VIOLATION } from '../db/errors.ts'
import { weekOf } from '../db/partitions.ts'
import type { Tx } from '../db/transaction.ts'
import type { JobResult } from '../jobs/loop.ts'
import { addSeconds } from '../platform/clock.ts'
import { idTime } from '../platform/ids.ts'
import type { EventDeps, Numbered } from './deps.ts'
import * as store from './number-store.ts'
import { makePartition } from './retention.ts'

// The sequencer. Positions are given to committed events only, merchant by merchant, under the row of the merchant's head: a
// transaction that commits late gets a later number, so nothing ever appears behind a cursor that a reader has. Any number of
// processes may number.

export const NUMBER_JOB = 'events.number'

/** Events in one transaction: what waits for its lock waits some milliseconds. */
const BATCH = 500
/** Events that one question looks at to find whose they are. One merchant with more of them leaves the others to the next question. */
const MAX_SEEN = 1_000
/** Transactions side by side; each waits for its own commit. */
const AT_ONCE = 4
/** Merchants in one transaction. A commit each would be most of the work where many have an event or two. */
const MAX_TOGETHER = 25
/** In one run; a longer backlog goes on in the next, so that a stop never waits long. */
const MAX_ROUNDS = 20
/** Another sequencer has the merchant: what it no longer saw is looked for this much later. */
const HELD_SECONDS = 0.025

type Outcome = 'done' | 'more' | 'held'

/** Where the turn of this process stands, and which merchants are not tried for now. There is one for each database of the process. */
interface Turn {
  after: string
  /** Merchants whose numbering failed: until when they rest, in milliseconds of the monotonic clock, and how often it did. */
  resting: Map<string, { until: number; failures: number }>
  /** The week whose partition is known to be there. */
  week: string
}
const turns = new WeakMap<object, Turn>()

/** Numbers what waits, of all merchants, each in transactions of its own. */
export async function numberWaiting(deps: EventDeps): Promise<JobResult> {
  const turn = turns.get(deps.pool) ?? { after: '', resting: new Map(), week: '' }
  turns.set(deps.pool, turn)
  let taken = 0
  let isHeld = false
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const merchants = await waitingMerchants(deps, turn)
    if (merchants.length === 0) break
    await coverWeek(deps, turn)
    const outcomes = await numberAll(deps, turn, merchants)
    taken += outcomes.filter((outcome) => outcome !== 'held').length
    isHeld = outcomes.includes('held')
    if (!outcomes.includes('more') && turn.after === '') break
  }
  return { taken, nextDueAt: isHeld ? addSeconds(deps.clock.now(), HELD_SECONDS) : null }
}

async function waitingMerchants({ pool }: EventDeps, turn: Turn): Promise<string[]> {
  const found = await store.findWaiting(pool, { after: turn.after, limit: MAX_SEEN })
  const seen = found.reduce((sum, row) => sum + row.seen, 0)
  // With more than one question sees, merchants have turns.
  turn.after = seen < MAX_SEEN ? '' : (found.at(-1)?.merchantId ?? '')
  const now = performance.now()
  return found.map(({ merchantId }) => merchantId).filter((id) => (turn.resting.get(id)?.until ?? 0) <= now)
}

/** Before the first event of a week is numbered, its partition is there; without it the default one takes it. */
async function coverWeek(deps: EventDeps, turn: Turn): Promise<void> {
  const week = weekOf(deps.clock.now())
  if (turn.week === week) return
  await makePartition(deps, week)
  turn.week = week
}

async function numberAll(deps: EventDeps, turn: Turn, merchants: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const left = groupsOf(merchants, Math.min(MAX_TOGETHER, Math.ceil(merchants.length / AT_ONCE)))
  const serve = async () => {
    for (let ids = left.shift(); ids !== undefined; ids = left.shift()) {
      for (const [id, outcome] of await numberTogether(deps, turn, ids)) {
        // What is more than a share is one merchant's, and no other waits for it in its transaction.
        const isLong = outcome === 'more' && ids.length > 1
        outcomes.push(isLong ? await numberOne(deps, turn, id) : outcome)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, serve))
  return outcomes
}

/** In the order given, which is that of their ids: sequencers that make the heads of the same merchants do not wait for each other in a ring. */
function groupsOf(ids: readonly string[], size: number): string[][] {
  const groups: string[][] = []
  for (let start = 0; start < ids.length; start += size) groups.push(ids.slice(start, start + size))
  return groups
}

/** Where one merchant's numbering fails, that of the others in its transaction does too: each is numbered by itself then. */
async function numberTogether(deps: EventDeps, turn: Turn, ids: readonly string[]): Promise<[string, Outcome][]> {
  if (ids.length > 1) {
    try {
      const outcomes = await numberMerchants(deps, ids)
      for (const id of ids) turn.resting.delete(id)
      return outcomes
    } catch {
      // Its own transaction says what is wrong.
    }
  }
  const outcomes: [string, Outcome][] = []
  for (const id of ids) outcomes.push([id, await numberOne(deps, turn, id)])
  return outcomes
}

/** A failure is that of one merchant: it rests, each time longer, and the others go on. */
async function numberOne(deps: EventDeps, turn: Turn, merchantId: string): Promise<Outcome> {
  try {
    const [numbered] = await numberMerchants(deps, [merchantId])
    turn.resting.delete(merchantId)
    return numbered?.[1] ?? 'held'
  } catch (error) {
    // The index has a name of its own in each partition.
    if (sqlState(error) === UNIQUE_VIOLATION && (await parkDuplicates(deps, merchantId)) > 0) return 'more'
    const failures = (turn.resting.get(merchantId)?.failures ?? 0) + 1
    const restMillis = Math.min(MAX_REST_MILLIS, FIRST_REST_MILLIS * 2 ** failures)
    turn.resting.set(merchantId, { until: performance.now() + restMillis, failures })
    deps.log.failure('events could not be numbered', error, { merchant_id: merchantId, attempt: failures })
    return 'held'
  }
}

const FIRST_REST_MILLIS = 50
const MAX_REST_MILLIS = 10_000

/**
 * One transaction: numbers a batch of events, each merchant's share of it by statements of its own, and tells whoever rides on it.
 * What is asked of all merchants at a time is sent together.
 */
async function numberMerchants(deps: EventDeps, ids: readonly string[]): Promise<[string, Outcome][]> {
  const declaration = { name: 'events.number', silent: 'telling' } as const
  const limit = Math.ceil(BATCH / ids.length)
  const outcomes = await pipelinedCommand(deps, declaration, async ({ tx, at }) => {
    const heads = await lockedHeads(tx, ids)
    const number = async ([merchantId, head]: [string, bigint]): Promise<Numbered> => {
      const { feedPos: upTo = head } = (await store.insertNumbered(tx, { merchantId, head, limit })) ?? {}
      return { merchantId, after: head, upTo, at }
    }
    const numbered = await settled([...heads].map(number))
    const told = numbered.filter(({ after, upTo }) => upTo > after)
    for (const tell of deps.onNumbered) await settled(told.map((range) => tell(tx, range)))
    return ids.map((id): [string, Outcome] => [
      id,
      outcomeOf(
        numbered.find(({ merchantId }) => merchantId === id),
        limit,
      ),
    ])
  })
  return outcomes ?? []
}

function outcomeOf(numbered: Numbered | undefined, limit: number): Outcome {
  if (numbered === undefined) return 'held'
  return numbered.upTo - numbered.after >= limit ? 'more' : 'done'
}

/** The heads that are to be had. Those that are missing are made, unless another sequencer does. */
async function lockedHeads(tx: Tx, ids: readonly string[]): Promise<Map<string, bigint>> {
  const heads = new Map<string, bigint>()
  for (const take of [store.lockHead, store.insertHead]) {
    const missing = ids.filter((id) => !heads.has(id))
    const found = await settled(missing.map((merchantId) => take(tx, { merchantId })))
    for (const [place, head] of found.entries()) if (head !== undefined) heads.set(missing[place] ?? '', head.feedPos)
  }
  return heads
}

/** Waits for all, and fails as the first that failed: those that were sent with it fail because of it. */
async function settled<T>(sent: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(sent)
  return Promise.all(sent)
}

async function parkDuplicates(deps: EventDeps, merchantId: string): Promise<number> {
  const declaration = { name: 'events.park_duplicates', silent: 'telling' } as const
  const parked = await single(deps, declaration, ({ on }) => store.parkDuplicates(on, { merchantId }))
  const fields = { alarm: 'event_parked', merchant_id: merchantId, count: parked } as const
  if (parked > 0) deps.log.error('events about a version that has one are parked', fields)
  return parked
}

const MAX_SEEN_FOR_LAG = 10_000

/** How long the oldest event that has no number has waited, in seconds; 0: none waits. */
export async function findLag({ pool, clock }: Pick<EventDeps, 'pool' | 'clock'>): Promise<number> {
  const waiting = await store.findWaiting(pool, { after: '', limit: MAX_SEEN_FOR_LAG })
  const oldest = Math.min(...waiting.map(({ id }) => idTime('event', id).getTime()))
  return waiting.length === 0 ? 0 : Math.max(0, (clock.now().getTime() - oldest) / 1000)
}

const MAX_PARKED = 500

/** What is parked, oldest first, of all merchants: for operators. */
export async function listParked({ pool }: Pick<EventDeps, 'pool'>) {
  return store.listParked(pool, { limit: MAX_PARKED })
}
