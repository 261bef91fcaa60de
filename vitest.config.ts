import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { ALONE, BROWSER, ONCE, VERSIONED } from './scripts/test-sets.ts'

const CORES = availableParallelism()

/**
 * Never more than one worker above the processors: what a busy machine delays, tests take for silence. On two there are
 * three, because much of a test is waiting, for sockets, clocks and programs. `TEST_WORKERS` is for another number.
 */
const WORKERS = Number(process.env.TEST_WORKERS) || Math.min(CORES + 1, Math.max(3, CORES - 1))

/** A browser wants a core of its own. */
const BROWSER_WORKERS = Number(process.env.TEST_WORKERS) || Math.max(1, Math.min(CORES, WORKERS - 1))

const EVERY_TEST = {
  // For what hangs, and for nothing else: a busy machine is slow, and no test fails for that.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  pool: 'forks' as const,
  maxWorkers: WORKERS,
}

/** A worker loads the service once for all its files, not once a file: a third of the time of a whole run. */
const TOGETHER = { ...EVERY_TEST, isolate: false, setupFiles: ['apps/server/test/after-file.ts'] }

const but = (...patterns: string[]) => [...configDefaults.exclude, ...patterns]

export default defineConfig({
  test: {
    globalSetup: ['apps/server/test/global-setup.ts'],
    maxWorkers: WORKERS,
    projects: [
      { test: { ...EVERY_TEST, name: 'alone', include: ALONE } },
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
