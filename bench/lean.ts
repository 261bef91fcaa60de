import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBeside } from './lean/beside.ts'
import { formatRatios } from './lean/report.ts'
import { type Effort, measureTurns } from './lean/turns.ts'

// node bench/lean.ts              two minutes: the service beside the leanest program that does the same, and beside itself
// node bench/lean.ts --quick      some seconds: shows only that it works
// node bench/lean.ts --rounds 20  more pairs
// node bench/lean.ts --json FILE  the numbers as JSON, too
//
// Processor time of Node.js and of PostgreSQL, of one whole payment and by request, and of a charge. All programs work in databases of
// their own on one server, and take turns. The ratio of each to the lean one is the median of the pairs of a round. Linux only.

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' }, json: { type: 'string' } },
})
const EFFORT: Effort = options.quick
  ? { rounds: 1, mandates: 2, untimed: 16, payments: 16, charges: 32, atOnce: 8 }
  : { rounds: Number(options.rounds ?? 8), mandates: 40, untimed: 400, payments: 64, charges: 200, atOnce: 16 }

const home = await mkdtemp(join(tmpdir(), 'mintmark-lean-'))
try {
  const loadBefore = loadavg()[0] ?? 0
  const measured = await startBeside(home, EFFORT.mandates, (contenders) => measureTurns(contenders, EFFORT))
  const lines = formatRatios(measured)
  console.log([`Load ${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after.`, '', ...lines, ''].join('\n'))
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(measured, null, 2)}\n`)
} finally {
  await rm(home, { recursive: true, force: true })
}
