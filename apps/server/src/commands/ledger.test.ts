// Guarantee: `ledger verify` ends with 1 where the books disagree, so that a nightly job sees it, and with 0 where they
// do not.
import { Command } from 'commander'
import { afterEach, expect, test } from 'vitest'
import type { Report } from '../ledger/service.ts'
import { addLedgerCommands } from './ledger.ts'

const IN_ORDER: Report = {
  ...{ merchants: 1, accounts: 2, transfers: 1, entries: 2 },
  ...{ balances: {}, problemCount: 0, problems: [] },
}

const before = process.exitCode
afterEach(() => {
  process.exitCode = before
})

async function verify(report: Report) {
  const said: unknown[] = []
  const program = new Command('mintmark')
  addLedgerCommands(program.command('ledger'), async (work) => {
    said.push(await work({ ledger: { verify: async () => report } }))
  })
  await program.parseAsync(['ledger', 'verify'], { from: 'user' })
  return { said, code: process.exitCode }
}

test('books in order', async () => {
  expect(await verify(IN_ORDER)).toEqual({ said: [IN_ORDER], code: before })
})

test('books that disagree', async () => {
  const problems = [{ merchantId: 'ma_1', where: 'account 1', what: 'has 2, and its entries sum to 1' }]
  const report = { ...IN_ORDER, problemCount: 1, problems }
  expect(await verify(report)).toEqual({ said: [report], code: 1 })
})
