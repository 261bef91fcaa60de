// Guarantee: a verb that verifies ends with 1 where something is wrong, so that a nightly job sees it, and with 0 where nothing is.
import { Command } from 'commander'
import { afterEach, expect, test } from 'vitest'
import type { Report as Books } from '../ledger/service.ts'
import type { Report as Rows } from '../rows/service.ts'
import { addLedgerCommands, addRowCommands } from './verify.ts'

const BOOKS: Books = {
  ...{ merchants: 1, accounts: 2, transfers: 1, entries: 2 },
  ...{ balances: {}, problemCount: 0, problems: [] },
}
const ROWS: Rows = { rows: { charges: 2 }, contradictionCount: 0, counts: {}, contradictions: [] }
const problem = { merchantId: 'ma_1', where: 'account 1', what: 'has 2, and its entries sum to 1' }
const contradiction = {
  ...{ table: 'charges', merchantId: 'ma_1', row: 'txn_1' },
  ...{ rule: 'amount_minor', what: 'not so: amount_minor > 0' },
}

const before = process.exitCode
afterEach(() => {
  process.exitCode = before
})

/** What the verb prints, and what the program ends with. */
async function said(add: (program: Command, print: (report: unknown) => void) => void) {
  const printed: unknown[] = []
  const program = new Command('mintmark')
  add(program.command('of'), (report) => printed.push(report))
  await program.parseAsync(['of', 'verify'], { from: 'user' })
  return { printed, code: process.exitCode }
}

test.each<[string, Books, typeof before | 1]>([
  ['in order', BOOKS, before],
  ['that disagree', { ...BOOKS, problemCount: 1, problems: [problem] }, 1],
])('books %s', async (_, report, code) => {
  const ledger = { verify: async () => report }
  expect(await said((of, print) => addLedgerCommands(of, async (work) => print(await work({ ledger }))))).toEqual({
    printed: [report],
    code,
  })
})

test.each<[string, Rows, typeof before | 1]>([
  ['in order', ROWS, before],
  [
    'that contradict themselves',
    { ...ROWS, contradictionCount: 1, counts: { 'charges.amount_minor': 1 }, contradictions: [contradiction] },
    1,
  ],
])('rows %s', async (_, report, code) => {
  const rows = { verify: async () => report }
  expect(await said((of, print) => addRowCommands(of, async (work) => print(await work({ rows }))))).toEqual({
    printed: [report],
    code,
  })
})
