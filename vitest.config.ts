import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['apps/**/*.test.ts', 'packages/**/*.test.ts', 'scripts/**/*.test.ts', 'examples/**/*.test.ts'],
    globalSetup: ['apps/server/test/global-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // One second is the default, which a busy machine takes for a page to load.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // One fewer than there are cores is the default, and one on two. Most of a test is waiting: for sockets, clocks and processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
})
