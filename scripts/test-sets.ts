// Which test file runs where; `vitest.config.ts` makes a project of each set.

/** A worker of its own: what other files have loaded or replaced before it would change what these see. */
export const ALONE = [
  // They replace a module (`vi.mock`).
  'apps/server/src/charges/refused-races.test.ts',
  'apps/server/src/merchants/authentication.test.ts',
  'apps/server/src/network/simulator/minting.test.ts',
  'apps/server/src/platform/ids.test.ts',
  'apps/server/src/platform/keys.test.ts',
  'apps/server/src/sessions/token.test.ts',
  // They judge every statement that is loaded, and tests load some of their own.
  'apps/server/src/db/distribution.test.ts',
  'apps/server/src/db/statement-sizes.test.ts',
  'apps/server/src/db/statement.test.ts',
  'apps/server/src/db/due-indexes.test.ts',
  'apps/server/src/db/plans-at-scale.test.ts',
  'apps/server/src/db/statements.test.ts',
  'apps/server/src/db/transitions.test.ts',
  'apps/server/src/ledger/transfer.test.ts',
  // It plants files among the sources, which other tests read.
  'scripts/import-directions.test.ts',
]

/** In real Chromium. */
export const BROWSER = ['apps/server/test/browser/**/*.test.ts']

/**
 * What another version of PostgreSQL could change: how rows are locked, counted, ordered and numbered, and the journeys that all else stands on.
 * That the server takes each statement and plans it well, the files of `ALONE` show. CI runs both on the oldest version, too.
 */
export const VERSIONED = [
  'apps/server/src/{db,jobs,charges,ledger,events}/**/*.test.ts',
  'apps/server/src/sessions/{create,report}.test.ts',
  'apps/server/test/{checkout,quoted,dump,transitions}.test.ts',
]

/**
 * Shown on one version of PostgreSQL: they bring an embedded server of their own or need none, or they are sweeps and walks
 * that send statements which other tests send too.
 */
export const ONCE = [
  'packages/**/*.test.ts',
  'scripts/**/*.test.ts',
  'examples/**/*.test.ts',
  'apps/surface/**/*.test.ts',
  'apps/server/src/{platform,http,hosts}/**/*.test.ts',
  'apps/server/src/checkout/adapters/**/*.test.ts',
  'apps/server/src/agents/signature/**/*.test.ts',
  'apps/server/test/{egress,processes,crash}/**/*.test.ts',
  'apps/server/test/{api-table,wallet-table,fuzz,leaks,openapi-contract,overload,limits-over-nodes}.test.ts',
]

/** One run of vitest: its projects go side by side, sets one after another. */
export interface TestSet {
  name: string
  projects: readonly string[]
  /** The variable that names the server it needs: without it the set is skipped. */
  server?: string
}

/** In the order of a run: what fails most often comes first. */
export const SETS: readonly TestSet[] = [
  { name: 'database', projects: ['alone', 'versioned', 'database'] },
  { name: 'once', projects: ['once'] },
  { name: 'oldest', projects: ['alone', 'versioned'], server: 'OLDEST_DATABASE_URL' },
  { name: 'browser', projects: ['browser'] },
]
