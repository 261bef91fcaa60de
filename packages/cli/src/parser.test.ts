// Guarantee: a program that asks for JSON gets an error as JSON from every command, also where the words of the command are wrong; nothing
// else goes to standard output.
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addDeveloperCommands } from './commands.ts'
import { runWords } from './parser.ts'

let out: string[]
beforeEach(() => {
  out = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out.push(String(text))
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

function program(): Command {
  const made = new Command('mintmark')
  addDeveloperCommands(made)
  return made
}

/** What a person reads, and what a program does. */
async function told(words: string[]): Promise<{ said: string; answers: unknown[] }> {
  const failed = await runWords(program(), words).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failed instanceof Error)) throw new Error(`It did not fail: ${words.join(' ')}`)
  return { said: failed.message, answers: out.splice(0).map((line) => JSON.parse(line)) }
}

/** The words of every command that has none below it. */
function leaves(command: Command, path: string[] = []): string[][] {
  if (command.commands.length === 0) return [path]
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]))
}

test.each(leaves(program()))('%s %s %s: an option that there is not', async (...given) => {
  const path = given.filter((word) => word !== undefined)
  const error = { code: 'WRONG_USAGE', message: expect.stringMatching(/^Unknown option '--(?:json|nothing)'$/) }
  expect((await told([...path, '--json', '--nothing'])).answers).toEqual([{ error }])
  expect((await told([...path, '--nothing'])).answers).toEqual([])
})

describe('what else is wrong with the words', () => {
  test.each([
    [['nothing'], 'there is no command "nothing"'],
    [['agent', 'lonk'], 'there is no command "agent lonk"'],
    [['agent', 'link'], '--name is missing'],
    [['agent', 'link', '--name', 'Pantry', '--home', '/nowhere'], '--api-url is missing'],
    [['session', 'create'], '--amount is missing'],
    [['session', 'status'], 'SESSION is missing'],
    [['session', 'result', 'sess_1'], '--output-file is missing'],
    [['mandate', 'charge', 'mdt_1'], '--amount is missing'],
    [['mandate', 'list', '--limit', 'many'], '--limit must be a whole number from 1 to 500'],
    [['mandate', 'report', 'mdt_1', 'txn_1', '--outcome', 'maybe'], '--outcome must be approved or declined'],
    [['agent', 'keys', 'rotate', '--json', '--old-key-seconds'], 'needs a value'],
    [['listen', '--since', 'yesterday'], '--since must be like 10m, 2h, 1d or 2026-11-22T10:00:00Z'],
    [['trigger'], 'event is missing'],
    [['trigger', 'no.event'], 'there is no event "no.event"'],
  ])('%j', async (words, message) => {
    vi.stubEnv('MINTMARK_HOME', '/nowhere')
    vi.stubEnv('MINTMARK_API_URL', '')
    const { said, answers } = await told(words.includes('--json') ? words : [...words, '--json'])
    vi.unstubAllEnvs()
    expect(answers).toEqual([{ error: { code: 'WRONG_USAGE', message: expect.stringContaining(message) } }])
    expect(said).toContain(message)
  })

  test('behind -- there are no options', async () => {
    expect((await told(['session', 'status', 'sess_1', 'more', '--', '--json'])).answers).toEqual([])
  })
})
