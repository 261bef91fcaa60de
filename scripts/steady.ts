import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { firstLine } from './test-run/summary.ts'
import { runVitest } from './test-run/vitest.ts'

// Runs one test file many times beside busy neighbours, and counts what failed.

const HELP = `scripts/steady [--runs 20] [--neighbours N] [--project NAME] FILE

Runs one test file so many times, with a neighbour on each processor that never rests, and shows what failed how often.
--project is needed where a file is in more than one (vitest.config.ts).`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '20' },
    neighbours: { type: 'string', default: String(availableParallelism()) },
    project: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
})
const [file] = positionals
if (values.help || file === undefined || positionals.length > 1) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}

const BUSY = 'for (;;);'
const neighbours = Array.from({ length: Number(values.neighbours) }, () => spawn(process.execPath, ['-e', BUSY]))
process.once('exit', () => {
  for (const one of neighbours) one.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const runs = Number(values.runs)
const failures = new Map<string, number>()
let red = 0
for (let run = 1; run <= runs; run += 1) {
  const begun = performance.now()
  const { report, exitCode } = await runVitest({ set: 'steady', projects: values.project, file, isSilent: true })
  const found = (report?.files ?? []).flatMap((one) => one.failures.map((it) => `${it.test}: ${firstLine(it.message)}`))
  found.push(...(report?.problems ?? ['vitest wrote no report']).map(firstLine))
  if (exitCode !== 0 && found.length === 0) found.push(`vitest ended with ${exitCode}`)
  if (found.length > 0) red += 1
  for (const line of found) failures.set(line, (failures.get(line) ?? 0) + 1)
  const passed = (report?.files ?? []).reduce((sum, one) => sum + one.passed, 0)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  console.log(`run ${run} of ${runs}: ${passed} passed, ${found.length} failed, ${seconds} s`)
}
console.log(`\n${file}: ${runs - red} of ${runs} runs were green.`)
for (const [line, times] of [...failures].sort((one, other) => other[1] - one[1])) {
  console.log(`${String(times).padStart(4)} times  ${line}`)
}
process.exit(red === 0 ? 0 : 1)
