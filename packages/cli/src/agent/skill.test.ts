// Guarantee: the SKILL.md names each command and each option that there is, and none that there is not.
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addAgentCommands } from './commands.ts'
import { skill as skillOf } from './skill.ts'

const program = new Command('mintmark')
addAgentCommands(program)
const skill = () => skillOf(addAgentCommands)

/** Each command that does something, by its words. */
function leaves(command: Command, path: string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(' '), command]]
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]))
}

const COMMANDS = new Map(leaves(program))
const COMMON = ['--json', '--home']
const flagsOf = (command: Command | undefined) => (command?.options ?? []).map(({ long }) => long ?? '')
const flagsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag)

test('each command has its line, with all its options and no other', () => {
  const lines = [...skill().matchAll(/^- `mintmark ([a-z ]+?)(?: [A-Z].*?| [-[].*?)?`: .+$/gm)]
  expect(lines.map(([, name]) => name).sort()).toEqual([...COMMANDS.keys()].sort())
  for (const [line, name = ''] of lines) {
    const command = COMMANDS.get(name)
    const own = flagsOf(command).filter((flag) => !COMMON.includes(flag))
    expect([name, flagsIn(line).sort()]).toEqual([name, own.sort()])
    for (const argument of command?.registeredArguments ?? []) expect(line).toContain(` ${argument.name()}`)
  }
})

test('all but the skill itself take the common options', () => {
  for (const [name, command] of COMMANDS) {
    const common = flagsOf(command).filter((flag) => COMMON.includes(flag))
    expect([name, common]).toEqual([name, name === 'agent skill' ? [] : COMMON])
  }
})

test('what the text says in passing is a command with these options, too', () => {
  const spans = [...skill().matchAll(/`(mintmark [^`]+|--[^`]+)`/g)].map(([, span = '']) =>
    span.replaceAll(/\s+/g, ' '),
  )
  const all = new Set([...COMMANDS.values()].flatMap(flagsOf))
  expect(spans.length).toBeGreaterThan(25)
  for (const span of spans) {
    const name = [...COMMANDS.keys()].find((known) => `${span} `.startsWith(`mintmark ${known} `))
    const isCommand = span.startsWith('mintmark ') && !span.startsWith('mintmark COMMAND')
    expect([span, name !== undefined]).toEqual([span, isCommand])
    const known = new Set(isCommand ? flagsOf(COMMANDS.get(name ?? '')) : [...all, '--help'])
    expect([span, flagsIn(span).filter((flag) => !known.has(flag))]).toEqual([span, []])
  }
})

test('it begins as a SKILL.md does', () => {
  expect(skill()).toMatch(/^---\nname: mintmark\ndescription: [^\n]{40,200}\n---\n\n# /)
})
