import { API_KEY_KINDS, type ApiKeyKind, type ApiKeyRole, type Environment } from '@mintmark/contract'
import { type CommandDeps, command, rollback, single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { autocommit } from '../db/transaction.ts'
import { fieldErrors, notFound } from '../platform/errors.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import { type CellRef, countOf, MAX_COUNTED, type SealedPlace, type Vault } from '../vault/service.ts'
import { hashNewKey, newKey, newWebhookSecret, sealedKey } from './api-keys.ts'
import { originsSeal } from './origins.ts'
import { checkSettings, type Merchant } from './rules.ts'
import * as store from './store.ts'

export interface MerchantDeps extends CommandDeps {
  apiKeysKey: Secret<Buffer>
  seals: RowSeals
  environment: Environment
  vault: Pick<Vault, 'sealText' | 'unsealText'>
  /** Milliseconds of a clock that is never set; for the age of remembered answers only. */
  monotonicMillis?: () => number
}

/** What an account is used with. Shown once: the keys are stored as hashes only. */
export interface MerchantSecrets {
  merchantId: string
  secretKey: Secret
  publishableKey: Secret
  walletApiKey: Secret
  webhookSecret: Secret
}

/**
 * Makes an account with its first keys; undefined when the id is taken. Seals before the transaction: the key provider
 * may be a network away.
 */
export async function addMerchant(deps: MerchantDeps, merchant: Merchant): Promise<MerchantSecrets | undefined> {
  checkSettings(merchant, deps.environment)
  const { sessionAllowance, ...account } = merchant
  const webhookSecret = newWebhookSecret()
  const { sealed, keyId } = await deps.vault.sealText(webhookSecretCell(merchant.id), webhookSecret)
  const seal = originsSeal(deps, { merchantId: merchant.id, ...account })
  const row = { ...account, originsSeal: seal, webhookSecretSealed: sealed, webhookSecretKeyId: keyId }
  const made = await command(deps, { name: 'merchants.add', silent: 'operator' }, async ({ tx, at }) => {
    if ((await store.insertMerchant(tx, { ...row, at })) === 0) return rollback
    await updateAllowance(tx, merchant.id, sessionAllowance)
    return issueKeys(deps, tx, merchant.id, webhookSecret, at)
  })
  return made ?? undefined
}

/** Changes only what is given; a given null is no profile, or an unlimited allowance. `NOT_FOUND` for no such merchant. */
export async function updateMerchant(
  deps: MerchantDeps,
  merchantId: string,
  { sessionAllowance, ...changes }: Partial<Omit<Merchant, 'id'>>,
): Promise<void> {
  const { name = null, status = null, allowedOrigins = null, networkProfile } = changes
  // A change of something else seals nothing: it would seal what an editor of the database made of the origins meanwhile.
  const seal = allowedOrigins === null ? null : originsSeal(deps, { merchantId, allowedOrigins })
  const values = { name, status, allowedOrigins, originsSeal: seal, networkProfile: networkProfile ?? null }
  const done = await command(deps, { name: 'merchants.update', silent: 'operator' }, async ({ tx }) => {
    const changesProfile = networkProfile !== undefined
    if ((await store.updateMerchant(tx, { ...values, changesProfile, merchantId })) === 0) return rollback
    if (sessionAllowance !== undefined) await updateAllowance(tx, merchantId, sessionAllowance)
    return true
  })
  if (done === null) throw notFound()
}

async function updateAllowance(tx: Queryable, merchantId: string, sessionAllowance: number | null): Promise<void> {
  if (sessionAllowance === null) await store.deleteAllowance(tx, { merchantId })
  else await store.upsertAllowance(tx, { merchantId, remaining: sessionAllowance })
}

async function issueKeys(
  deps: MerchantDeps,
  tx: Queryable,
  merchantId: string,
  webhookSecret: Secret,
  at: Date,
): Promise<MerchantSecrets> {
  const issue = async (kind: ApiKeyKind) => (await issueKey(deps, tx, { merchantId, kind, role: 'merchant' }, at)).key
  return {
    merchantId,
    secretKey: await issue('secret'),
    publishableKey: await issue('publishable'),
    walletApiKey: await issue('wallet'),
    webhookSecret,
  }
}

async function issueKey(
  deps: MerchantDeps,
  on: Queryable,
  use: { merchantId: string; kind: ApiKeyKind; role: ApiKeyRole },
  at: Date,
): Promise<{ keyId: string; key: Secret }> {
  const key = newKey(use.kind, deps.environment)
  const keyHash = hashNewKey(deps.apiKeysKey, key)
  const seal = deps.seals.seal(sealedKey({ ...use, id: key.id, keyHash }))
  await store.insertKey(on, { ...use, id: key.id, keyHash, seal, at })
  return { keyId: key.id, key: key.text }
}

/** Issues one more key; the others stay. */
export async function createKey(
  deps: MerchantDeps,
  merchantId: string,
  kind: ApiKeyKind,
  role: ApiKeyRole = 'merchant',
) {
  if (!API_KEY_KINDS.includes(kind)) throw fieldErrors({ kind: `must be one of ${API_KEY_KINDS.join(', ')}` })
  if (role !== 'merchant' && kind !== 'secret') throw fieldErrors({ kind: `must be secret for the role ${role}` })
  if ((await store.findMerchant(deps.pool, { merchantId })) === undefined) throw notFound()
  return single(deps, { name: 'merchants.create_key', silent: 'operator' }, ({ on, at }) =>
    issueKey(deps, on, { merchantId, kind, role }, at),
  )
}

/** Ends the key with this id part, if there is one. */
export async function revokeKey(deps: MerchantDeps, keyId: string): Promise<store.ApiKey | undefined> {
  return single(deps, { name: 'merchants.revoke_key', silent: 'operator' }, ({ on, at }) =>
    store.updateKeyRevoked(on, { keyId, at }),
  )
}

/** Issues one more set of keys, all or none; the others stay, and so does the webhook secret. */
export async function addKeys(deps: MerchantDeps, merchantId: string): Promise<MerchantSecrets> {
  const webhookSecret = await getWebhookSecret(deps, merchantId)
  const made = await command(deps, { name: 'merchants.add_keys', silent: 'operator' }, ({ tx, at }) =>
    issueKeys(deps, tx, merchantId, webhookSecret, at),
  )
  if (made === null) throw notFound()
  return made
}

/** The secret that signs the merchant's events. */
export async function getWebhookSecret(deps: MerchantDeps, merchantId: string): Promise<Secret> {
  const found = await store.findWebhookSecret(deps.pool, { merchantId })
  if (found === undefined) throw notFound()
  return deps.vault.unsealText(webhookSecretCell(merchantId), found)
}

/** A secret that is to take the place of the present one, sealed and not stored. */
export interface NextSecret {
  secret: Secret
  sealed: Buffer
  keyId: string
  /** The present one, as it is stored. */
  before: Buffer
}

/** `NOT_FOUND` for no such merchant. Seals: never in a transaction. */
export async function prepareWebhookSecret(deps: MerchantDeps, merchantId: string): Promise<NextSecret> {
  const present = await store.findWebhookSecret(deps.pool, { merchantId })
  if (present === undefined) throw notFound()
  const secret = newWebhookSecret()
  const { sealed, keyId } = await deps.vault.sealText(webhookSecretCell(merchantId), secret)
  return { secret, sealed, keyId, before: present.sealed }
}

/** In the transaction of the caller. False: the present secret is another by now, and stays. */
export async function replaceWebhookSecret(
  _deps: MerchantDeps,
  on: Queryable,
  merchantId: string,
  { sealed, keyId, before }: NextSecret,
): Promise<boolean> {
  return (await store.updateSecretWrap(on, { merchantId, sealed, keyId, before })) === 1
}

/** Where the webhook secrets are, for the rotation of keys. */
export function sealedSecrets({ pool }: Pick<MerchantDeps, 'pool'>): SealedPlace {
  return {
    name: 'merchants.webhook_secret',
    count: (keyId) => store.countSecretsUnderKey(pool, { keyId, limit: MAX_COUNTED }).then(countOf),
    list: (keyId, after, limit) => store.listSecretsUnderKey(pool, { keyId, after: after?.id ?? '', limit }),
    cellOf: ({ merchantId }) => webhookSecretCell(merchantId),
    update: ({ merchantId, sealed: before }, { sealed, keyId }) =>
      autocommit(pool, (on) => store.updateSecretWrap(on, { merchantId, before, sealed, keyId })),
  }
}

function webhookSecretCell(merchantId: string): CellRef {
  return { table: 'merchants', merchantId, id: merchantId, field: 'webhook_secret' }
}
