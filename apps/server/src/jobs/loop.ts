import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Wakes } from './wake.ts'

export interface JobResult {
  /** How many items it took. */
  taken: number
  /** When the next item falls due; null when that is unknown. */
  nextDueAt: Date | null
}

/** A background task: does what is due. */
export interface Job {
  name: string
  /** The longest pause between two questions while there is no work; `REST_MILLIS` unless given. */
  restMillis?: number
  /** The shortest time from the start of one run to that of the next, where one run serves many wakes. */
  paceMillis?: number
  run(): Promise<JobResult>
  /** The loop is about to stop: what `run` began beside it begins nothing further, and is given back. */
  stop?(): void
  /** Waits for what `run` began and did not wait for. A loop that stops does. */
  settled?(): Promise<void>
}

interface LoopDeps {
  log: Log
  clock: Clock
}

export interface RunningLoop {
  /**
   * Ends a rest now: there may be work. True when the loop was resting; a wake while it is at work counts for the rest
   * after it.
   */
  wake(): boolean
  /** Asks the loop to end and waits for the work in hand. */
  stop(): Promise<void>
}

/** The safety net: work is found this late when no commit woke the loop and no due time was known. */
const REST_MILLIS = 5_000
/** Due times are finer than timers, and a timer may fire a little early. */
const MIN_REST_MILLIS = 2
const FIRST_REST_AFTER_FAILURE_MILLIS = 1_000
/** After failures; short, so that work goes on soon after the database is back. */
const MAX_REST_AFTER_FAILURE_MILLIS = 4_000

/**
 * Runs a job until stopped: again immediately while there is work, and else when the next item falls due, when woken,
 * or after `restMillis`. After a failure it rests longer each time (the database may be away). One run at a time a
 * process; any number of processes.
 */
export function startLoop(job: Job, deps: LoopDeps): RunningLoop {
  const rest = createRest()
  let stopping = false
  const done = (async () => {
    let failures = 0
    let startedAt = -Infinity
    while (!stopping) {
      const untilNext = startedAt + (job.paceMillis ?? 0) - performance.now()
      if (untilNext > 0) await rest.take(untilNext, { wakeable: false, looksSoon: true })
      if (stopping) break
      startedAt = performance.now()
      // Before the work: a wake that comes while it runs may be for a row that it no longer sees.
      rest.forget()
      try {
        const result = await job.run()
        failures = 0
        if (result.taken === 0) await rest.take(restAfter(job, result, deps.clock), { wakeable: true })
      } catch (error) {
        failures += 1
        deps.log.failure('job failed', error, { job: job.name, attempt: failures })
        // Not to be cut short: each wake would fail again.
        await rest.take(restAfterFailure(failures), { wakeable: false })
      }
    }
  })()
  return {
    wake: rest.wake,
    async stop() {
      stopping = true
      job.stop?.()
      rest.end()
      await done
      await job.settled?.()
    },
  }
}

/** Runs all jobs of a process, each of which a commit can wake by its name. */
export function startLoops(
  jobs: readonly Job[],
  { wakes, ...deps }: LoopDeps & { wakes: Wakes },
): Pick<RunningLoop, 'stop'> {
  const loops = jobs.map((job) => {
    const loop = startLoop(job, deps)
    wakes.add(job.name, loop.wake)
    return loop
  })
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

function restAfter({ restMillis = REST_MILLIS }: Job, { nextDueAt }: JobResult, clock: Clock): number {
  // A little uneven, so that the loops of many processes do not come to ask together.
  const longest = restMillis * (0.9 + Math.random() * 0.1)
  if (nextDueAt === null) return longest
  const untilDue = nextDueAt.getTime() - clock.now().getTime() + 1
  return Math.min(longest, Math.max(MIN_REST_MILLIS, untilDue))
}

function restAfterFailure(failures: number): number {
  return Math.min(MAX_REST_AFTER_FAILURE_MILLIS, FIRST_REST_AFTER_FAILURE_MILLIS * 2 ** (failures - 1))
}

/** One timer that can be ended early. */
function createRest() {
  let woken = false
  let ended = false
  let resting: { wakeable: boolean; looksSoon: boolean; end: () => void } | undefined
  return {
    forget() {
      woken = false
    },
    wake(): boolean {
      woken = true
      if (resting?.looksSoon === true) return true
      if (resting?.wakeable !== true) return false
      resting.end()
      return true
    },
    end() {
      ended = true
      resting?.end()
    },
    /** `looksSoon`: the loop will look at its end in any case, so a wake need not go to other processes. */
    async take(
      millis: number,
      { wakeable, looksSoon = false }: { wakeable: boolean; looksSoon?: boolean },
    ): Promise<void> {
      if (ended || (wakeable && woken)) return
      const { promise, resolve: end } = Promise.withResolvers<void>()
      // The timer is not unref'd: without a database connection it is all that keeps a worker running.
      const timer = setTimeout(end, millis)
      resting = { wakeable, looksSoon, end }
      await promise
      clearTimeout(timer)
      resting = undefined
    },
  }
}
