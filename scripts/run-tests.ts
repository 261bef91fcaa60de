import { type Run, secondLooks, summarize } from './test-run/summary.ts'
import { runVitest } from './test-run/vitest.ts'
import { SETS, type TestSet } from './test-sets.ts'

// All tests, one set after another, and every file that failed once more by itself; then the sum.
// What the machine has not, a browser or the oldest PostgreSQL, is skipped and said; with CI=true it is a failure.

const IS_CI = process.env.CI === 'true'

if (process.argv.length > 2) {
  console.error('npm test runs everything and takes no arguments. Some of it: npx vitest run FILE')
  process.exit(2)
}
const started = performance.now()
const minutes = () => `${((performance.now() - started) / 60_000).toFixed(1)} min`

function envOf({ server }: TestSet): NodeJS.ProcessEnv {
  return server === undefined ? {} : { TEST_DATABASE_URL: process.env[server] }
}

async function runSets(sets: readonly TestSet[]): Promise<Run[]> {
  const runs: Run[] = []
  for (const [index, set] of sets.entries()) {
    console.log(`\n== Set ${index + 1} of ${sets.length}: ${set.name} (${minutes()})`)
    runs.push(await runVitest({ set: set.name, projects: set.projects, env: envOf(set) }))
  }
  return runs
}

async function lookAgain(sets: readonly TestSet[], first: readonly Run[]): Promise<Run[]> {
  const again: Run[] = []
  for (const { set: name, file } of secondLooks(first)) {
    console.log(`\n== Once more, alone: ${file} of ${name} (${minutes()})`)
    const set = sets.find((one) => one.name === name)
    if (set === undefined) throw new Error(`${name} is no set.`)
    const env = { ...envOf(set), TEST_WORKERS: '1' }
    again.push(await runVitest({ set: name, projects: set.projects, file, env }))
  }
  return again
}

console.log(
  'All tests take some 20 minutes on two processors, 12 of them without a browser. One set runs after another.',
)
const missing = SETS.filter(({ server }) => server !== undefined && !process.env[server])
for (const { name, server } of missing) console.log(`Skipped: the set "${name}" needs a server in ${server}.`)
const sets = SETS.filter((set) => !missing.includes(set))
const first = await runSets(sets)
const again = await lookAgain(sets, first)
console.log(`\n== Summary (${minutes()})`)
const unrun = missing.map(({ name }) => name)
const { lines, failed } = summarize(first, again, { skip: !IS_CI, unrun })
console.log(lines.join('\n'))
process.exitCode = failed > 0 ? 1 : 0
