import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'

/** A background task: does what is due and says how many items it took; zero means it may rest. */
export interface Job {
  readonly name: string
  readonly restMillis: number
  run(): Promise<number>
}

export interface RunningLoop {
  /** Asks the loop to end and waits for the work in hand. */
  stop(): Promise<void>
}

/** After failures; short, so that work goes on soon after the database is back. */
const LONGEST_REST_MILLIS = 4_000

/**
 * Runs a job until stopped: again at once while there is work, after `restMillis` when there is none, and after a
 * longer rest when it failed (the database may be away). One run at a time a process; any number of processes.
 */
export function startLoop(job: Job, log: Log): RunningLoop {
  const stopping = new AbortController()
  const done = (async () => {
    let failures = 0
    while (!stopping.signal.aborted) {
      let rest = job.restMillis
      try {
        if ((await job.run()) > 0) rest = 0
        failures = 0
      } catch (error) {
        failures += 1
        rest = Math.min(LONGEST_REST_MILLIS, job.restMillis * 2 ** failures)
        log.failure('job failed', error, { job: job.name, attempt: failures })
      }
      // It keeps the process alive: with its database away, a worker has nothing else that does.
      await delay(rest, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
