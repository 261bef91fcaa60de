/** Import directions of the server, checked by `npm run lint`. A test compares docs/architecture.md with them. */
const SRC = '^apps/server/src'
/**
 * The floors of the house, from the top, each with its rooms in the order in which they may know each other. Imports go down only, on a
 * floor as well: no two rooms know each other, by whatever way round.
 */
const FLOORS = [
  [['commands']],
  [['compose']],
  // Who may ask.
  [['hosts']],
  // What agents do by the tool protocol, with all that is below.
  [['mcp']],
  // What a person, a shop or an agent does.
  [['sandbox'], ['cardholder', 'owners'], ['sessions'], ['checkout', 'restored']],
  // What there is.
  [['charges'], ['mandates'], ['agents'], ['enrollment', 'escalations'], ['approvals', 'cards']],
  // What they stand on.
  [
    ['mail'],
    ['webhooks'],
    ['events', 'wallets'],
    ['keys', 'merchants'],
    ['vault'],
    ['bins', 'customers'],
    ['ledger', 'network', 'passkeys', 'rows'],
  ],
  // Ground: knows no noun of the product.
  [['http', 'jobs'], ['db'], ['platform']],
]
const ROWS = FLOORS.flat()
const ROOMS = FLOORS.map((floor) => floor.flat())
const any = (folders) => `(?:${folders.join('|')})`
const FEATURES = ROOMS.slice(3, -1).flat().join('|')
/** A feature is a folder of a floor, or a folder in one: `wallets/orders`. What tests use is no part of it. */
const feature = (file) => `${SRC}/(?:${FEATURES})(?:/|/(?!testing/)[a-z-]+/)${file}`
const TESTS = '\\.test\\.ts$|/testing/'
/** What a feature shows to its neighbours on the same floor. `fragments` are parts of SQL for stores only. */
const SHOWN = '/(?:service|errors|ref|fragments|port|states|credential|examples)\\.ts$'

const downOnly = ROWS.slice(1).map((row, index) => ({
  name: 'imports-go-down',
  comment: 'A room knows what is below it, never what is above, and none beside it.',
  severity: 'error',
  from: { path: `${SRC}/(${row.join('|')})/`, pathNot: TESTS },
  to: { path: `${SRC}/${any(ROWS.slice(0, index + 2).flat())}/`, pathNot: `${SRC}/$1/` },
}))

const serviceToService = ROOMS.slice(3, -1).map((floor) => ({
  name: 'neighbours-meet-at-the-service',
  comment: 'Inside a floor a feature knows the service of another, and nothing behind it.',
  severity: 'error',
  from: { path: `${SRC}/(${floor.join('|')})/`, pathNot: TESTS },
  to: { path: `${SRC}/${any(floor)}/`, pathNot: [`${SRC}/$1/`, SHOWN], dependencyTypesNot: ['type-only'] },
}))

module.exports = {
  forbidden: [
    ...downOnly,
    ...serviceToService,
    {
      name: 'parts-meet-at-the-service',
      comment: 'What is sold and what is bought are several features, a folder each: they are neighbours as well.',
      severity: 'error',
      from: { path: `${SRC}/(wallets|checkout)/([a-z-]+)/`, pathNot: TESTS },
      to: { path: `${SRC}/$1/[a-z-]+/`, pathNot: [`${SRC}/$1/$2/`, SHOWN], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'fragments-are-for-stores',
      comment:
        'Parts of SQL make one statement of several features; nothing but SQL is made of them. Types may be named.',
      severity: 'error',
      // The statements of due work are declared where it is claimed.
      from: { path: `${SRC}/`, pathNot: `store\\.ts$|fragments\\.ts$|/jobs/work\\.ts$|${TESTS}` },
      to: { path: 'fragments\\.ts$', dependencyTypesNot: ['type-only'] },
    },
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
      to: { path: feature('[a-z-]*rules\\.ts$'), pathNot: `${SRC}/$1/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rules-and-states-are-pure',
      comment: 'No database, no service, no HTTP in pure decisions.',
      severity: 'error',
      from: { path: feature('[a-z-]*(?:rules|states)\\.ts$') },
      to: {
        path: `${SRC}/(?:db|http|jobs)/|/(?:service|store|routes|jobs)\\.ts$|^node_modules/(?:pg|fastify)/`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'stores-know-the-database-only',
      comment: 'SQL calls no service.',
      severity: 'error',
      from: { path: feature('[^/]*store\\.ts$') },
      to: { path: '/(?:service|routes|jobs)\\.ts$|^apps/server/src/http/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'services-know-no-http',
      comment: 'Use cases are called by routes, jobs and tests alike.',
      severity: 'error',
      from: { path: feature('(?!routes|host|wire|credential|page)[^/]+\\.ts$'), pathNot: '\\.test\\.ts$' },
      to: { path: `${SRC}/http/|/routes\\.ts$|^node_modules/fastify/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-place-composes',
      comment: 'The program is built in compose only.',
      severity: 'error',
      from: { path: `${SRC}/`, pathNot: `${SRC}/main\\.ts$|${SRC}/(?:commands|compose)/|\\.test\\.ts$` },
      to: { path: `${SRC}/(?:main|config)\\.ts$|${SRC}/(?:commands|compose)/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-egress-goes-out',
      comment:
        'Sockets to the outside are opened in platform/egress, which checks where they lead. Types may be named, and three files ' +
        'take what goes nowhere: the form of an address, the words of a status, a server that listens, at the addresses of its own name.',
      severity: 'error',
      from: {
        path: `${SRC}/`,
        pathNot: `${SRC}/platform/egress/|${SRC}/http/(?:limit|client-error)\\.ts$|${SRC}/commands/acceptors\\.ts$|${TESTS}`,
      },
      to: {
        path: '^(?:node:)?(?:http|https|http2|net|tls|dgram|dns|dns/promises)$|^node_modules/undici/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'one-place-connects-to-the-database',
      comment: 'How a connection is made and lost is known in db/ alone; others name its types.',
      severity: 'error',
      from: { path: `${SRC}/`, pathNot: `${SRC}/db/|${TESTS}` },
      to: { path: '^node_modules/pg/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-place-uses-an-sdk',
      comment: "A company's SDK is told how to send, where it is made.",
      severity: 'error',
      from: { path: `${SRC}/`, pathNot: `${SRC}/keys/aws\\.ts$|${TESTS}` },
      to: { path: '^node_modules/@aws-sdk/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'mails-leave-by-one-door',
      comment:
        'The library opens connections, and reads files and addresses when it is told to: it is told in one place.',
      severity: 'error',
      from: { path: `${SRC}/`, pathNot: `${SRC}/mail/(?:smtp|message)\\.ts$|${TESTS}` },
      to: { path: '^node_modules/nodemailer/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-place-knows-the-metrics-library',
      comment: 'Features count through platform/metrics.ts.',
      severity: 'error',
      from: { path: `${SRC}/`, pathNot: `${SRC}/platform/metrics-registry\\.ts$|${TESTS}` },
      to: { path: '^node_modules/@prometheus-io/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'contract-has-no-behaviour-below',
      comment: 'The contract package depends on nothing of ours.',
      severity: 'error',
      from: { path: '^packages/contract/src' },
      to: { path: '^apps/|^packages/(?!contract)' },
    },
    {
      name: 'embedded-postgres-knows-no-product',
      comment: 'The package starts a PostgreSQL and knows nothing of its use.',
      severity: 'error',
      from: { path: '^packages/embedded-postgres/' },
      to: { path: '^apps/|^packages/(?!embedded-postgres)' },
    },
    {
      name: 'server-sdk-stands-alone',
      comment: 'It is installed without anything else of ours. Tests may compare it with the contract.',
      severity: 'error',
      from: { path: '^packages/node/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(?:apps|examples|node_modules)/|^packages/(?!node/)' },
    },
    {
      name: 'browser-sdk-stands-alone',
      comment:
        'It is installed without anything else of ours; React is brought by who uses it. Tests may compare it with the contract.',
      severity: 'error',
      from: { path: '^packages/browser/src/', pathNot: '\\.test\\.ts$|/react\\.ts$' },
      to: { path: '^(?:apps|examples|node_modules)/|^packages/(?!browser/)' },
    },
    {
      name: 'values-carry-no-schemas',
      comment: 'Codes and states may be used in a page; the schemas bring a library with them.',
      severity: 'error',
      from: { path: '^packages/contract/src/[^/]+\\.ts$', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/contract/src/wire/|^node_modules/typebox/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'pages-use-the-public-api',
      comment: 'Web apps, examples and SDKs know the contract, never the server.',
      severity: 'error',
      from: { path: '^(?:apps/(?!server)|packages/|examples/)', pathNot: '\\.test\\.ts$' },
      to: { path: '^apps/server/' },
    },
    {
      name: 'page-carries-no-schemas',
      comment: "The page takes types from the contract's schemas, never the schemas: its bundle stays small.",
      severity: 'error',
      from: { path: '^apps/(?:surface|wallet)/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/contract/src/(?:wire/|index)|node_modules/typebox/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: {
        path: `${SRC}/|^packages/[^/]+/src/`,
        pathNot: '\\.test\\.ts$|/testing/',
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
    // What we build. A library whose files are in such a folder stays in sight.
    exclude: { path: '^(?:apps|packages|examples)/[^/]+/dist/' },
    // TypeScript 7 has no API for other tools yet; swc reads the same syntax.
    parser: 'swc',
    combinedDependencies: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
