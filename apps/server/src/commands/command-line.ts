import { addDeveloperCommands } from '@mintmark/cli'
import { runWords } from '@mintmark/cli/parser'
import { Command } from 'commander'
import type { Config } from '../config.ts'
import { VERSION } from '../platform/version.ts'
import { addAdminCommands } from './admin.ts'
import type { Role } from './run.ts'
import { needed } from './usage.ts'

interface CommandLineDeps {
  loadConfig(): Promise<Config>
  runUntilStopped(role: Role): Promise<void>
}

/** Runs the command that the words name. Each command imports what it needs when it runs, so that help is fast. */
export async function runCommandLine(given: string[], deps: CommandLineDeps): Promise<void> {
  await runWords(buildProgram(deps), given)
}

function buildProgram({ loadConfig, runUntilStopped }: CommandLineDeps): Command {
  const program = new Command('mintmark').usage('<command>').version(VERSION, '--version', 'print the version')
  const addRole = (role: Role, description: string) =>
    program
      .command(role)
      .description(description)
      .action(() => runUntilStopped(role))
  addRole('all', 'everything in one process (the default)')
  addRole('serve', 'the HTTP hosts only')
  addRole('worker', 'the background work only; any number of processes')
  program
    .command('migrate')
    .description("bring the database's schema up to date, and end")
    .action(async () => {
      const { runMigrate } = await import('./migrate.ts')
      await runMigrate(await loadConfig())
    })
  addBackupCommands(program, loadConfig)
  addAdminCommands(program, loadConfig)
  addDeveloperCommands(program)
  return program
}

interface FileOptions {
  to?: string
  from?: string
  keysTo?: string
  keysFrom?: string
  passphraseFile?: string
}

function addBackupCommands(program: Command, loadConfig: () => Promise<Config>): void {
  const passphrase = ['--passphrase-file <file>', 'a file with the passphrase of the keys'] as const
  program
    .command('backup')
    .description('write the embedded database to an encrypted file, also while the service runs')
    .option('--to <file>', 'the file to make; required')
    .option('--keys-to <file>', 'another file to make, with the keys under a passphrase')
    .option(...passphrase)
    .action(async ({ to, keysTo, passphraseFile }: FileOptions) => {
      const keys =
        keysTo === undefined ? null : { to: keysTo, passphraseFile: needed(passphraseFile, '--passphrase-file') }
      const options = { to: needed(to, '--to'), keys }
      const { runBackup } = await import('./backup.ts')
      await runBackup(await loadConfig(), options)
    })
  program
    .command('restore')
    .description('make a home from a backup')
    .option('--from <file>', 'the backup; required')
    .option('--keys-from <file>', 'the file with the keys; without it ROOT_KEY_FILE is used')
    .option(...passphrase)
    .action(async ({ from, keysFrom, passphraseFile }: FileOptions) => {
      const keys =
        keysFrom === undefined ? null : { from: keysFrom, passphraseFile: needed(passphraseFile, '--passphrase-file') }
      const options = { from: needed(from, '--from'), keys }
      const { runRestore } = await import('./restore.ts')
      await runRestore(await loadConfig(), options)
    })
}
