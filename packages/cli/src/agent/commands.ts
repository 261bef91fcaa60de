import type { Command } from 'commander'
import { among, UsageError } from '../usage.ts'
import type { ChargeWords } from './charge.ts'
import type { LinkWords } from './link.ts'
import type { MandateWords } from './mandate.ts'
import type { OutcomeWords } from './outcome.ts'
import { collectLine, type PurchaseWords } from './purchase.ts'
import type { CommonWords } from './screen.ts'

// The commands of an agent. What they need is imported when they run.

const EXIT_CODES = `
Exit codes:
  0  done
  1  declined, or an error, and why is said
  2  not linked, or not confirmed: the owner has not answered, or nobody knows yet`

/** Adds `agent`, `session` and `mandate`. A program that has an `agent` keeps its own verbs beside these. */
export function addAgentCommands(program: Command): void {
  const agent = program.commands.find((command) => command.name() === 'agent') ?? program.command('agent')
  const own = agent.description()
  agent.description(own === '' ? AGENT : `${own}; ${AGENT}`)
  if (own !== '') agent.commandsGroup('An agent of this machine:')
  addLink(agent)
  addIdentity(agent)
  addSessions(
    program
      .command('session')
      .description('purchases that an agent asks its owner for: create, list, status, result, report'),
  )
  const verbs = 'create, list, show, charge, report, pause, resume, cancel'
  addMandates(program.command('mandate').description(`standing mandates of an agent: ${verbs}`))
}

const AGENT = 'an agent of this machine: link, status, limits, keys rotate, skill'

function verb(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'answer one JSON document on standard output')
    .option('--home <folder>', 'where the agent keeps its key and its state; else $XDG_CONFIG_HOME/mintmark')
    .addHelpText('after', EXIT_CODES)
}

function addLink(agent: Command): void {
  verb(agent, 'link', 'make a key, ask a person to own the agent, and wait for their answer')
    .option('--name <name>', 'what the owner reads; required for a new link')
    .option('--api-url <url>', 'where the main API is; else MINTMARK_API_URL, or the sandbox of this directory')
    .option('--platform <name>', 'where the agent runs')
    .option('--description <text>', 'what it does')
    .option('--no-wait', 'ask, and do not wait for the answer; the same command goes on with it')
    .action(async (words: LinkWords & CommonWords) => {
      const { link } = await import('./link.ts')
      await run(words, (screen) => link(words, screen))
    })
}

function addIdentity(agent: Command): void {
  verb(agent, 'status', 'who this agent is, whose, and what waits for its owner').action(async (words: CommonWords) => {
    const { status } = await import('./me.ts')
    await run(words, status)
  })
  verb(agent, 'limits', 'what the owner allows, what of it is left, and until when').action(
    async (words: CommonWords) => {
      const { limits } = await import('./me.ts')
      await run(words, limits)
    },
  )
  const keys = agent.command('keys').description('the key of this agent: rotate')
  verb(keys, 'rotate', 'change the key; a change that was cut off is finished')
    .option(
      '--old-key-seconds <number>',
      'how long the old key goes on, 0 to 86400; else a day',
      whole('--old-key-seconds', 0, 86_400),
    )
    .action(async (words: { oldKeySeconds?: number } & CommonWords) => {
      const { rotateKey } = await import('./rotate.ts')
      await run(words, (screen) => rotateKey(words, screen))
    })
  agent
    .command('skill')
    .description('print a SKILL.md: how a model uses these commands')
    .action(async () => {
      const { skill } = await import('./skill.ts')
      process.stdout.write(skill(addAgentCommands))
    })
}

function addSessions(session: Command): void {
  purchase(verb(session, 'create', 'ask the owner for one purchase'), 'what is to be paid, such as 40.00')
    .option(...WAIT)
    .action(async (words: PurchaseWords & { wait?: true } & CommonWords) => {
      const { createSession } = await import('./session.ts')
      await run(words, (screen) => createSession(words, screen))
    })
  verb(session, 'list', 'the sessions of this agent, newest first, with the addresses of those that wait')
    .option('--limit <number>', 'how many at most, 1 to 500', whole('--limit', 1, 500))
    .option('--cursor <cursor>', 'the next_cursor of the page before')
    .action(async ({ limit, cursor, ...words }: { limit?: number; cursor?: string } & CommonWords) => {
      const { listSessions } = await import('./session.ts')
      await run(words, (screen) => listSessions(pageOf(limit, cursor), screen))
    })
  verb(session, 'status', 'how a session stands')
    .argument('<SESSION>', 'the session')
    .option(...WAIT)
    .action(async (id: string, words: { wait?: true } & CommonWords) => {
      const { sessionStatus } = await import('./session.ts')
      await run(words, (screen) => sessionStatus(id, words, screen))
    })
  verb(session, 'result', 'write the card of an approved session to a file')
    .argument('<SESSION>', 'the session')
    .option(OUTPUT_FILE[0], `${OUTPUT_FILE[1]}; required`)
    .action(async (id: string, words: { outputFile?: string } & CommonWords) => {
      const { sessionResult } = await import('./session.ts')
      await run(words, (screen) => sessionResult(id, words, screen))
    })
  outcome(
    verb(session, 'report', 'say what became of a purchase; its card is erased').argument('<SESSION>', 'the session'),
  )
    .option('--txn-ref <id>', 'the txn_ref_id that is reported; else that of the session')
    .action(async (id: string, words: OutcomeWords & { txnRef?: string } & CommonWords) => {
      const { reportSession } = await import('./session.ts')
      await run(words, (screen) => reportSession(id, words, screen))
    })
}

function addMandates(mandate: Command): void {
  addMandateCreate(mandate)
  verb(mandate, 'list', 'the mandates of this agent, newest first')
    .option('--limit <number>', 'how many at most, 1 to 500', whole('--limit', 1, 500))
    .option('--cursor <cursor>', 'the next_cursor of the page before')
    .action(async ({ limit, cursor, ...words }: { limit?: number; cursor?: string } & CommonWords) => {
      const { listMandates } = await import('./mandate.ts')
      await run(words, (screen) => listMandates(pageOf(limit, cursor), screen))
    })
  verb(mandate, 'show', 'one mandate, with its charges')
    .argument('<MANDATE>', 'the mandate')
    .action(async (id: string, words: CommonWords) => {
      const { showMandate } = await import('./mandate.ts')
      await run(words, (screen) => showMandate(id, screen))
    })
  addCharge(mandate)
  for (const name of ['pause', 'resume', 'cancel'] as const) {
    verb(mandate, name, `${name} a mandate`)
      .argument('<MANDATE>', 'the mandate')
      .action(async (id: string, words: CommonWords) => {
        const { changeMandate } = await import('./mandate.ts')
        await run(words, (screen) => changeMandate(id, name, screen))
      })
  }
}

function addMandateCreate(mandate: Command): void {
  purchase(verb(mandate, 'create', 'ask the owner for a standing mandate'), 'the most of each window, such as 50.00')
    .option(
      '--frequency <word>',
      'how often the amount comes anew: one_time, weekly, monthly or yearly; required',
      among('--frequency', FREQUENCIES),
    )
    .option('--max-charges <number>', 'how many charges at most', whole('--max-charges', 1, 2_147_483_647))
    .option('--valid-until <time>', 'its end, such as 2027-01-31T00:00:00Z')
    .option('--any-merchant', 'at any shop, not only at the one that is named')
    .option('--adjustable', 'let the owner lower the amount or the end')
    .option(...WAIT)
    .action(async (words: MandateWords & CommonWords) => {
      const { createMandate } = await import('./mandate.ts')
      await run(words, (screen) => createMandate(words, screen))
    })
}

const FREQUENCIES = ['one_time', 'weekly', 'monthly', 'yearly'] as const

function addCharge(mandate: Command): void {
  verb(mandate, 'charge', 'charge a mandate once')
    .argument('<MANDATE>', 'the mandate')
    .option('--amount <amount>', 'how much, in the currency of the mandate; required')
    .option(
      '--reference <text>',
      'your own name of this charge: the same one again is the same charge; else one is made and told',
    )
    .option(...LINE)
    .option('--merchant-name <name>', 'the shop, where it is another than that of the mandate')
    .option('--merchant-url <url>', 'its address')
    .option('--merchant-country <code>', 'where it is, such as US')
    .option('--checkout-session <id>', 'yours at a shop that speaks ACP: its own token comes in place of a card')
    .option('--dry-run', 'only say whether it would pass')
    .option(...OUTPUT_FILE)
    .option(...WAIT)
    .action(async (id: string, words: ChargeWords & CommonWords) => {
      const { charge } = await import('./charge.ts')
      await run(words, (screen) => charge(id, words, screen))
    })
  outcome(verb(mandate, 'report', 'say what became of a charge; its card is erased'))
    .argument('<MANDATE>', 'the mandate')
    .argument('<TRANSACTION>', 'the transactionId of the charge')
    .action(async (id: string, transactionId: string, words: OutcomeWords & CommonWords) => {
      const { reportCharge } = await import('./mandate.ts')
      await run(words, (screen) => reportCharge(id, transactionId, words, screen))
    })
}

const WAIT = ['--wait', 'wait until the owner has answered'] as const
const OUTPUT_FILE = [
  '--output-file <file>',
  'a new file for the card, for its user alone (0600); a card goes nowhere else',
] as const
const LINE = ['--line <line>', 'what is bought, such as "2x 20.00 Green tea"; may be repeated', collectLine] as const

function purchase(command: Command, amount: string): Command {
  return command
    .option('--amount <amount>', `${amount}; required`)
    .option('--currency <code>', 'of all amounts, such as USD; required')
    .option('--merchant-name <name>', 'the shop, as the owner knows it; required')
    .option('--merchant-url <url>', 'its address: a card works there only; required')
    .option('--merchant-country <code>', 'where it is, such as US; required')
    .option('--line <line>', `${LINE[1]}; required`, collectLine)
}

function outcome(command: Command): Command {
  return command
    .option('--outcome <word>', 'approved or declined; required', among('--outcome', ['approved', 'declined']))
    .option('--authorization-code <code>', "the acquirer's authorization code")
    .option('--response-code <code>', "the acquirer's response code, such as 00")
    .option('--amount-paid <amount>', 'what was paid, where it was another amount')
}

async function run(words: CommonWords, work: Parameters<typeof import('./screen.ts')['onScreen']>[1]): Promise<void> {
  const { onScreen } = await import('./screen.ts')
  await onScreen(words, work)
}

const pageOf = (limit: number | undefined, cursor: string | undefined) => ({
  ...(limit === undefined ? {} : { limit }),
  ...(cursor === undefined ? {} : { cursor }),
})

const whole = (name: string, least: number, most: number) => (text: string) => {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : -1
  if (number >= least && number <= most) return number
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}`)
}
