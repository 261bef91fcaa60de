import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'

type Run = (work: (app: Pick<Operated, 'receipts'>) => Promise<unknown>) => Promise<void>

/** `receipt …`: the key that signs what owners and their agents did. */
export function addReceiptOperatorCommands(receipt: Command, run: Run): void {
  receipt
    .command('rotate-key')
    .description('sign receipts with another key from now on; the former stays published')
    .action(() =>
      run(async ({ receipts }) => {
        const { id } = await receipts.rotateKey()
        return { key_id: id }
      }),
    )
}
