import type { Command } from 'commander'

const EXIT_CODES = `
Nothing is asked of any server. Get the operator's keys once from /.well-known/jwks.json of their origin, and name them with --keys.

Exit codes: 0 nothing in the file was changed; what is not proven is said. 1 something was changed, or is not a receipt.`

/** Adds `receipt verify`. A program that has a `receipt` keeps its own verbs beside it. */
export function addReceiptCommands(program: Command): void {
  const receipt =
    program.commands.find((command) => command.name() === 'receipt') ??
    program.command('receipt').description('receipts of what owners and their agents did: verify')
  receipt
    .command('verify')
    .description('say what a file of receipts proves, and what it does not')
    .argument('<FILE>', 'receipts as they were downloaded, or compact JWS, one a line')
    .option('--keys <FILE>', 'the keys of the operator, a JWK set')
    .option('--json', 'answer JSON on standard output; words go to standard error')
    .addHelpText('after', EXIT_CODES)
    .action(async (file: string, { keys, json }: { keys?: string; json?: true }) => {
      const { verifyFile } = await import('./run.ts')
      const { untilInterrupted } = await import('../terminal.ts')
      await untilInterrupted((terminal) => verifyFile({ file, keys }, terminal), json ? { json } : {})
    })
}
