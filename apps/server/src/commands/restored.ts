import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import { eraseAgain, readErasures } from './erasures.ts'

type Run = (
  work: (app: Pick<Operated, 'restored' | 'customers' | 'walletErasure'>) => Promise<unknown>,
) => Promise<void>

interface OpenOptions {
  erased?: string
  force?: boolean
}

/** `restored …`: the door that a restore has closed. */
export function addRestoredCommands(restored: Command, run: Run): void {
  restored
    .command('show')
    .description('what the network says of what a backup has brought back, and what is still to be asked')
    .action(() => run(({ restored }) => restored.show()))
  restored
    .command('open')
    .description('let callers in, when the network has been asked about everything')
    .option('--erased <FILE>', 'erase these customers again first: the list that customer erase --list keeps')
    .option('--force', 'open although the network has not answered about everything')
    .action(({ erased, force = false }: OpenOptions) =>
      run(async ({ restored, ...app }) => {
        const list = erased === undefined ? [] : await readErasures(erased)
        await restored.check({ force })
        const again = await eraseAgain(app, list)
        return { ...(await restored.open({ force })), customers: again }
      }),
    )
  restored
    .command('agents')
    .description('let agents in, when those that had ended before the restore are revoked again')
    .action(() => run(({ restored }) => restored.releaseAgents()))
}
