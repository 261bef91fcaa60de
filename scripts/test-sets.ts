// Which test file runs where; `vitest.config.ts` makes a project of each set.

/** In a worker of their own, as all of `ALONE`, and without a database: shown once, whatever its version. */
export const ALONE_ONCE = [
  // They replace a module (`vi.mock`).
  'apps/server/src/network/simulator/minting.test.ts',
  'apps/server/src/platform/ids.test.ts',
  'apps/server/src/platform/keys.test.ts',
  'apps/server/src/sessions/token.test.ts',
  // They read the text of every statement that is loaded.
  'apps/server/src/db/distribution.test.ts',
  'apps/server/src/db/statement-sizes.test.ts',
  'apps/server/src/db/transitions.test.ts',
  // It plants files among the sources, which other tests read.
  'scripts/import-directions.test.ts',
]

/** The same with a database, on each version. */
export const ALONE_VERSIONED = [
  // It replaces a module.
  'apps/server/src/merchants/authentication.test.ts',
  // They judge every statement that is loaded, and tests load some of their own.
  'apps/server/src/db/statement.test.ts',
  'apps/server/src/db/due-indexes.test.ts',
  'apps/server/src/db/plans-at-scale.test.ts',
  'apps/server/src/db/statements.test.ts',
  'apps/server/src/ledger/transfer.test.ts',
]

/** A worker of its own: what other files have loaded or replaced before it would change what these see. */
export const ALONE = [...ALONE_ONCE, ...ALONE_VERSIONED]

/** In real Chromium. */
export const BROWSER = ['apps/server/test/browser/**/*.test.ts']

/**
 * What another version of PostgreSQL could change: how rows are locked, counted, ordered and numbered, and the journeys
 * that all else stands on. That the server takes each statement and plans it well, the files of `ALONE_VERSIONED` show.
 * CI runs both on the oldest version, too.
 */
export const VERSIONED = [
  'apps/server/src/{db,jobs,charges,ledger,events}/**/*.test.ts',
  'apps/server/src/sessions/{create,report}.test.ts',
  'apps/server/test/{checkout,quoted,dump,transitions}.test.ts',
]

/**
 * Shown on one version of PostgreSQL: they bring an embedded server of their own or need none, or they are sweeps and
 * walks that send statements which other tests send too.
 */
export const ONCE = [
  'packages/**/*.test.ts',
  'scripts/**/*.test.ts',
  'examples/**/*.test.ts',
  'apps/{surface,console}/**/*.test.ts',
  'apps/server/src/{platform,http,hosts}/**/*.test.ts',
  'apps/server/src/checkout/adapters/**/*.test.ts',
  'apps/server/src/agents/signature/**/*.test.ts',
  'apps/server/test/{egress,processes,crash}/**/*.test.ts',
  'apps/server/test/{api-table,wallet-table,fuzz,leaks,openapi-contract,overload,limits-over-nodes}.test.ts',
]

/**
 * They begin first, of their set: what starts programs and kills them takes the longest, in files that are small. A run
 * that begins with large files ends with one of these, alone.
 */
export const LONGEST =
  /\/(?:test\/(?:processes|crash|egress)|embedded-postgres|purchases|delivery)\/|\/(?:tour|screens|sdk|storefront)\.test/
