#!/usr/bin/env node
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addDeveloperCommands } from './commands.ts'
import { exitCodeOf } from './failure.ts'
import { runWords } from './parser.ts'
import { printable } from './printable.ts'

// The program as it is installed by itself. The program of the service has these commands, too.

const program = new Command('mintmark').usage('<command>').version(manifest.version, '--version', 'print the version')
addDeveloperCommands(program)
const words = process.argv.slice(2)
try {
  await runWords(program, words.length === 0 ? ['--help'] : words)
} catch (error) {
  process.stderr.write(`${printable(`mintmark: ${error instanceof Error ? error.message : String(error)}`)}\n`)
  process.exitCode = exitCodeOf(error)
}
