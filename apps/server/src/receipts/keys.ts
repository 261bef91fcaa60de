import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { ReceiptKey, ReceiptKeys } from '@mintmark/contract/wire/receipts'
import type { Pool } from 'pg'
import { command } from '../db/command.ts'
import { autocommit } from '../db/transaction.ts'
import { isUntouched } from '../platform/row-seals.ts'
import { secret } from '../platform/secret.ts'
import { type CellRef, COUNTED_AT_MOST, countOf, type SealedPlace } from '../vault/service.ts'
import type { ReceiptDeps } from './deps.ts'
import * as store from './key-store.ts'

// The keys that sign receipts, apart from all others: what they sign is read by strangers.

export interface SigningKey {
  jwk: ReceiptKey
  privateKey: KeyObject
}

const SILENT = 'Keys are the operator’s; no event tells of them.'

/** The key that signs now, opened once a process. */
const opened = new WeakMap<object, SigningKey>()

/** The key that signs; made, if there is none. Asks the key provider, so it runs in no transaction. */
export async function signingKey(deps: ReceiptDeps): Promise<SigningKey> {
  const { pool, merchantId, seals, vault } = deps
  const found = (await store.findCurrentKey(pool, { merchantId })) ?? (await makeKey(deps))
  const known = opened.get(pool)
  if (known?.jwk.kid === found.id) return known
  seals.check(store.sealedReceiptKey({ merchantId, jwk: found.jwk }), found.seal)
  const pem = await vault.unsealText(privateKeyCell(merchantId, found.id), { sealed: found.sealed, keyId: found.keyId })
  const key = { jwk: orderedJwk(found.jwk), privateKey: createPrivateKey(pem.reveal()) }
  opened.set(pool, key)
  return key
}

async function makeKey(deps: ReceiptDeps) {
  const { pool, merchantId } = deps
  const fresh = await newKey(deps)
  await command(deps, { name: 'receipts.make_key', why: SILENT, together: 'statement' }, ({ on, at }) =>
    store.insertKey(on, { merchantId, ...fresh, at }),
  )
  const found = await store.findCurrentKey(pool, { merchantId })
  if (found === undefined) throw new Error('The key that signs receipts was neither found nor made.')
  return found
}

async function newKey({ merchantId, seals, vault }: ReceiptDeps) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url')
  const jwk: ReceiptKey = { kty: 'EC', crv: 'P-256', x, y, kid: id, alg: 'ES256', use: 'sig' }
  const pem = secret(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
  const { sealed, keyId } = await vault.sealText(privateKeyCell(merchantId, id), pem)
  return { id, jwk, sealed, keyId, seal: seals.seal(store.sealedReceiptKey({ merchantId, jwk })) }
}

/** Another key signs from now on; the one before stays published, and its private part is gone. */
export async function rotateKey(deps: ReceiptDeps): Promise<{ id: string }> {
  const { pool, merchantId, log } = deps
  const former = await store.findCurrentKey(pool, { merchantId })
  const fresh = await newKey(deps)
  await command(deps, { name: 'receipts.rotate_key', why: SILENT }, async ({ tx, at }) => {
    // A key that was retired meanwhile by another operator stays so, and the index lets one of both insert theirs.
    if (former !== undefined) await store.retireKey(tx, { merchantId, id: former.id, at })
    const made = await store.insertKey(tx, { merchantId, ...fresh, at })
    if (made === undefined) throw new Error('Another key was made current meanwhile. Nothing was changed.')
    return made
  })
  log.warn('another key signs receipts', { audit: 'receipt_key_rotated', row_id: fresh.id })
  return { id: fresh.id }
}

/** What everybody verifies receipts with: the key that signs, and those that did. An edited row is left out. */
export async function publishedKeys({ pool, seals, merchantId }: ReceiptDeps): Promise<ReceiptKeys> {
  const rows = await store.listKeys(pool, { merchantId })
  const genuine = rows.filter(({ jwk, seal }) =>
    isUntouched(() => seals.check(store.sealedReceiptKey({ merchantId, jwk }), seal)),
  )
  return { keys: genuine.map(({ jwk }) => orderedJwk(jwk)) }
}

/** The database keeps the names of an object in an order of its own. */
function orderedJwk({ kty, crv, x, y, kid, alg, use }: ReceiptKey): ReceiptKey {
  return { kty, crv, x, y, kid, alg, use }
}

/** Where the private parts are, for the rotation of what wraps them. */
export function sealedPrivateKeys({ pool }: { pool: Pool }): SealedPlace {
  return {
    name: 'receipt_keys.private',
    count: (keyId) => store.countUnderKey(pool, { keyId, limit: COUNTED_AT_MOST }).then(countOf),
    list: (keyId, after, limit) =>
      store.listUnderKey(pool, { keyId, afterMerchantId: after?.merchantId ?? '', afterId: after?.id ?? '', limit }),
    cellOf: ({ merchantId, id }) => privateKeyCell(merchantId, id),
    update: ({ merchantId, id, sealed: before }, { sealed, keyId }) =>
      autocommit(pool, (on) => store.updateWrap(on, { merchantId, id, before, sealed, keyId })),
  }
}

/** Where the private part of a key is. */
function privateKeyCell(merchantId: string, id: string): CellRef {
  return { table: 'receipt_keys', merchantId, id, field: 'private' }
}
