import { originMatches } from '@mintmark/contract'
import { single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { bound } from '../platform/bound.ts'
import { notFound } from '../platform/errors.ts'
import { newMerchantId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { keyLabel } from './api-keys.ts'
import { createKeyAuthentication, type KeyAuthentication } from './authentication.ts'
import { findLogo, setBrand } from './brand.ts'
import { demoMerchant, operatorMerchant } from './demo.ts'
import { accountSuspended, merchantLookupFailed } from './errors.ts'
import * as issue from './issue.ts'
import { createKeyUses, keepKeyUses } from './key-uses.ts'
import { untouchedOrigins } from './origins.ts'
import { RecentAnswers } from './recent-answers.ts'
import { checkCardRules, checkSettings, type MerchantAccount, type MerchantSettings, patternsFor } from './rules.ts'
import * as store from './store.ts'

export { newWebhookSecret } from './api-keys.ts'
export type { MerchantCaller } from './authentication.ts'
export { type BrandChanges, logoPath } from './brand.ts'
export type { MerchantSecrets } from './issue.ts'
export { untouchedOrigins } from './origins.ts'
export type { Merchant } from './rules.ts'

export type NewMerchant = Omit<MerchantSettings, 'status'>

/** A key in a list: its public beginning instead of the key. */
interface ListedKey extends store.ApiKey {
  label: string
}

interface Deps extends issue.MerchantDeps {
  authentication: KeyAuthentication
}

/** Accounts, their keys, and the authentication of callers. */
export function createMerchantService(given: issue.MerchantDeps) {
  const { pool, apiKeysKey, seals, environment, monotonicMillis = () => performance.now() } = given
  const uses = createKeyUses(given)
  const authentication = createKeyAuthentication({ pool, apiKeysKey, seals, environment, uses, monotonicMillis })
  const useCases = bound(
    { ...given, authentication },
    {
      createMerchant,
      updateMerchant,
      setCardRules,
      setBrand,
      findLogo,
      listMerchants,
      listActiveIds,
      findMerchant,
      hasOrigin,
      createKey: issue.createKey,
      revokeKey,
      listKeys,
      addKeys: issue.addKeys,
      getWebhookSecret: issue.getWebhookSecret,
      prepareWebhookSecret: issue.prepareWebhookSecret,
      replaceWebhookSecret: issue.replaceWebhookSecret,
      sealedSecrets: issue.sealedSecrets,
      ensureDemoMerchant,
      ensureOperatorMerchant,
    },
  )
  const { authenticateKey, resolveKey } = authentication
  const isKnownOrigin = createOriginCheck(given, monotonicMillis)
  /** Where the demo account is, made or not. */
  const demoMerchantId = demoMerchant(apiKeysKey).id
  return {
    ...useCases,
    authenticateKey,
    resolveKey,
    isKnownOrigin,
    demoMerchantId,
    /** Where the operator's own account is, made or not. */
    operatorMerchantId: operatorMerchant(apiKeysKey).id,
    keepKeyUses: (log: Log) => keepKeyUses(uses, log),
  }
}
export type MerchantService = ReturnType<typeof createMerchantService>

export async function createMerchant(deps: Deps, settings: NewMerchant): Promise<issue.MerchantSecrets> {
  const made = await issue.addMerchant(deps, { id: newMerchantId(), status: 'active', ...settings })
  if (made === undefined) throw new Error('A new merchant id was already taken.')
  return made
}

/** Ids of active accounts, a page of them, in their order. */
export async function listActiveIds({ pool }: Pick<Deps, 'pool'>, after: string, limit: number): Promise<string[]> {
  return (await store.listActiveIds(pool, { after, limit })).map(({ id }) => id)
}

/** `NOT_FOUND` for no such merchant. */
export async function updateMerchant(
  deps: Deps,
  merchantId: string,
  changes: Partial<MerchantSettings>,
): Promise<MerchantAccount> {
  checkSettings(changes, deps.environment)
  await issue.updateMerchant(deps, merchantId, changes)
  const updated = await findMerchant(deps, merchantId)
  if (updated === undefined) throw notFound()
  return updated
}

/** Which cards a merchant accepts from now on, in place of the rules before. Null: any. `NOT_FOUND` for no such merchant. */
export async function setCardRules(
  deps: Deps,
  merchantId: string,
  rules: Record<'countries' | 'issuers', readonly string[] | null>,
): Promise<MerchantAccount> {
  checkCardRules(rules)
  await single(deps, { name: 'merchants.set_card_rules', silent: 'operator' }, ({ on }) =>
    store.updateCardRules(on, { merchantId, ...rules }),
  )
  const updated = await findMerchant(deps, merchantId)
  if (updated === undefined) throw notFound()
  return updated
}

export async function listMerchants(deps: Deps): Promise<MerchantAccount[]> {
  return (await store.listMerchants(deps.pool)).map((row) => toMerchant(deps, row))
}

export async function findMerchant(deps: Deps, merchantId: string): Promise<MerchantAccount | undefined> {
  const found = await store.findMerchant(deps.pool, { merchantId })
  return found === undefined ? undefined : toMerchant(deps, found)
}

/**
 * For a change of the wallet API, in its transaction: `OPERATION_NOT_ALLOWED` while the account is suspended. A suspension at the same
 * moment comes before or after.
 */
export async function checkMayChange(on: Queryable, merchantId: string): Promise<void> {
  if (!(await isActive(on, merchantId))) throw accountSuspended()
}

/**
 * The same for what a key of the main API asks for: `MERCHANT_LOOKUP_ERROR`, so that a stolen key, for which the account may have been
 * suspended, makes nothing that outlives it.
 */
export async function checkActive(on: Queryable, merchantId: string): Promise<void> {
  if (!(await isActive(on, merchantId))) throw merchantLookupFailed()
}

/** Whether the account is there and not suspended. */
export async function isActive(on: Queryable, merchantId: string): Promise<boolean> {
  return (await store.findStatus(on, { merchantId }))?.status === 'active'
}

/** Whether a page of this origin is the merchant's. A request without an origin comes from no page. */
export async function hasOrigin(
  deps: Deps,
  { merchantId }: { merchantId: string },
  origin: string | undefined,
): Promise<boolean> {
  if (origin === undefined) return false
  const merchant = await findMerchant(deps, merchantId)
  return merchant?.allowedOrigins.some((pattern) => originMatches(origin, pattern)) === true
}

/** As long as the answers to keys: a page that is not allowed any more is refused within a second. */
const ORIGIN_AGE_MILLIS = 500
const MAX_REMEMBERED = 1_000

/**
 * Whether pages of this origin may call at all: a browser asks before it sends the key that says whose page it is. Remembered
 * for a moment, because everyone may ask.
 */
function createOriginCheck(deps: Pick<Deps, 'pool' | 'seals'>, monotonicMillis: () => number) {
  const answers = new RecentAnswers<boolean>({
    maxAgeMillis: ORIGIN_AGE_MILLIS,
    maxEntries: MAX_REMEMBERED,
    monotonicMillis,
  })
  return async (origin: string): Promise<boolean> => {
    const patterns = patternsFor(origin)
    if (patterns.length === 0) return false
    return answers.ask(origin, () => isOriginOfAny(deps, patterns))
  }
}

/** One that is untouched is enough. Where all of these were edited outside the program, pages are told less, and the editor gains nothing. */
const ORIGIN_OWNERS = 10

async function isOriginOfAny(deps: Pick<Deps, 'pool' | 'seals'>, patterns: readonly string[]): Promise<boolean> {
  const owners = await store.listWithOrigin(deps.pool, { patterns, limit: ORIGIN_OWNERS })
  return owners.some((owner) => untouchedOrigins(deps, owner).length > 0)
}

/** An allowance is a safe integer (`checkSettings`), so a number holds it. */
function toMerchant(deps: Pick<Deps, 'seals'>, row: store.MerchantRow): MerchantAccount {
  const { sessionAllowance, originsSeal, ...account } = row
  const allowedOrigins = untouchedOrigins(deps, { ...account, merchantId: row.id, originsSeal })
  return { ...account, allowedOrigins, sessionAllowance: sessionAllowance === null ? null : Number(sessionAllowance) }
}

/** By the id part. Refused immediately by this node, within a second by every other. `NOT_FOUND` for no such key. */
export async function revokeKey(deps: Deps, keyId: string): Promise<ListedKey> {
  const revoked = await issue.revokeKey(deps, keyId)
  deps.authentication.forgetAll()
  if (revoked === undefined) throw notFound()
  return toListed(deps, revoked)
}

/** `NOT_FOUND` for no such merchant. */
export async function listKeys(deps: Deps, merchantId: string): Promise<ListedKey[]> {
  if ((await findMerchant(deps, merchantId)) === undefined) throw notFound()
  return (await store.listKeys(deps.pool, { merchantId })).map((key) => toListed(deps, key))
}

function toListed({ environment }: Deps, key: store.ApiKey): ListedKey {
  return { ...key, label: keyLabel(key.kind, environment, key.id) }
}

/** Makes the operator's own account, unless it is there. Its keys are never shown. */
async function ensureOperatorMerchant(deps: Deps): Promise<void> {
  const account = operatorMerchant(deps.apiKeysKey)
  if ((await store.findMerchant(deps.pool, { merchantId: account.id })) === undefined)
    await issue.addMerchant(deps, account)
}

/** The demo account's secrets when this call made it, undefined when it was there. Sandbox only. */
export async function ensureDemoMerchant(deps: Deps): Promise<issue.MerchantSecrets | undefined> {
  if (deps.environment !== 'sandbox') throw new Error('The demo merchant exists in the sandbox only.')
  return issue.addMerchant(deps, demoMerchant(deps.apiKeysKey))
}
