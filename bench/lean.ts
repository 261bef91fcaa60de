import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Beside, startBeside } from './lean/beside.ts'
import { formatChange, formatRatios } from './lean/report.ts'
import { type Effort, measureTurns } from './lean/turns.ts'

// node bench/lean.ts              two minutes: the service beside the leanest program that does the same, and beside itself
// node bench/lean.ts --quick      some seconds: shows only that it works
// node bench/lean.ts --rounds 20  more pairs
// node bench/lean.ts --payments 300  more of a turn: less of what a program does that has just been waited for
// node bench/lean.ts --callers 1  one at a time, in place of sixteen
// node bench/lean.ts --json FILE  the numbers as JSON, too
// node bench/lean.ts --before FOLDER   another checkout of the service, with its packages installed, in place of the second copy: what has changed
//
// Processor time of Node.js and of PostgreSQL, of one whole payment and by request, and of a charge. All programs work in databases of
// their own on one server, and take turns. The ratio of each to the lean one is the median of the pairs of a round. Linux only.

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    callers: { type: 'string', default: '16' },
    rounds: { type: 'string' },
    payments: { type: 'string' },
    json: { type: 'string' },
    before: { type: 'string' },
  },
})
const EFFORT: Effort = options.quick
  ? { rounds: 1, mandates: 2, untimed: 16, payments: 16, charges: 32, atOnce: 8, restMillis: 0 }
  : {
      rounds: Number(options.rounds ?? 8),
      mandates: 40,
      untimed: 300,
      payments: Number(options.payments ?? 64),
      charges: 128,
      atOnce: Number(options.callers),
      restMillis: 11_000,
    }

const BEFORE = 'before'

const home = await mkdtemp(join(tmpdir(), 'mintmark-lean-'))
try {
  const loadBefore = loadavg()[0] ?? 0
  const BESIDE: Beside = {
    ...{ home, mandates: EFFORT.mandates },
    twin:
      options.before === undefined ? { name: 'service again' } : { name: BEFORE, checkout: resolve(options.before) },
  }
  const measured = await startBeside(BESIDE, (contenders) => measureTurns(contenders, EFFORT))
  const lines = [...formatRatios(measured), ...(options.before === undefined ? [] : formatChange(measured, BEFORE))]
  console.log([`Load ${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after.`, '', ...lines, ''].join('\n'))
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(measured, null, 2)}\n`)
} finally {
  await rm(home, { recursive: true, force: true })
}
