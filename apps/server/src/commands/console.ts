import { CONSOLE_ROLES, type ConsoleRole } from '@mintmark/contract/console'
import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import { among, needed } from './usage.ts'

type Admin = Pick<Operated, 'consoleOperations' | 'mailDescription'>
type Run = (work: (app: Admin) => Promise<unknown>) => Promise<void>

interface Options {
  account?: string
  role?: ConsoleRole
}

/** `console …`: who looks after accounts. The first person of one comes in by this; they invite the others. */
export function addConsoleCommands(program: Command, run: Run): void {
  program
    .command('invite')
    .description('mail an address a link to look after an account, which opens once, for three days')
    .argument('<EMAIL>', 'the address')
    .option('--account <merchant>', 'the account; required')
    .option('--role <role>', `${CONSOLE_ROLES.join(', ')}; required`, among('--role', CONSOLE_ROLES))
    .action((email: string, { account, role }: Options) => {
      const invited = {
        email: needed(email, 'EMAIL'),
        accountId: needed(account, '--account'),
        role: needed(role, '--role'),
      }
      return run(async ({ consoleOperations, mailDescription }) => ({
        ...(await consoleOperations.invite(invited)),
        mail: mailDescription,
      }))
    })
  program
    .command('remove')
    .description('forget a person, at all accounts: one who has lost all passkeys is invited again then')
    .argument('<EMAIL>', 'the address')
    .action((email: string) => run(({ consoleOperations }) => consoleOperations.remove(needed(email, 'EMAIL'))))
}
