import { createHmac } from 'node:crypto'
import { RECEIPT_TYPE, RECEIPT_VERSION } from '@mintmark/contract/receipt'
import type { Receipt } from '@mintmark/contract/wire/receipts'
import { CompactSign } from 'jose'
import { newId } from '../platform/ids.ts'
import type { ReceiptDeps } from './deps.ts'
import type { Draft } from './drafts.ts'
import type { SigningKey } from './keys.ts'
import { hashText } from './lines.ts'

/** Where a chain ends. */
export interface Head {
  position: number
  hash: string
}

export interface SignedReceipt extends Head {
  id: string
  cause: Draft['cause']
  act: Receipt['act']
  jws: string
  occurredAt: Date
}

/** Signs a receipt for the next place of a chain. */
export async function signReceipt(
  deps: ReceiptDeps,
  key: SigningKey,
  { customerId, cause, said }: Draft,
  { head, permission, at }: { head: Head | null; permission: Receipt['permission']; at: Date },
): Promise<SignedReceipt> {
  const id = newId('receipt')
  const receipt: Receipt = {
    ...{ iss: deps.ownerUrl, jti: id, iat: Math.floor(at.getTime() / 1000) },
    ...{
      sub: subjectOf(deps, customerId, said.shop),
      v: RECEIPT_VERSION,
      environment: deps.environment,
      ...said,
      permission,
    },
    chain: { position: (head?.position ?? 0) + 1, previous: head?.hash ?? null },
  }
  const jws = await new CompactSign(Buffer.from(JSON.stringify(receipt)))
    .setProtectedHeader({ alg: 'ES256', typ: RECEIPT_TYPE, kid: key.jwk.kid })
    .sign(key.privateKey)
  const occurredAt = new Date(said.occurred_at)
  return { ...{ id, cause, act: said.act, jws, occurredAt }, hash: hashText(jws), position: receipt.chain.position }
}

/** The name of an owner at one shop, or at the operator: two shops do not tell by it that it is the same person. */
function subjectOf({ subjectsKey, ownerUrl }: ReceiptDeps, customerId: string, shop: Receipt['shop']): string {
  const sector = new URL(shop?.url ?? ownerUrl).host
  return createHmac('sha256', subjectsKey.reveal())
    .update(JSON.stringify([sector, customerId]))
    .digest('base64url')
}
