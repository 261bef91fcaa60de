import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'

type Run = (work: (app: Pick<Operated, 'rows'>) => Promise<unknown>) => Promise<void>

/** `rows …`: what is stored of all merchants. */
export function addRowCommands(rows: Command, run: Run): void {
  rows
    .command('verify')
    .description(
      'look for rows that contradict themselves or name others that are not there, also while the service runs; ends with 1 where there are any',
    )
    .action(() =>
      run(async ({ rows }) => {
        const report = await rows.verify()
        if (report.contradictionCount > 0) process.exitCode = 1
        return report
      }),
    )
}
