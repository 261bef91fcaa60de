import type { Command, CommanderError } from 'commander'
import { printable } from './printable.ts'
import { UsageError } from './usage.ts'

/**
 * Runs the command that the words name. What is wrong with them is said with how the command is used, and to a program that asked for JSON
 * as every other error: here, for a command whose words are wrong has not begun, whichever it is.
 */
export async function runWords(program: Command, given: string[]): Promise<void> {
  // `help key create` is what many type for `key create --help`.
  const words = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  refuseInOurWords(program)
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof Shown) return
    if (!(error instanceof UsageError)) throw error
    if (asksForJson(words)) tellUsage(error)
    throw new Error(`${error.message}\n\n${commandOf(program, words).helpInformation().trimEnd()}`, { cause: error })
  }
}

/** Before anything was understood of the words. Behind `--` they are arguments. */
function asksForJson(words: string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).includes('--json')
}

function tellUsage({ code, message }: UsageError): void {
  process.stdout.write(`${printable(JSON.stringify({ error: { code, message } }))}\n`)
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
