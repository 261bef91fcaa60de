import { Command, type Option } from 'commander'

/** A SKILL.md. What the commands take is read from the commands themselves. */
export function skill(addCommands: (program: Command) => void): string {
  const program = new Command('mintmark')
  addCommands(program)
  return `${HEAD}\n## Commands\n\n${leaves(program).map(synopsis).join('\n')}\n${COMMON}\n${RULES}`
}

const HEAD = `---
name: mintmark
description: Pay by card within limits that a person approved. Use when a task needs a purchase and a person can link this agent.
---

# Paying with Mintmark

A person, your owner, links this agent once and says what it may spend. For each purchase, or each charge of a standing mandate, there
is a virtual card: good for that amount, at that shop, once. You never see the owner's real card.

## When to use it

- The task needs something paid by card, and the shop takes cards.
- Not for money between people, and not where a shop wants the card of a person kept on file.

## How it goes

1. \`mintmark agent status --json\`. Exit code 2: no owner has linked this agent. Run \`mintmark agent link --name NAME\`, show the
   address that it prints to the person, and wait until it ends.
2. \`mintmark agent limits --json\` says what you may spend, so that you need not find out by being refused.
3. One purchase: \`mintmark session create\`, with what is bought as \`--line\`. Show \`approval.sentence\` and \`payment_url\` to your
   owner exactly as they are. Then \`mintmark session status SESSION --wait\`, and \`mintmark session result SESSION --output-file FILE\`.
   Cut off before you had the answer? \`mintmark session list --json\` has the session with its \`payment_url\`: do not ask twice.
4. Again and again at one shop: \`mintmark mandate create\` once, then
   \`mintmark mandate charge MANDATE --amount AMOUNT --reference NAME --output-file FILE\`. Give every charge a reference of your own,
   such as the number of the order.
5. Give the file to the program that fills in the form of the shop. Delete it when that is done.
6. Always report what became of it: \`mintmark session report\` or \`mintmark mandate report\`, \`--outcome approved\` or
   \`--outcome declined\`. The card is erased then.
`

const COMMON = `
Each of them but \`agent skill\` takes \`--json\` (one JSON document on standard output: use it) and \`--home FOLDER\` (another agent
than the one in \`$XDG_CONFIG_HOME/mintmark\`). \`mintmark COMMAND --help\` explains every option.
`

const RULES = `## Exit codes

- 0: done.
- 1: declined, or an error; \`error.code\` and \`error.message\` say why. A refused charge is an answer with \`errorCode\`,
  \`errorMessage\` and \`details\` (which limit, what is left, when there will be more, whether your owner is asked): do not send it
  again with another reference or in parts.
- 2: not linked, or not confirmed. Your owner has not answered yet (a charge shows \`escalation.url\`: show it to them), or the
  outcome is not known. Send the same charge again, with the same \`--reference\`: it is made once.

## Never

- Never read the file of a card into your context, print it, log it, or send it anywhere but to the form of the shop.
- Never send a charge again under a new reference because the answer did not come: use the same one.
- Never split a purchase to stay below a limit, and never change the words of \`approval.sentence\`.
- Never approve for your owner, and never open \`payment_url\`, \`link_url\` or \`escalation.url\` yourself.
- Never read, copy or send the key file (\`agent.key\`).
`

const HIDDEN: ReadonlySet<string> = new Set(['--json', '--home'])

/** One line a command: how it is written, and what it is for. */
function synopsis(command: Command): string {
  const words = command.registeredArguments.map((argument) => argument.name())
  const options = command.options
    .filter(({ long }) => long !== null && long !== undefined && !HIDDEN.has(long))
    .map(written)
  return `- \`${[nameOf(command), ...words, ...options].join(' ')}\`: ${command.description()}`
}

function written({ flags, description, long }: Option): string {
  const again = long === '--line' ? '…' : ''
  return description.includes('required') ? `${flags}${again}` : `[${flags}]${again}`
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
}

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
}
