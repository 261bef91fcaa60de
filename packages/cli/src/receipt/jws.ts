import { createPublicKey, verify } from 'node:crypto'
import { RECEIPT_TYPE } from '@mintmark/contract/receipt'
import type { Receipt, ReceiptKey } from '@mintmark/contract/wire/receipts'
import { bytesOf, hashText } from './bytes.ts'
import { broken } from './file.ts'
import { isReceipt } from './shapes.ts'

/** A receipt whose signature verified. */
export interface Signed {
  receipt: Receipt
  /** SHA-256 of the whole text: what the next receipt of the chain names. */
  hash: string
  kid: string
}

/** Throws for anything but a receipt that one of these keys has signed. */
export function openReceipt(text: string, keys: readonly ReceiptKey[]): Signed {
  const [head = '', body = '', tail = '', ...more] = text.split('.')
  const [header, payload, signature] = [bytesOf(head), bytesOf(body), bytesOf(tail)]
  if (!header || !payload || !signature || more.length > 0) throw broken('A receipt is not a compact JWS.')
  const kid = kidOf(header)
  const key = keys.find((each) => each.kid === kid)
  if (key === undefined) throw broken(`A receipt is signed by the key ${kid}, which is not among the keys.`)
  const { kty, crv, x, y } = key
  const publicKey = {
    key: createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' }),
    dsaEncoding: 'ieee-p1363',
  } as const
  if (!verify('sha256', Buffer.from(`${head}.${body}`), publicKey, signature)) {
    throw broken('The signature of a receipt does not verify: it, or the receipt, was changed.')
  }
  const receipt: unknown = JSON.parse(payload.toString('utf8'))
  if (!isReceipt(receipt)) throw broken('A receipt is signed, and does not say what a receipt says.')
  return { receipt, hash: hashText(text), kid }
}

/** The algorithm is not the receipt's to choose. */
function kidOf(header: Buffer): string {
  const { alg, typ, kid, ...more } = parsed(header)
  const isOurs = alg === 'ES256' && typ === RECEIPT_TYPE && typeof kid === 'string' && Object.keys(more).length === 0
  if (!isOurs) throw broken('A receipt has a header that no receipt has.')
  return kid
}

function parsed(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
