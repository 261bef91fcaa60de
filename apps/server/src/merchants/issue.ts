import type { Pool } from 'pg'
import type { Queryable } from '../db/statement.ts'
import { type Tx, transaction } from '../db/transaction.ts'
import type { Clock } from '../platform/clock.ts'
import { fieldErrors, notFound } from '../platform/errors.ts'
import type { Secret } from '../platform/secret.ts'
import type { Vault } from '../vault/service.ts'
import { type Environment, hashNewKey, KEY_KINDS, type KeyKind, newKey, newWebhookSecret } from './api-keys.ts'
import { checkSettings } from './rules.ts'
import type { Merchant } from './store.ts'
import * as store from './store.ts'

export interface MerchantDependencies {
  readonly pool: Pool
  readonly clock: Clock
  readonly apiKeysKey: Secret<Buffer>
  readonly environment: Environment
  readonly vaultSealer: Pick<Vault, 'sealText' | 'openText'>
  /** Milliseconds of a clock that nobody sets; for the age of remembered answers only. */
  readonly monotonicMillis?: () => number
}

/** What an account is used with. Shown once: the keys are stored as hashes only. */
export interface MerchantSecrets {
  readonly merchantId: string
  readonly secretKey: Secret
  readonly publishableKey: Secret
  readonly walletApiKey: Secret
  readonly webhookSecret: Secret
}

/**
 * Makes an account with its first keys; undefined when the id is taken. Seals before the transaction: the key provider
 * may be a network away.
 */
export async function addMerchant(
  deps: MerchantDependencies,
  merchant: Merchant,
): Promise<MerchantSecrets | undefined> {
  checkSettings(merchant, deps.environment)
  const webhookSecret = newWebhookSecret()
  const sealed = await deps.vaultSealer.sealText(webhookSecretPlace(merchant.id), webhookSecret)
  return transaction(deps.pool, async (tx) => {
    const at = deps.clock.now()
    if (!(await store.insertMerchant(tx, merchant, sealed, at))) return undefined
    return issueKeys(deps, tx, merchant.id, webhookSecret)
  })
}

async function issueKeys(
  deps: MerchantDependencies,
  tx: Tx,
  merchantId: string,
  webhookSecret: Secret,
): Promise<MerchantSecrets> {
  const issue = async (kind: KeyKind) => (await issueKey(deps, tx, merchantId, kind)).key
  return {
    merchantId,
    secretKey: await issue('secret'),
    publishableKey: await issue('publishable'),
    walletApiKey: await issue('wallet'),
    webhookSecret,
  }
}

async function issueKey(
  deps: MerchantDependencies,
  on: Queryable,
  merchantId: string,
  kind: KeyKind,
): Promise<{ keyId: string; key: Secret }> {
  const key = newKey(kind, deps.environment)
  const hash = hashNewKey(deps.apiKeysKey, key)
  await store.insertKey(on, merchantId, { id: key.id, kind, hash }, deps.clock.now())
  return { keyId: key.id, key: key.text }
}

/** Issues one more key; the others stay. */
export async function createKey(deps: MerchantDependencies, merchantId: string, kind: KeyKind) {
  if (!KEY_KINDS.includes(kind)) throw fieldErrors({ kind: `must be one of ${KEY_KINDS.join(', ')}` })
  if ((await store.findMerchant(deps.pool, merchantId)) === undefined) throw notFound()
  return issueKey(deps, deps.pool, merchantId, kind)
}

/** Ends every key and issues a new set, together: there is no moment with none and none with both. */
export async function reissueKeys(deps: MerchantDependencies, merchantId: string): Promise<MerchantSecrets> {
  const webhookSecret = await getWebhookSecret(deps, merchantId)
  return transaction(deps.pool, async (tx) => {
    await store.revokeKeys(tx, merchantId, deps.clock.now())
    return issueKeys(deps, tx, merchantId, webhookSecret)
  })
}

/** The secret that signs the merchant's events. */
export async function getWebhookSecret(deps: MerchantDependencies, merchantId: string): Promise<Secret> {
  const found = await store.findWebhookSecret(deps.pool, merchantId)
  if (found === undefined) throw notFound()
  return deps.vaultSealer.openText(webhookSecretPlace(merchantId), found)
}

function webhookSecretPlace(merchantId: string) {
  return { table: 'merchants', merchantId, id: merchantId, field: 'webhook_secret' }
}
