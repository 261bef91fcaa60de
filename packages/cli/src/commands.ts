import { EVENT_TYPES } from '@mintmark/node'
import { type Command, InvalidArgumentError } from 'commander'
import { addAgentCommands } from './agent/commands.ts'
import { TRIGGERS } from './journeys.ts'

// The commands of developers. They know the API and nothing of the service behind it: no database, no settings.

const ENVIRONMENT = `
Environment:
  MINTMARK_SECRET_KEY      the secret key, sk_test_…; without it that of dev.json in MINTMARK_HOME (.mintmark)
  MINTMARK_API_URL         where the main API is; without it as dev.json says
  MINTMARK_WEBHOOK_SECRET  whsec_… to sign with; without it one that is made from the key
  NO_COLOR                 no colours`

const EXIT_CODES = `
Exit codes: 0 done, or stopped with Ctrl-C; 1 it could not be done, and why is said.`

interface ListenWords {
  forwardTo?: URL
  events?: string[]
  since?: Date
  cursor?: string
  json?: true
}

const JSON_LINES = ['--json', 'answer JSON on standard output, a line each; words go to standard error'] as const

/** Adds `listen`, `trigger`, `agent-kit` and the commands of an agent. What they need is imported when they run. */
export function addDeveloperCommands(program: Command): void {
  program
    .command('listen')
    .description('show the events of a sandbox as they happen, and forward them, signed, to a URL')
    .option('--forward-to <url>', 'where to send each event, as a webhook would be; often http://localhost:…', url)
    .option('--events <kinds>', 'only these, separated by commas; payment.* means all that begin so', kinds)
    .option('--since <time>', 'begin with what happened then: 10m, 2h, 1d or 2026-11-22T10:00:00Z', time)
    .option('--cursor <cursor>', 'begin behind a cursor of the feed; 0 is the oldest event')
    .option(...JSON_LINES)
    .addHelpText('after', ENVIRONMENT + EXIT_CODES)
    .action(async ({ forwardTo, events = [...EVENT_TYPES], since, cursor, json }: ListenWords) => {
      const { listen } = await import('./listen.ts')
      const { untilInterrupted } = await import('./terminal.ts')
      await untilInterrupted(
        (terminal) => listen({ forwardTo, kinds: new Set(events), since, cursor }, terminal),
        json ? { json } : {},
      )
    })
  program
    .command('trigger')
    .description('make an event really happen in a sandbox, through the API')
    .argument('<event>', 'the kind, for example payment.succeeded', kind)
    .option(...JSON_LINES)
    .addHelpText('after', `${triggerHelp()}\n${ENVIRONMENT}${EXIT_CODES}`)
    .action(async (type: keyof typeof TRIGGERS, { json }: { json?: true }) => {
      const { trigger } = await import('./trigger.ts')
      const { untilInterrupted } = await import('./terminal.ts')
      await untilInterrupted((terminal) => trigger(type, terminal), json ? { json } : {})
    })
  addAgentKit(program)
  addAgentCommands(program)
}

function addAgentKit(program: Command): void {
  program
    .command('agent-kit')
    .description('send a server every request that an agent may sign, and those that it must refuse')
    .option('--url <url>', 'the server; without it the sandbox here, with an agent that is linked for it', serverUrl)
    .option(
      '--key-file <FILE>',
      'the private key of an agent that the server knows: Ed25519, PEM, yours alone (0600), no link',
    )
    .option('--key-id <ID>', 'the id of that agent, or the thumbprint of its key')
    .option('--read <target>', 'what the agent may read; /v1/agents/me')
    .option('--write <target>', 'what it may send; /v1/agents/me/keys')
    .option(...JSON_LINES)
    .option('--body <json>', 'what is sent there, and best refused once it is known who asks; {}')
    .addHelpText('after', `\nNothing else may use the agent meanwhile.\n${ENVIRONMENT}${EXIT_CODES}`)
    .action(async ({ json, ...words }: Parameters<typeof import('./agent-kit.ts').agentKit>[0] & { json?: true }) => {
      const { agentKit } = await import('./agent-kit.ts')
      const { untilInterrupted } = await import('./terminal.ts')
      await untilInterrupted((terminal) => agentKit(words, terminal), json ? { json } : {})
    })
}

function triggerHelp(): string {
  const [can, cannot] = [[] as string[], [] as string[]]
  for (const type of EVENT_TYPES) (typeof TRIGGERS[type] === 'string' ? cannot : can).push(type)
  return [
    '\nCan be triggered:',
    ...can.map(indented),
    '\nCannot, and the command says why:',
    ...cannot.map(indented),
  ].join('\n')
}

const indented = (text: string) => `  ${text}`

function url(text: string): URL {
  const parsed = httpUrl(text)
  if (parsed === undefined)
    throw new InvalidArgumentError('--forward-to must be a URL that begins with http:// or https://')
  if (parsed.username !== '' || parsed.password !== '')
    throw new InvalidArgumentError(
      '--forward-to must not hold a name and a password: other users of the machine could read them',
    )
  return parsed
}

function serverUrl(text: string): URL {
  const parsed = httpUrl(text)
  if (parsed !== undefined) return parsed
  throw new InvalidArgumentError('--url must be a URL that begins with http:// or https://')
}

function httpUrl(text: string): URL | undefined {
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) ? parsed : undefined
}

function kinds(text: string): string[] {
  return text.split(',').flatMap((part) => {
    const word = part.trim()
    const found = EVENT_TYPES.filter((type) =>
      word.endsWith('*') ? type.startsWith(word.slice(0, -1)) : type === word,
    )
    if (found.length === 0) throw new InvalidArgumentError(`there is no event "${word}". ${ALL_KINDS}`)
    return found
  })
}

function kind(text: string): string {
  if (Object.hasOwn(TRIGGERS, text)) return text
  throw new InvalidArgumentError(`there is no event "${text}". ${ALL_KINDS}`)
}

const ALL_KINDS = `There are: ${EVENT_TYPES.join(', ')}`

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

function time(text: string): Date {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return new Date(Date.now() - Number(count) * (UNIT_SECONDS[unit] ?? 0) * 1000)
  const at = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('--since must be like 10m, 2h, 1d or 2026-11-22T10:00:00Z')
  return at
}
