// Guarantee: no operator's verb that changes something is without a line in the log: a new one has to be put into one of these lists.
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { AUDITED, addAdminCommands } from './admin.ts'

const READS = [
  ...['merchant list', 'merchant contacts list', 'key list', 'checkout list', 'shop list', 'keys list'],
  ...['events parked', 'ledger verify', 'restored show', 'agent list', 'rows verify'],
]
/** Their service writes the line, whoever calls it. */
const WRITE_THEIR_OWN = [
  ...['passkey reset', 'passkey unflag', 'customer erase', 'checkout resolve', 'agent revoke'],
  ...['keys add', 'keys rotate', 'keys retire'],
]
/** Seals the same values anew, and can be begun again at any time. */
const CHANGES_NOTHING_THAT_IS_READ = ['keys rewrap']

function verbsOf(command: Command, path: string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')]
  return command.commands.flatMap((verb) => verbsOf(verb, [...path, verb.name()]))
}

test('every verb is audited, reads, or has a reason', () => {
  const program = new Command()
  addAdminCommands(program, () => Promise.reject(new Error('Nothing is run.')))
  const judged = [...AUDITED, ...READS, ...WRITE_THEIR_OWN, ...CHANGES_NOTHING_THAT_IS_READ]
  expect(judged.toSorted()).toEqual(verbsOf(program).toSorted())
})
