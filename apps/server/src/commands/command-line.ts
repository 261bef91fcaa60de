import { addDeveloperCommands } from '@mintmark/cli'
import { Command, type CommanderError } from 'commander'
import type { Config } from '../config.ts'
import { VERSION } from '../platform/version.ts'
import { addAdminCommands } from './admin.ts'
import type { Role } from './run.ts'
import { needed, UsageError } from './usage.ts'

interface CommandLineDeps {
  loadConfig(): Promise<Config>
  runUntilStopped(role: Role): Promise<void>
}

/** Runs the command that the words name. Each command imports what it needs when it runs, so that help is fast. */
export async function runCommandLine(given: string[], deps: CommandLineDeps): Promise<void> {
  const program = buildProgram(deps)
  // `help key create` is what many type for `key create --help`.
  const words = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof Shown) return
    if (!(error instanceof UsageError)) throw error
    throw new Error(`${error.message}\n\n${commandOf(program, words).helpInformation().trimEnd()}`, { cause: error })
  }
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
  refuseInOurWords(program)
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

const SHOWN = new Set(['commander.helpDisplayed', 'commander.version'])

/** Help or the version was asked for and printed: the end of the program, and no failure. */
class Shown extends Error {
  override readonly name = 'Shown'
}

/** Errors of the parser become `UsageError`; nothing ends the process or is printed behind our back. */
function refuseInOurWords(command: Command, path: string[] = []): void {
  command.helpCommand(false).configureOutput({ writeErr: () => undefined, outputError: () => undefined })
  command.exitOverride((error) => {
    if (SHOWN.has(error.code)) throw new Shown()
    throw new UsageError(wordsFor(error, path))
  })
  for (const child of command.commands) refuseInOurWords(child, [...path, child.name()])
}

function wordsFor(error: CommanderError, path: string[]): string {
  const [, named = ''] = /'(?:.*, )?([^\s']+)[^']*'/.exec(error.message) ?? []
  switch (error.code) {
    case 'commander.unknownCommand':
      return `there is no command "${[...path, named].join(' ')}"`
    case 'commander.unknownOption':
      return `Unknown option '${named}'`
    case 'commander.missingArgument':
      return `${named} is missing`
    case 'commander.optionMissingArgument':
      return `${named} needs a value`
    case 'commander.invalidArgument':
      // What is wrong with a value is said by its parser, which names the option.
      return error.message.replace(/^.* is invalid(?: for argument '[^']*')?\. /, '')
    case 'commander.help':
      return `${path.join(' ')} needs a command`
    default:
      return error.message.replace(/^error: /, '')
  }
}

/** The command that the first words name, as far as they name one. */
function commandOf(program: Command, words: string[]): Command {
  const [word, ...rest] = words
  const child = program.commands.find((command) => command.name() === word)
  return child === undefined ? program : commandOf(child, rest)
}
