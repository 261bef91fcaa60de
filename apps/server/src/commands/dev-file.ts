import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiKeyKind } from '@mintmark/contract'
import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import { transaction } from '../db/transaction.ts'
import type { MerchantService } from '../merchants/service.ts'
import { toWireSecrets } from './merchant-secrets.ts'

/** `dev.json` in the home of a sandbox: all addresses, and the demo merchant's keys. Readable by its owner only (0600). */
export interface DevFile {
  api_url: string
  wallet_api_url: string
  surface_url: string
  console_url: string
  owner_url: string
  merchant_id: string
  secret_key: string
  publishable_key: string
  wallet_api_key: string
  webhook_secret: string
}

type Keys = Pick<DevFile, 'merchant_id' | 'secret_key' | 'publishable_key' | 'wallet_api_key' | 'webhook_secret'>

/** Any fixed number that is the same on every node. */
const LOCK_KEY = 5_274_613_003n

/**
 * Makes the demo merchant on the first start, and writes its keys, which cannot be read again later. Other starts only
 * update the addresses. Nodes that start together take turns, or the second would not find the file that the first one
 * is about to write.
 */
export async function writeDevFile(config: Config, pool: Pool, merchants: MerchantService): Promise<DevFile> {
  return transaction(pool, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    return write(config, merchants)
  })
}

async function write(config: Config, merchants: MerchantService): Promise<DevFile> {
  const path = join(config.home, 'dev.json')
  const made = await merchants.ensureDemoMerchant()
  const known = made === undefined ? await readKeys(path, merchants.demoMerchantId) : toWireSecrets(made)
  const keys = known ?? (await replaceLostKeys(config, merchants))
  const file: DevFile = {
    api_url: config.apiUrl,
    wallet_api_url: config.walletApiUrl,
    surface_url: config.surfaceUrl,
    console_url: config.consoleUrl,
    owner_url: config.ownerUrl,
    ...keys,
  }
  // Written under another name and renamed: a reader never sees half a file, and the mode is right from the first byte.
  await writeFile(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return file
}

/**
 * The file is lost, and its keys are stored nowhere else. In a home with its own database they are revoked. On a shared
 * database another node may still use them from its own home, so they stay and new ones are added.
 */
async function replaceLostKeys(config: Config, merchants: MerchantService): Promise<Keys> {
  const id = merchants.demoMerchantId
  if (config.databaseUrl === null) return toWireSecrets(await merchants.reissueKeys(id))
  const add = async (kind: ApiKeyKind) => (await merchants.createKey(id, kind)).key.reveal()
  return {
    merchant_id: id,
    secret_key: await add('secret'),
    publishable_key: await add('publishable'),
    wallet_api_key: await add('wallet'),
    webhook_secret: (await merchants.getWebhookSecret(id)).reveal(),
  }
}

async function readKeys(path: string, merchantId: string): Promise<Keys | undefined> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as Partial<DevFile>
    const { merchant_id, secret_key, publishable_key, wallet_api_key, webhook_secret } = file
    if (merchant_id !== merchantId || !secret_key || !publishable_key || !wallet_api_key || !webhook_secret)
      return undefined
    return { merchant_id, secret_key, publishable_key, wallet_api_key, webhook_secret }
  } catch {
    return undefined
  }
}
