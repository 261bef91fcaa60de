import { lstat, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { ownerUrlOf } from '../compose/owners.ts'
import type { Config } from '../config.ts'
import type { MerchantService } from '../merchants/service.ts'
import { PublicError } from '../platform/errors.ts'
import { toWireSecrets } from './merchant-secrets.ts'

/** `dev.json` in the home of a sandbox: every address that something listens at, and the demo merchant's keys. Readable by its owner only (0600). */
export interface DevFile {
  api_url: string
  wallet_api_url: string
  surface_url: string
  owner_url: string
  merchant_id: string
  secret_key: string
  publishable_key: string
  wallet_api_key: string
  webhook_secret: string
}

/** `addedKeys`: the earlier file was lost, so the merchant got another set of keys. The earlier ones go on working. */
export type WrittenDevFile = DevFile & { addedKeys: boolean }

type Keys = Pick<DevFile, 'merchant_id' | 'secret_key' | 'publishable_key' | 'wallet_api_key' | 'webhook_secret'>

/** Any fixed number that is the same on every node. */
const LOCK_KEY = 5_274_613_003n

/**
 * Makes the demo merchant on the first start, and writes its keys, which cannot be read again later. Other starts only
 * update the addresses. Nodes that start together take turns, or the second would not find the file that the first one
 * is about to write.
 */
export async function writeDevFile(config: Config, pool: Pool, merchants: MerchantService): Promise<WrittenDevFile> {
  return inTurn(pool, () => write(config, merchants)).catch(explainFileError)
}

/**
 * No transaction of the program: in one of those its caller gets no second connection, and making the account asks for one. Here one is all
 * that is held, for nothing is served yet.
 */
async function inTurn<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let isDone = false
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [LOCK_KEY])
    const result = await work()
    await client.query('commit')
    isDone = true
    return result
  } finally {
    // Closing it ends the turn, too.
    client.release(!isDone)
  }
}

/** A file of the home that cannot be read or written, in words for the operator. */
function explainFileError(error: unknown): never {
  const { code, path } = error as { code?: unknown; path?: unknown }
  if (typeof code !== 'string' || typeof path !== 'string') throw error
  const file = path.replace(/\.new$/, '')
  const reason = code === 'EISDIR' || code === 'ENOTEMPTY' || code === 'EEXIST' ? 'it is a directory' : code
  throw new Error(
    `Cannot write ${file} (${reason}): move away what is there, make MINTMARK_HOME writable for this user, ` +
      'or set another MINTMARK_HOME.',
    { cause: error },
  )
}

async function write(config: Config, merchants: MerchantService): Promise<WrittenDevFile> {
  const path = join(config.home, 'dev.json')
  await rejectDirectory(path)
  const made = await merchants.ensureDemoMerchant()
  const isMade = made !== undefined
  const known = isMade ? undefined : await readKeys(path, merchants)
  // A home that is used with one database and then another has the keys of each, this one's in turn.
  const kept = isMade || known !== undefined ? undefined : await readKeys(`${path}.old`, merchants)
  const keys = known ?? kept ?? toWireSecrets(isMade ? made : await merchants.addKeys(merchants.demoMerchantId))
  const file: DevFile = {
    api_url: config.apiUrl,
    wallet_api_url: config.walletApiUrl,
    surface_url: config.surfaceUrl,
    owner_url: ownerUrlOf(config),
    ...keys,
  }
  // Written under another name and renamed: a reader never sees half a file, and the mode is right from the first byte.
  await writeFile(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  if (known === undefined) await keepAside(path)
  await rename(`${path}.new`, path)
  return { ...file, addedKeys: !isMade && known === undefined && kept === undefined }
}

/** Before keys are made that could not be written down. */
async function rejectDirectory(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isDirectory() === true)
    throw Object.assign(new Error('A directory is in the way.'), { code: 'EISDIR', path })
}

/** A file that does not hold the keys of this database may hold others that are stored nowhere else. */
async function keepAside(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found !== undefined && found.size > 0) await rename(path, `${path}.old`)
}

/**
 * Undefined: the file is lost, empty, cut, unreadable or of another database. That cannot be seen from the account: it has its id from
 * the root key, which is in the home and so the same for each database that the home is used with. So the secret key is tried.
 */
async function readKeys(path: string, merchants: MerchantService): Promise<Keys | undefined> {
  const keys = await readWhole(path)
  if (keys === undefined || keys.merchant_id !== merchants.demoMerchantId) return undefined
  try {
    await merchants.resolveKey(keys.secret_key, 'secret')
    return keys
  } catch (error) {
    if (error instanceof PublicError && error.status === 401) return undefined
    throw error
  }
}

async function readWhole(path: string): Promise<Keys | undefined> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as Partial<DevFile>
    const { merchant_id, secret_key, publishable_key, wallet_api_key, webhook_secret } = file
    if (!merchant_id || !secret_key || !publishable_key || !wallet_api_key || !webhook_secret) return undefined
    return { merchant_id, secret_key, publishable_key, wallet_api_key, webhook_secret }
  } catch {
    return undefined
  }
}
