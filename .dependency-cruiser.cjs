/** Import directions of the server, as docs/architecture.md draws them. Checked by `npm run lint`. */
const SRC = '^apps/server/src'
const FEATURES =
  'agents|cards|charges|checkout|console|enrollment|events|mandates|mcp|merchants|owner|passkeys|sandbox|sessions|surface|vault|wallets|webhooks'
const feature = (file) => `${SRC}/(?:${FEATURES})/${file}`

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or one of them knows too much.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'store-is-private',
      comment: "A feature's SQL is its own: others call its service. Types of rows may be named.",
      severity: 'error',
      from: { path: `${SRC}/([^/]+)/`, pathNot: '\\.test\\.ts$' },
      to: { path: feature('[^/]*store\\.ts$'), pathNot: `${SRC}/$1/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rules-are-private',
      comment: "A feature's decisions are its own: others call its service.",
      severity: 'error',
      from: { path: `${SRC}/([^/]+)/`, pathNot: '\\.test\\.ts$' },
      to: { path: feature('rules\\.ts$'), pathNot: `${SRC}/$1/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rules-and-states-are-pure',
      comment: 'No database, no service, no HTTP in pure decisions.',
      severity: 'error',
      from: { path: feature('(?:rules|states)\\.ts$') },
      to: {
        path: `${SRC}/(?:db|http|jobs)/|/(?:service|store|routes|jobs)\\.ts$|^node_modules/(?:pg|fastify)/`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'stores-know-the-database-only',
      comment: 'SQL calls nobody.',
      severity: 'error',
      from: { path: feature('[^/]*store\\.ts$') },
      to: { path: '/(?:service|routes|jobs)\\.ts$|^apps/server/src/http/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'services-know-no-http',
      comment: 'Use cases are called by routes, jobs and tests alike.',
      severity: 'error',
      from: { path: feature('(?!routes|host|wire|authentication|page)[^/]+\\.ts$'), pathNot: '\\.test\\.ts$' },
      to: { path: `${SRC}/http/|/routes\\.ts$|^node_modules/fastify/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'platform-knows-no-feature',
      comment: 'platform, db, http and jobs are below the features.',
      severity: 'error',
      from: { path: `${SRC}/(?:platform|db|http)/`, pathNot: '\\.test\\.ts$' },
      to: { path: `${SRC}/(?:${FEATURES}|network)/` },
    },
    {
      name: 'one-place-wires',
      comment: 'Services are built in wiring.ts only.',
      severity: 'error',
      from: { path: `${SRC}/`, pathNot: `${SRC}/(?:wiring|main)\\.ts$|${SRC}/commands/|\\.test\\.ts$` },
      to: { path: `${SRC}/(?:wiring|main|config)\\.ts$|${SRC}/commands/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'contract-has-no-behaviour-below',
      comment: 'The contract package depends on nobody.',
      severity: 'error',
      from: { path: '^packages/contract/src' },
      to: { path: '^apps/|^packages/(?!contract)' },
    },
    {
      name: 'embedded-postgres-knows-no-product',
      comment: 'The package starts a PostgreSQL, whatever it is for.',
      severity: 'error',
      from: { path: '^packages/embedded-postgres/' },
      to: { path: '^apps/|^packages/(?!embedded-postgres)' },
    },
    {
      name: 'pages-use-the-public-api',
      comment: 'Web apps, examples and SDKs know the contract, never the server.',
      severity: 'error',
      from: { path: '^(?:apps/(?!server)|packages/|examples/)', pathNot: '\\.test\\.ts$' },
      to: { path: '^apps/server/' },
    },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: {
        path: `${SRC}/|^packages/[^/]+/src/`,
        pathNot: '\\.test\\.ts$|/testing/|table-walk|test-helper|fixtures',
      },
      to: { path: '\\.test\\.ts$|/testing/|^apps/server/test/|^node_modules/(?:vitest|fast-check|playwright-core)/' },
    },
    {
      name: 'nothing-undeclared',
      comment: 'Every import is in the package.json of its workspace or of the root.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: '^packages/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    // TypeScript 7 has no API for other tools yet; swc reads the same syntax.
    parser: 'swc',
    combinedDependencies: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
