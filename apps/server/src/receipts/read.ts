import { MAX_RECEIPTS_OF_FILE, RECEIPT_FILE_FORMAT } from '@mintmark/contract/receipt'
import type { Receipt, ReceiptFile } from '@mintmark/contract/wire/receipts'
import type { ReceiptDeps } from './deps.ts'
import { receiptNotFound } from './errors.ts'
import { findEvidence } from './facts-store.ts'
import { publishedKeys } from './keys.ts'
import * as store from './store.ts'

// What an owner reads and takes away: their own receipts, and nothing else.

export type Stored = Awaited<ReturnType<typeof store.listReceipts>>[number]

interface Owner {
  merchantId: string
  customerId: string
}

/** An owner's receipts before a position, the newest first. */
export async function list(
  { pool }: ReceiptDeps,
  { merchantId, customerId }: Owner,
  { before, limit }: { before: number | null; limit: number },
): Promise<Stored[]> {
  return store.listNewest(pool, { merchantId, customerId, before: before ?? NO_END, limit })
}

const NO_END = 2_147_483_647

/** One receipt, with the one that allowed it, as a file. `NOT_FOUND` for one of another owner. */
export async function fileOfOne(
  deps: ReceiptDeps,
  { merchantId, customerId }: Owner,
  id: string,
): Promise<ReceiptFile> {
  const owner = { merchantId, customerId }
  const found = await store.findReceipt(deps.pool, { ...owner, id })
  if (found === undefined) throw receiptNotFound()
  const { permission } = readReceipt(found.jws)
  const allowed = permission === null ? undefined : await store.findReceipt(deps.pool, { ...owner, id: permission.jti })
  return fileOf(deps, [...(allowed === undefined ? [] : [allowed]), found])
}

/** Receipts behind a position, as many as a file has, in the order of their chain. */
export async function fileOfChain(
  deps: ReceiptDeps,
  { merchantId, customerId }: Owner,
  after: number,
): Promise<ReceiptFile> {
  const found = await store.listReceipts(deps.pool, { merchantId, customerId, after, limit: MAX_RECEIPTS_OF_FILE })
  if (found.length === 0) throw receiptNotFound()
  return fileOf(deps, found)
}

async function fileOf(deps: ReceiptDeps, found: readonly Stored[]): Promise<ReceiptFile> {
  const ordered = [...found].sort((one, other) => one.position - other.position)
  const terms: string[] = []
  for (const each of ordered) terms.push(...(await termsBeside(deps, each)))
  return {
    ...{ format: RECEIPT_FILE_FORMAT, keys: await publishedKeys(deps) },
    ...{ receipts: ordered.map(({ jws }) => jws), terms },
  }
}

/** Terms that are in no receipt, because they name the owner's card: the owner may show them. */
async function termsBeside({ pool, merchantId }: ReceiptDeps, { jws, causeKind, causeId }: Stored): Promise<string[]> {
  if (causeKind !== 'approval' || readReceipt(jws).proof?.terms !== null) return []
  const evidence = await findEvidence(pool, { merchantId, subjectType: 'session', subjectId: causeId })
  return evidence === undefined ? [] : [evidence.terms]
}

/** What a receipt of ours says; it was signed here. */
export function readReceipt(jws: string): Receipt {
  const [, payload = ''] = jws.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
}
