import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { ALONE, ALONE_ONCE, ALONE_VERSIONED, BROWSER, LONGEST, ONCE, VERSIONED } from './scripts/test-sets.ts'

/**
 * One fewer than there are cores is the default, and one on two. Most of a test is waiting, for sockets, clocks and processes: on two cores
 * three workers take 491 seconds for all that needs no browser, four 432. `TEST_WORKERS` is for a run beside another
 * one.
 */
const WORKERS = Number(process.env.TEST_WORKERS) || Math.max(4, availableParallelism() - 1)

/** A browser wants a core. */
const BROWSER_WORKERS = Number(process.env.BROWSER_WORKERS) || 2

const EVERY_TEST = {
  // For what hangs. A machine six times as busy as ours finishes everything else.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // One second is the default, which a busy machine takes for a page to load.
  expect: { poll: { timeout: 15_000 } },
  pool: 'forks' as const,
  // Collecting the garbage of young objects is a tenth of a run at Node's own size.
  execArgv: ['--max-semi-space-size=64'],
  maxWorkers: WORKERS,
}

const ALONE_TEST = { ...EVERY_TEST, setupFiles: ['apps/server/test/after-file-alone.ts'] }

/** A worker loads the service once for all its files, not once a file: a third of the time of a whole run. */
const TOGETHER = { ...EVERY_TEST, isolate: false, setupFiles: ['apps/server/test/after-file.ts'] }

/** Vitest's own order, by size where nothing is known of a file, but for those that are known to take long. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (LONGEST.test(moduleId) ? 0 : 1)
    const sets = Map.groupBy(await super.sort(files), ({ project }) => project)
    return [...sets.values()].flatMap((set) => set.sort((one, other) => rank(one) - rank(other)))
  }
}

const but = (...patterns: string[]) => [...configDefaults.exclude, ...patterns]

export default defineConfig({
  test: {
    globalSetup: ['apps/server/test/global-setup.ts'],
    maxWorkers: WORKERS,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...ALONE_TEST, name: 'alone', include: ALONE_VERSIONED } },
      { test: { ...ALONE_TEST, name: 'alone-once', include: ALONE_ONCE } },
      {
        test: {
          ...TOGETHER,
          name: 'versioned',
          include: VERSIONED,
          exclude: but(...ALONE),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...TOGETHER,
          name: 'database',
          // All that is in no other set, so that no file is in none.
          include: ['{apps,packages,scripts,examples}/**/*.test.ts'],
          exclude: but(...ALONE, ...VERSIONED, ...ONCE, ...BROWSER),
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...TOGETHER, name: 'once', include: ONCE, exclude: but(...ALONE), sequence: { groupOrder: 1 } } },
      {
        test: {
          ...TOGETHER,
          name: 'browser',
          include: BROWSER,
          maxWorkers: BROWSER_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
