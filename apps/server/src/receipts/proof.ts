import type { ReceiptProof } from '@mintmark/contract/wire/receipts'
import { publicJwkOf, sealedPasskey } from '../passkeys/service.ts'
import type { ReceiptDeps } from './deps.ts'
import * as store from './facts-store.ts'
import { hashText } from './lines.ts'

/** What an owner has signed: its sentence, and the assertion over it. */
export interface Evidence {
  terms: Record<string, unknown>
  sentence: { language: 'en'; text: string; sha256: string } | null
  proof: ReceiptProof
  customerId: string
  approvedAt: Date
}

/** The evidence of a subject. Undefined: nothing was signed. Throws for a passkey whose row was edited. */
export async function evidenceOf(
  { pool, seals, merchantId, rpId }: ReceiptDeps,
  subject: store.Subject,
): Promise<Evidence | undefined> {
  const found = await store.findEvidence(pool, { merchantId, ...subject })
  if (found === undefined) return undefined
  const passkey = await store.findPasskey(pool, { merchantId, passkeyId: found.passkeyId })
  if (passkey === undefined) throw new Error(`The passkey of the approval of ${subject.subjectId} is not there.`)
  seals.check(sealedPasskey({ merchantId, customerId: passkey.customerId }, passkey), passkey.seal)
  const terms: Record<string, unknown> = JSON.parse(found.terms)
  const { approvedAt } = found
  return {
    ...{ terms, approvedAt, customerId: passkey.customerId, sentence: sentenceOf(terms.sentence) },
    proof: {
      rp_id: rpId,
      public_key: publicJwkOf(passkey.publicKey),
      nonce: text(found.nonce),
      terms_sha256: hashText(found.terms),
      // Nothing of a card is in a receipt: its owner downloads these terms beside it.
      terms: 'card' in terms ? null : found.terms,
      client_data_json: text(found.clientDataJson),
      authenticator_data: text(found.authenticatorData),
      signature: text(found.signature),
    },
  }
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

function sentenceOf(signed: unknown): Evidence['sentence'] {
  if (typeof signed !== 'object' || signed === null) return null
  const sentence = signed as { language: 'en'; text: string }
  return { language: sentence.language, text: sentence.text, sha256: hashText(sentence.text) }
}
