import type { Program } from '../processes/spawn.ts'

/** Longer than a lease, shorter than a request is believed to be on its way: then overlaps would be no fault (E14). */
export const MAX_STOP_MILLIS = 5_000
const MIN_STOP_MILLIS = 1_000

/** Some workers, of which one after the other is killed, or stopped for a while. */
export function createWorkers(count: number, start: () => Program) {
  const workers = new Set(Array.from({ length: count }, start))
  const counts = { killed: 0, stopped: 0 }

  /** A killed one is replaced, as a supervisor does it. */
  function strike(): void {
    const all = [...workers]
    const victim = all[Math.floor(Math.random() * all.length)]
    if (victim === undefined) return
    if (counts.killed <= counts.stopped) {
      counts.killed += 1
      workers.delete(victim)
      void victim.stop('SIGKILL')
      workers.add(start())
    } else {
      counts.stopped += 1
      process.kill(victim.pid, 'SIGSTOP')
      const millis = MIN_STOP_MILLIS + Math.random() * (MAX_STOP_MILLIS - MIN_STOP_MILLIS)
      setTimeout(() => victim.isRunning() && process.kill(victim.pid, 'SIGCONT'), millis)
    }
  }

  return {
    counts,
    strike,
    /** None ends by itself. */
    check() {
      for (const worker of workers) if (!worker.isRunning()) throw new Error(`A worker ended:\n${worker.output()}`)
    },
  }
}
