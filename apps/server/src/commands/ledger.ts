import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'

type Run = (work: (app: Pick<Operated, 'ledger'>) => Promise<unknown>) => Promise<void>

/** `ledger …`: the books of all merchants. */
export function addLedgerCommands(ledger: Command, run: Run): void {
  ledger
    .command('verify')
    .description(
      'sum all accounts, transfers and entries, also while the service runs; ends with 1 where they disagree',
    )
    .action(() =>
      run(async ({ ledger }) => {
        const report = await ledger.verify()
        if (report.problemCount > 0) process.exitCode = 1
        return report
      }),
    )
}
