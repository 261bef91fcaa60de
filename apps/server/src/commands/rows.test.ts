// Guarantee: `rows verify` ends with 1 where a row contradicts itself, so that a nightly job sees it, and with 0 where none does.
import { Command } from 'commander'
import { afterEach, expect, test } from 'vitest'
import type { Report } from '../rows/service.ts'
import { addRowCommands } from './rows.ts'

const before = process.exitCode
afterEach(() => {
  process.exitCode = before
})

async function verify(report: Report) {
  const said: unknown[] = []
  const program = new Command('mintmark')
  addRowCommands(program.command('rows'), async (work) => {
    said.push(await work({ rows: { verify: async () => report } }))
  })
  await program.parseAsync(['rows', 'verify'], { from: 'user' })
  return { said, code: process.exitCode }
}

const contradiction = {
  table: 'charges',
  merchantId: 'ma_1',
  row: 'txn_1',
  rule: 'amount_minor',
  what: 'not so: amount_minor > 0',
}

test.each<[string, Report, typeof before | 1]>([
  ['none', { rows: { charges: 2 }, contradictionCount: 0, counts: {}, contradictions: [] }, before],
  [
    'one',
    {
      rows: { charges: 2 },
      contradictionCount: 1,
      counts: { 'charges.amount_minor': 1 },
      contradictions: [contradiction],
    },
    1,
  ],
])('%s', async (_, report, code) => {
  expect(await verify(report)).toEqual({ said: [report], code })
})
