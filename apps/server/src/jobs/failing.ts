import type { Job } from './loop.ts'

/** The failed runs of a job since its last good one, on the monotonic timer. */
interface Failures {
  firstMillis: number
  lastMillis: number
}

/** What a process says of its jobs. */
export interface JobsWatch {
  /** The same jobs, each of whose runs is noted. */
  jobs: readonly Job[]
  /**
   * For how many seconds each job has done nothing but fail; 0 after a good run. A job with nothing to do runs well.
   */
  failingSeconds(): { job: string; seconds: number }[]
  /** Jobs every run of which has failed for so long that the process does not do its work. */
  failing(): string[]
}

/** Shorter failures are those of a database that fails over, or starts again. */
const FAILING_SECONDS = 30

export function watchJobs(jobs: readonly Job[], monotonicMillis: () => number = () => performance.now()): JobsWatch {
  const failures = new Map<string, Failures>()
  const noted = (job: Job): Job => ({
    ...job,
    async run() {
      try {
        const result = await job.run()
        failures.delete(job.name)
        return result
      } catch (error) {
        const now = monotonicMillis()
        failures.set(job.name, { firstMillis: failures.get(job.name)?.firstMillis ?? now, lastMillis: now })
        throw error
      }
    },
  })
  const secondsOf = (name: string): number => {
    const found = failures.get(name)
    return found === undefined ? 0 : (found.lastMillis - found.firstMillis) / 1000
  }
  return {
    jobs: jobs.map(noted),
    failingSeconds: () => jobs.map(({ name }) => ({ job: name, seconds: secondsOf(name) })),
    failing: () => jobs.map(({ name }) => name).filter((name) => secondsOf(name) >= FAILING_SECONDS),
  }
}
