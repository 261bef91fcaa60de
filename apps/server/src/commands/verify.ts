import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'

type Run<Part extends keyof Operated> = (work: (app: Pick<Operated, Part>) => Promise<unknown>) => Promise<void>

/** `ledger …`: the books of all merchants. */
export function addLedgerCommands(ledger: Command, run: Run<'ledger'>): void {
  ledger
    .command('verify')
    .description(
      'sum all accounts, transfers and entries, also while the service runs; ends with 1 where they disagree',
    )
    .action(() => run(async ({ ledger }) => judged(await ledger.verify(), ({ problemCount }) => problemCount)))
}

/** `rows …`: what is stored of all merchants. */
export function addRowCommands(rows: Command, run: Run<'rows'>): void {
  rows
    .command('verify')
    .description(
      'look for rows that contradict themselves or name others that are not there, also while the service runs; ends with 1 where there are any',
    )
    .action(() => run(async ({ rows }) => judged(await rows.verify(), ({ contradictionCount }) => contradictionCount)))
}

/** The program ends with 1 where anything was found, so that a nightly job sees it. */
function judged<Report>(report: Report, foundIn: (report: Report) => number): Report {
  if (foundIn(report) > 0) process.exitCode = 1
  return report
}
