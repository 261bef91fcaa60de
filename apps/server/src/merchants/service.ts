import type { Queryable } from '../db/statement.ts'
import { notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { Secret } from '../platform/secret.ts'
import { type KeyKind, keyLabel } from './api-keys.ts'
import { createKeyAuthentication, type KeyAuthentication } from './authentication.ts'
import { demoMerchant } from './demo.ts'
import {
  addMerchant,
  createKey,
  getWebhookSecret,
  type MerchantDependencies,
  type MerchantSecrets,
  reissueKeys,
} from './issue.ts'
import { checkSettings, type MerchantSettings } from './rules.ts'
import type { ApiKey, Merchant } from './store.ts'
import * as store from './store.ts'

export type { Environment, KeyKind } from './api-keys.ts'
export type { KeyCaller } from './authentication.ts'
export type { MerchantDependencies, MerchantSecrets } from './issue.ts'
export type { MerchantSettings, MerchantStatus } from './rules.ts'
export type { Merchant } from './store.ts'

export type NewMerchant = Omit<MerchantSettings, 'status'>

/** A key in a list: its public beginning instead of the key. */
export interface ListedKey extends ApiKey {
  readonly label: string
}

export interface MerchantService extends Pick<KeyAuthentication, 'authenticateKey' | 'resolveKey'> {
  createMerchant(settings: NewMerchant): Promise<MerchantSecrets>
  /** `NOT_FOUND` for no such merchant. */
  updateMerchant(merchantId: string, changes: Partial<MerchantSettings>): Promise<Merchant>
  listMerchants(): Promise<Merchant[]>
  findMerchant(on: Queryable, merchantId: string): Promise<Merchant | undefined>
  createKey(merchantId: string, kind: KeyKind): Promise<{ readonly keyId: string; readonly key: Secret }>
  /** By the id part. Refused here at once, on every node within a second. `NOT_FOUND` for no such key. */
  revokeKey(keyId: string): Promise<ListedKey>
  listKeys(merchantId: string): Promise<ListedKey[]>
  /** Revokes every key of the merchant and issues one of each kind; the webhook secret stays. */
  reissueKeys(merchantId: string): Promise<MerchantSecrets>
  getWebhookSecret(merchantId: string): Promise<Secret>
  /** The demo account's secrets when this call made it, undefined when it was there. Sandbox only. */
  ensureDemoMerchant(): Promise<MerchantSecrets | undefined>
  /** Where the demo account is, made or not. */
  readonly demoMerchantId: string
}

/** Accounts, their keys, and who is calling. */
export function createMerchantService(deps: MerchantDependencies): MerchantService {
  const { pool, clock, apiKeysKey, environment } = deps
  const authentication = createKeyAuthentication({
    pool,
    apiKeysKey,
    environment,
    monotonicMillis: deps.monotonicMillis ?? (() => performance.now()),
  })
  const listed = (key: ApiKey): ListedKey => ({ ...key, label: keyLabel(key.kind, environment, key.id) })

  return Object.freeze<MerchantService>({
    authenticateKey: authentication.authenticateKey,
    resolveKey: authentication.resolveKey,
    createMerchant: async (settings) => {
      const made = await addMerchant(deps, { id: newId('merchant'), status: 'active', ...settings })
      if (made === undefined) throw new Error('A new merchant id was already taken.')
      return made
    },
    updateMerchant: async (merchantId, changes) => {
      checkSettings(changes, environment)
      return (await store.updateMerchant(pool, merchantId, changes)) ?? throwNotFound()
    },
    listMerchants: () => store.listMerchants(pool),
    findMerchant: store.findMerchant,
    createKey: (merchantId, kind) => createKey(deps, merchantId, kind),
    revokeKey: async (keyId) => {
      const revoked = await store.revokeKey(pool, keyId, clock.now())
      authentication.forgetAll()
      return listed(revoked ?? throwNotFound())
    },
    listKeys: async (merchantId) => (await store.listKeys(pool, merchantId)).map(listed),
    reissueKeys: async (merchantId) => {
      const secrets = await reissueKeys(deps, merchantId)
      authentication.forgetAll()
      return secrets
    },
    getWebhookSecret: (merchantId) => getWebhookSecret(deps, merchantId),
    demoMerchantId: demoMerchant(apiKeysKey).id,
    ensureDemoMerchant: async () => {
      if (environment !== 'sandbox') throw new Error('The demo merchant exists in the sandbox only.')
      return addMerchant(deps, demoMerchant(apiKeysKey))
    },
  })
}

function throwNotFound(): never {
  throw notFound()
}
