import { command, type Rollback, rollback, single } from '../db/command.ts'
import { sqlState, UNIQUE_VIOLATION } from '../db/errors.ts'
import { weekOf } from '../db/partitions.ts'
import type { Tx } from '../db/transaction.ts'
import type { JobResult } from '../jobs/loop.ts'
import { addSeconds } from '../platform/clock.ts'
import { idTime } from '../platform/ids.ts'
import type { EventDeps } from './deps.ts'
import * as store from './number-store.ts'
import { makePartition } from './retention.ts'

// The sequencer. Positions are given to committed events only, merchant by merchant, under the row of the merchant's head: a
// transaction that commits late gets a later number, so nothing ever appears behind a cursor that a reader has. Any number of
// processes may number.

export const NUMBER_JOB = 'events.number'

/** Events in one transaction: what waits for its lock waits some milliseconds. */
const BATCH = 500
/** Merchants in one question. */
const MOST_MERCHANTS = 500
/** Merchants side by side; each waits for its own commit. */
const AT_ONCE = 4
/** In one run; a longer backlog goes on in the next, so that a stop never waits long. */
const MOST_ROUNDS = 20
/** Another sequencer has the merchant: what it no longer saw is looked for this much later. */
const HELD_SECONDS = 0.025

type Outcome = 'done' | 'more' | 'held'

/** Where the turn of this process stands, and who is not tried for now. Of each database of the process. */
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
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
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
  const found = await store.findWaiting(pool, { after: turn.after, limit: MOST_MERCHANTS })
  // With more merchants than one question returns they have turns.
  turn.after = found.length < MOST_MERCHANTS ? '' : (found.at(-1)?.merchantId ?? '')
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
  const left = [...merchants]
  const serve = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) outcomes.push(await numberOne(deps, turn, id))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, serve))
  return outcomes
}

/** A failure is that of one merchant: it rests, each time longer, and the others go on. */
async function numberOne(deps: EventDeps, turn: Turn, merchantId: string): Promise<Outcome> {
  try {
    const outcome = await numberMerchant(deps, merchantId)
    turn.resting.delete(merchantId)
    return outcome
  } catch (error) {
    // The index has a name of its own in each partition.
    if (sqlState(error) === UNIQUE_VIOLATION && (await parkDuplicates(deps, merchantId)) > 0) return 'more'
    const failures = (turn.resting.get(merchantId)?.failures ?? 0) + 1
    const restMillis = Math.min(LONGEST_REST_MILLIS, FIRST_REST_MILLIS * 2 ** failures)
    turn.resting.set(merchantId, { until: performance.now() + restMillis, failures })
    deps.log.failure('events could not be numbered', error, { merchant_id: merchantId, attempt: failures })
    return 'held'
  }
}

const FIRST_REST_MILLIS = 50
const LONGEST_REST_MILLIS = 10_000

/** One transaction: numbers a batch of a merchant's events, and tells whoever rides on it. */
async function numberMerchant(deps: EventDeps, merchantId: string): Promise<Outcome> {
  const declaration = { name: 'events.number', silent: 'A number is not a change that anyone is told of.' }
  let isHeld = false
  const count = await command(deps, declaration, async ({ tx, at }): Promise<bigint | Rollback> => {
    const head = await lockedHead(tx, merchantId)
    isHeld = head === undefined
    if (head === undefined) return rollback
    const { feedPos: upTo = head } = (await store.insertNumbered(tx, { merchantId, head, limit: BATCH })) ?? {}
    if (upTo === head) return rollback
    for (const tell of deps.onNumbered) await tell(tx, { merchantId, after: head, upTo, at })
    return upTo - head
  })
  if (isHeld) return 'held'
  return count !== null && count >= BATCH ? 'more' : 'done'
}

async function lockedHead(tx: Tx, merchantId: string): Promise<bigint | undefined> {
  const head = (await store.lockHead(tx, { merchantId })) ?? (await store.insertHead(tx, { merchantId }))
  return head?.feedPos
}

async function parkDuplicates(deps: EventDeps, merchantId: string): Promise<number> {
  const declaration = { name: 'events.park_duplicates', silent: 'There is an event of this change already.' }
  const parked = await single(deps, declaration, ({ on }) => store.parkDuplicates(on, { merchantId }))
  const fields = { alarm: 'event_parked', merchant_id: merchantId, count: parked } as const
  if (parked > 0) deps.log.error('events about a version that has one are parked', fields)
  return parked
}

/** How long the oldest event that has no number has waited, in seconds; 0: none waits. */
export async function findLag({ pool, clock }: Pick<EventDeps, 'pool' | 'clock'>): Promise<number> {
  const waiting = await store.findWaiting(pool, { after: '', limit: MOST_MERCHANTS })
  const oldest = Math.min(...waiting.map(({ id }) => idTime('event', id).getTime()))
  return waiting.length === 0 ? 0 : Math.max(0, (clock.now().getTime() - oldest) / 1000)
}

const MOST_PARKED = 500

/** What is parked, oldest first, of all merchants: for operators. */
export async function listParked({ pool }: Pick<EventDeps, 'pool'>) {
  return store.listParked(pool, { limit: MOST_PARKED })
}
