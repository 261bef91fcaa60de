import { readFile } from 'node:fs/promises'
import { printable, printableLine } from '@mintmark/cli/printable'
import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import type { Config } from '../config.ts'
import type { BrandChanges } from '../merchants/service.ts'
import { OPERATOR, type UserRef } from '../passkeys/ref.ts'
import { notFound, PublicError } from '../platform/errors.ts'
import { KeyProviderUnavailable } from '../platform/key-provider.ts'
import type { Log } from '../platform/log.ts'
import { addAgentCommands } from './agents.ts'
import { addBinCommands } from './bins.ts'
import { addCheckoutCommands } from './checkout.ts'
import { addContactCommands } from './contacts.ts'
import { addCustomerCommands } from './customers.ts'
import { addEventCommands } from './events.ts'
import { addKeyRingCommands } from './keys.ts'
import { toWireSecrets } from './merchant-secrets.ts'
import { addRestoredCommands } from './restored.ts'

import { addShopCommands } from './shops.ts'
import { addStoreCommands } from './store.ts'
import { among, collect, limit, needed, UsageError } from './usage.ts'
import { addLedgerCommands, addRowCommands } from './verify.ts'

interface MerchantOptions {
  name?: string
  origin?: string[]
  allowance?: number | null
  status?: 'active' | 'suspended'
  /** False: it is to be removed. */
  webhookUrl?: string | false
}

interface BrandOptions {
  /** Null: it is to be removed, as with every one of these. */
  logo?: string | false
  accent?: string | false
  accentDark?: string | false
  radius?: number | false
  scheme?: string | false
}

interface CardOptions {
  country?: string[]
  issuer?: string[]
  any?: boolean
}

type Work = (app: Operated) => Promise<unknown>

/**
 * Verbs that change something, besides those whose service writes a line itself: which keys there are, where cards and events go, and
 * which contacts are told, must be traceable to a moment.
 */
export const AUDITED: ReadonlySet<string> = new Set([
  ...['merchant create', 'merchant update', 'merchant cards', 'merchant brand', 'key create', 'key revoke'],
  ...['merchant contacts add', 'merchant contacts resend', 'merchant contacts remove'],
  ...[
    'shop add',
    'shop update',
    'shop disable',
    'store import',
    'bins import',
    'events restored',
    'restored open',
    'restored agents',
  ],
  ...['agent publish', 'agent unpublish'],
])

/** All operator verbs: they work on the same database as the service, also while it runs. */
export function addAdminCommands(program: Command, loadConfig: () => Promise<Config>): void {
  let verb: Command = program
  program.hook('preAction', (_program, command) => {
    verb = command
  })
  const run = async (work: Work) => {
    const { result, problem } = await withApp(await loadConfig(), work, verb)
    print(result)
    if (problem !== undefined) throw problem
  }
  addMerchantCommands(
    program.command('merchant').description('accounts: create, update, cards, brand, contacts, list'),
    run,
  )
  addKeyCommands(program.command('key').description('keys of a merchant: create, list, revoke'), run)
  addPasskeyCommands(program.command('passkey').description('passkeys of customers: reset, unflag'), run)
  addCustomerCommands(program.command('customer').description('customers: erase'), run)
  addAgentCommands(program.command('agent').description('agents of owners: list, revoke, publish, unpublish'), run)
  addBinCommands(program.command('bins').description('the table of card issuers: import'), run)
  addCheckoutCommands(program.command('checkout').description('purchases at shops: list, resolve'), run)
  addShopCommands(program.command('shop').description('shops to buy at: add, list, update, disable'), run)
  addStoreCommands(program.command('store').description('merchants of the wallet API: import'), run)
  addEventCommands(program.command('events').description('the feeds of events: parked, restored'), run)
  addRestoredCommands(
    program.command('restored').description('the door that a restore closes: show, open, agents'),
    run,
  )
  addRowCommands(program.command('rows').description('what is stored of payments and cards: verify'), run)
  addLedgerCommands(program.command('ledger').description('the books of wallets and shops: verify'), run)
  const keys = program.command('keys').description('key-encryption keys: list, add, rotate, rewrap, retire')
  addKeyRingCommands(keys, run)
}

type Run = (work: Work) => Promise<void>

function addMerchantCommands(merchant: Command, run: Run): void {
  merchant
    .command('create')
    .description('make an account; its keys are shown once')
    .option('--name <name>', 'the name of the shop; required')
    .option('--origin <origin>', 'an origin that may embed the page; may be repeated', collect)
    .option('--allowance <number>', 'how many sessions it may create, or unlimited (the default)', limit('--allowance'))
    .option(...WEBHOOK_URL)
    .action(({ name, origin = [], allowance = null, webhookUrl }: MerchantOptions) => {
      const merchant = {
        name: needed(name, '--name'),
        allowedOrigins: origin,
        networkProfile: 'simulator',
        sessionAllowance: allowance,
      }
      return run(async ({ merchants, accountUrls }) => {
        if (webhookUrl) accountUrls.check(webhookUrl)
        const secrets = await merchants.createMerchant(merchant)
        const shown = toWireSecrets(secrets)
        if (webhookUrl) {
          await accountUrls.set(secrets.merchantId, webhookUrl).catch(halfDone('The account was made', shown))
        }
        return shown
      })
    })
  merchant
    .command('update')
    .description('change an account; what is not named stays')
    .argument('<ID>', 'the merchant')
    .option('--name <name>', 'the name of the shop')
    .option(
      '--origin <origin>',
      'an origin that may embed the page, in place of all earlier ones; may be repeated',
      collect,
    )
    .option('--allowance <number>', 'how many more sessions it may create, or unlimited', limit('--allowance'))
    .option('--status <status>', 'active or suspended', among('--status', ['active', 'suspended']))
    .option(...WEBHOOK_URL)
    .option('--no-webhook-url', 'delete that endpoint')
    .action((id: string, options: MerchantOptions) => run((app) => updateMerchant(app, needed(id, 'ID'), options)))
  merchant
    .command('cards')
    .description('which cards it accepts, in place of the rules before; list shows them')
    .argument('<ID>', 'the merchant')
    .option('--country <country>', 'cards of this country, by two letters; may be repeated', collect)
    .option('--issuer <name>', 'cards of this issuer, by its name in the BIN table; may be repeated', collect)
    .option('--any', 'cards of any country and issuer')
    .action((id: string, { country = [], issuer = [], any = false }: CardOptions) => {
      const isLimited = country.length + issuer.length > 0
      // An operator who names nothing wants to see the rules, and must not lift them by that.
      if (!isLimited && !any) throw new UsageError('--country, --issuer or --any is missing')
      if (isLimited && any) throw new UsageError('--any goes with no other option')
      const rules = { countries: country.length > 0 ? country : null, issuers: issuer.length > 0 ? issuer : null }
      return run(({ merchants }) => merchants.setCardRules(needed(id, 'ID'), rules))
    })
  merchant
    .command('brand')
    .description('how its pages will look (not yet); what is not named stays, and without an option it is shown')
    .argument('<ID>', 'the merchant')
    .option('--logo <file>', 'a PNG of at most 128 KB and 1024 by 1024 pixels')
    .option('--accent <colour>', 'its colour on a light page, such as #0b6b55: 4.5:1 or more against white')
    .option('--accent-dark <colour>', 'its colour on a dark page: 4.5:1 or more against that')
    .option('--radius <pixels>', 'how round its corners are, 0 to 32', Number)
    .option('--scheme <scheme>', 'light, dark or auto')
    .option('--no-logo', 'without a logo')
    .option('--no-accent', 'the colour of the page')
    .option('--no-accent-dark', 'the colour of the page')
    .option('--no-radius', 'the corners of the page')
    .option('--no-scheme', 'light in a frame, and as the browser asks in a tab')
    .action((id: string, options: BrandOptions) =>
      run(async ({ merchants }) => merchants.setBrand(needed(id, 'ID'), await brandOf(options))),
    )
  merchant
    .command('list')
    .description('all accounts')
    .action(() => run(({ merchants }) => merchants.listMerchants()))
  addContactCommands(merchant.command('contacts').description('whom it is written to: add, resend, remove, list'), run)
}

/** What is named, and null for what goes. */
async function brandOf({ logo: file, ...looks }: BrandOptions): Promise<BrandChanges> {
  const logo = typeof file === 'string' ? await readFile(file) : file
  const named = Object.entries({ logo, ...looks }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(named.map(([name, value]) => [name, value === false ? null : value]))
}

const WEBHOOK_URL = [
  '--webhook-url <url>',
  'where its events are sent, signed with the webhook secret of the account; its owner verifies and enables it',
] as const

/** The URL is judged before anything is changed. */
async function updateMerchant({ merchants, accountUrls }: Operated, id: string, options: MerchantOptions) {
  const { webhookUrl } = options
  if (typeof webhookUrl === 'string') accountUrls.check(webhookUrl)
  const changes = changesOf(options)
  const updated = await merchants.updateMerchant(id, changes)
  const setUrl = async () => {
    if (typeof webhookUrl === 'string') await accountUrls.set(id, webhookUrl)
    if (webhookUrl === false) await accountUrls.remove(id)
  }
  if (Object.keys(changes).length === 0) await setUrl()
  else await setUrl().catch(halfDone('What else was named was changed', updated))
  return { ...updated, webhookUrl: await accountUrls.find(id) }
}

/** The first of a verb's two changes was made and the second was not. The first is shown and traced all the same: keys are shown once. */
class HalfDone extends Error {
  override readonly name = 'HalfDone'
  readonly result: unknown
  constructor(done: string, result: unknown, error: unknown) {
    const { message } = explained(error)
    super(`The webhook URL is as it was: ${message} ${done}.`, { cause: error })
    this.result = result
  }
}

const halfDone = (done: string, result: unknown) => (error: unknown) => {
  throw new HalfDone(done, result, error)
}

function changesOf({ name, origin, allowance, status }: MerchantOptions) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(origin === undefined ? {} : { allowedOrigins: origin }),
    ...(allowance === undefined ? {} : { sessionAllowance: allowance }),
    ...(status === undefined ? {} : { status }),
  }
}

const KEY_KINDS = ['secret', 'publishable', 'wallet'] as const
const ROLES = ['merchant', 'control-plane'] as const

interface KeyOptions {
  kind?: (typeof KEY_KINDS)[number]
  role?: (typeof ROLES)[number]
}

function addKeyCommands(key: Command, run: Run): void {
  key
    .command('create')
    .description('another key, shown once')
    .argument('<MERCHANT>', 'the merchant')
    .option('--kind <kind>', 'secret, publishable or wallet; required', among('--kind', KEY_KINDS))
    .option(
      '--role <role>',
      "of a secret key: merchant (the default), or control-plane for a dashboard, which then sees its users' mandates only",
      among('--role', ROLES),
    )
    .action((merchantId: string, { kind: given, role: named = 'merchant' }: KeyOptions) => {
      const role = named === 'control-plane' ? 'control_plane' : named
      const kind = role === 'merchant' ? needed(given, '--kind') : (given ?? 'secret')
      return run(async ({ merchants }) => {
        const created = await merchants.createKey(needed(merchantId, 'MERCHANT'), kind, role)
        return { key_id: created.keyId, key: created.key.reveal() }
      })
    })
  key
    .command('list')
    .description('keys, without their secrets')
    .argument('<MERCHANT>', 'the merchant')
    .action((merchantId: string) => run(({ merchants }) => merchants.listKeys(needed(merchantId, 'MERCHANT'))))
  key
    .command('revoke')
    .description('end a key: it is refused everywhere within a second')
    .argument('<KEY>', 'the key: its id, its label of the list, or all of it')
    .action((key: string) => run(({ merchants }) => merchants.revokeKey(keyIdIn(needed(key, 'KEY')))))
}

/** An operator who has found a key where none should be has all of it, and no time to count characters. */
function keyIdIn(text: string): string {
  return /^[a-z]{2}_[a-z]+_([0-9a-z]{16})/.exec(text.trim())?.[1] ?? text
}

function addPasskeyCommands(passkey: Command, run: Run): void {
  const verb = (name: string, description: string, work: (app: Operated, user: UserRef) => Promise<unknown>) =>
    passkey
      .command(name)
      .description(description)
      .argument('<MERCHANT>', 'the merchant')
      .argument('<USER_ID>', "the merchant's own name for the customer, as in user_id")
      .action((merchantId: string, userId: string) => {
        const user = { merchantId: needed(merchantId, 'MERCHANT'), userId: needed(userId, 'USER_ID') }
        return run((app) => work(app, user))
      })
  verb('reset', 'let a customer who lost their passkey make another one, for 24 hours', ({ recovery }, user) =>
    recovery.release(user, OPERATOR),
  )
  verb('unflag', 'let a passkey approve again whose counter went back', ({ recovery }, user) =>
    recovery.unflag(user, OPERATOR),
  )
}

interface Outcome {
  result: unknown
  /** What was not done of it. */
  problem?: HalfDone
}

async function outcomeOf(work: Promise<unknown>, verb: Command): Promise<Outcome> {
  try {
    return { result: await work }
  } catch (error) {
    if (error instanceof HalfDone) return { result: error.result, problem: error }
    const isUnnamed = error instanceof PublicError && error.code === notFound.code && error.message === notFound.text
    throw isUnnamed ? new Error(whatToCheck(verb), { cause: error }) : explained(error)
  }
}

/** Options that name what there has to be. */
const NAMING_OPTIONS: ReadonlySet<string> = new Set(['--merchant', '--transaction'])

/**
 * Callers of the API are told the same of what is not there and what is another's. Which of the words of a verb named nothing, its operator
 * has to know. The words themselves may be a person's name or a whole key, and are not said.
 */
function whatToCheck(verb: Command): string {
  const words = verb.registeredArguments.map((argument) => argument.name()).filter((name) => name !== 'FILE')
  const options = verb.options.map(({ long }) => long ?? '').filter((long) => NAMING_OPTIONS.has(long))
  return `There is nothing of this name. Check ${[...words, ...options].join(' and ')}.`
}

/** Opens the database for one piece of work. The imports are here because help needs none of them. */
async function withApp(config: Config, work: Work, verb: Command): Promise<Outcome> {
  const [{ createLog }, { findDatabase }, { openFoundation }] = await Promise.all([
    import('../platform/log.ts'),
    import('./database.ts'),
    import('./foundation.ts'),
  ])
  // Standard output is the verb's answer; audit lines and alarms go beside it.
  const log = createLog({ level: config.logLevel === 'silent' ? 'silent' : 'warn', destination: process.stderr })
  // A sandbox brings itself up to date. In production that is the services', or `migrate`'s: not that of a newer checkout beside them.
  const mayMigrate = config.environment !== 'production'
  const foundation = await openFoundation(config, log, { open: findDatabase, mayMigrate })
  try {
    const { composeOperated } = await import('../compose/operated.ts')
    const outcome = await outcomeOf(work(composeOperated(foundation)), verb)
    audit(log, verb, outcome.result)
    return outcome
  } finally {
    await foundation.close()
  }
}

/** The id of a thing is a prefix and what follows it; the id of a key has no prefix. */
const ID = /^(?:[a-z]+_)?[0-9a-z]{10,40}$/

/** What was done, and to what: the id that the verb names, or that of what it made. Never a name, an address or a secret. */
function audit(log: Log, verb: Command, result: unknown): void {
  const name = pathOf(verb).join(' ')
  if (!AUDITED.has(name)) return
  const { key_id, merchant_id, id } = Object(result) as Record<string, unknown>
  const { merchant } = verb.opts<{ merchant?: string }>()
  const found = [key_id, verb.args[0], merchant, merchant_id, id].find((one) => typeof one === 'string' && ID.test(one))
  const thing = found === undefined ? {} : { row_id: String(found) }
  log.warn('an operator made a change', { audit: name.replaceAll(' ', '_'), actor: OPERATOR, ...thing })
}

/** `merchant contacts add`. */
function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()]
}

/**
 * What is wrong with each field, which a response of the API would name beside the message; and of a key that cannot be used why, which
 * is nothing for callers and all that an operator can mend.
 */
function explained(error: unknown): Error {
  if (error instanceof PublicError && error.cause instanceof KeyProviderUnavailable) {
    return new Error(`A key-encryption key cannot be used. ${error.cause.message}`, { cause: error })
  }
  const details = error instanceof PublicError ? error.details : undefined
  if (details === undefined) return error instanceof Error ? error : new Error(String(error))
  // A field may be one of a file that the operator did not write.
  const problems = Object.entries(details).map(([field, problem]) => printableLine(`${field} ${problem}`))
  return new Error(problems.join('; '), { cause: error })
}

function print(value: unknown): void {
  console.log(printable(JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? Number(part) : part), 2)))
}
