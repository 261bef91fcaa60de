import { single } from '../db/command.ts'
import { backoffSeconds } from '../platform/backoff.ts'
import { unbounded } from '../platform/bounds.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Job, JobResult } from './loop.ts'
import { type Claim, type DueWork, leaseEnd, type WorkDeps } from './work.ts'

// What a holder does with work that it has claimed: it keeps the lease while it is at it, and gives back what it did not finish.

/** A lease is extended this many times before it would end, so that one failure costs nothing. */
const EXTENSIONS_PER_LEASE = 3

/**
 * Keeps the lease of a row while work on it lasts. Leases are short, because what a dead holder had waits for their end;
 * the holder extends them, however long the network takes.
 */
export async function holding<T>(
  deps: WorkDeps,
  work: Pick<DueWork<Claim>, 'extend'>,
  claim: Claim,
  handle: () => Promise<T>,
): Promise<T> {
  const declaration = { name: 'work.extend', silent: 'work' } as const
  const extend = () =>
    single(deps, declaration, ({ on, at }) => work.extend(on, claim, leaseEnd(deps, at))).catch(() => false)
  // A failed try is made good by the next one; after a lost lease the fence refuses what the holder writes.
  const timer = unbounded(() => setInterval(extend, (deps.leaseSeconds * 1000) / EXTENSIONS_PER_LEASE))
  try {
    return await handle()
  } finally {
    clearInterval(timer)
  }
}

/** When to try a row again after this many attempts. */
export function retryTime(at: Date, attempts: number): Date {
  return addSeconds(at, backoffSeconds(attempts))
}

/** The tries of a quarter of an hour (`backoffSeconds`); then of each further half of one. */
const ALARM_AFTER_TRIES = 34
const ALARM_EVERY_TRIES = 60

/**
 * Says so when a row is given back again that has been tried for long. Nothing else would show it: a row that is tried every half
 * minute is never due for long, however many days it takes. It goes on being tried: no number of tries makes an answer of silence.
 */
export function noteLongWait(log: Log, job: string, row: Omit<Claim, 'leaseFence'>): void {
  const { attempts } = row
  if (attempts < ALARM_AFTER_TRIES || (attempts - ALARM_AFTER_TRIES) % ALARM_EVERY_TRIES !== 0) return
  log.error('work is not done, though it was tried again and again', {
    alarm: 'work_stuck',
    ...workFields(job, row),
  })
}

function workFields(job: string, { merchantId, id, attempts }: Omit<Claim, 'leaseFence'>) {
  return { job, merchant_id: merchantId, row_id: id, attempt: attempts }
}

interface Handling<Row> {
  name: string
  /** Rows at a time. */
  limit: number
  /** True when the row needs nothing more of this round: it recorded a result, or found that another holder had. */
  handle: (row: Row) => Promise<boolean>
}

type HandlingDeps = WorkDeps & { log: Log }

/** One round of a job: claims, handles all claimed rows side by side, and tries those again later that returned false or failed. */
export async function workOff<Row extends Claim>(
  deps: HandlingDeps,
  work: DueWork<Row>,
  handling: Handling<Row>,
): Promise<JobResult> {
  const { rows, nextDueAt } = await work.claim(deps, handling.limit)
  await Promise.all(rows.map((row) => handleRow(deps, work, handling, row)))
  return { taken: rows.length, nextDueAt }
}

interface HandlingBeside<Row> extends Omit<Handling<Row>, 'handle'> {
  /** As above. Where that takes several steps, none is begun once a stop has come: each of them may take as long as all of a stop may. */
  handle: (row: Row, mayGoOn: () => boolean) => Promise<boolean>
}

/**
 * A job that does the same beside its loop. A row that waits for another party's system keeps none of the others waiting, neither those of
 * its round nor what falls due meanwhile.
 */
export function workBeside<Row extends Claim>(
  deps: HandlingDeps,
  work: DueWork<Row>,
  { name, limit, handle }: HandlingBeside<Row>,
): Job {
  const inHand = new Set<Promise<void>>()
  let isStopping = false
  const mayGoOn = () => !isStopping
  const start = (row: Row) => {
    const handled = handleRow(deps, work, { name, handle: (row) => handle(row, mayGoOn) }, row)
      // The lease ends by itself, and the row is claimed again.
      .catch((error: unknown) => deps.log.failure('work was not given back', error, workFields(name, row)))
      .finally(() => inHand.delete(handled))
    inHand.add(handled)
  }
  return {
    name,
    async run() {
      isStopping = false
      if (inHand.size >= limit) await Promise.race(inHand)
      // The stop came while a place was waited for.
      if (isStopping) return { taken: 0, nextDueAt: null }
      const { rows, nextDueAt } = await work.claim(deps, limit - inHand.size)
      for (const row of rows) start(row)
      return { taken: rows.length, nextDueAt }
    },
    stop() {
      isStopping = true
    },
    async settled() {
      while (inHand.size > 0) await Promise.all(inHand)
    },
  }
}

async function handleRow<Row extends Claim>(
  deps: HandlingDeps,
  work: DueWork<Row>,
  { name, handle }: Omit<Handling<Row>, 'limit'>,
  row: Row,
): Promise<void> {
  const handled = await holding(deps, work, row, () => handle(row)).catch((error: unknown) => {
    deps.log.failure('work failed', error, workFields(name, row))
    return false
  })
  if (handled) return
  noteLongWait(deps.log, name, row)
  const declaration = { name: `${name}.postpone`, silent: 'work' } as const
  await single(deps, declaration, ({ on, at }) => work.postpone(on, row, retryTime(at, row.attempts)))
}
