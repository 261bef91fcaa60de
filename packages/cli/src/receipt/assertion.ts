import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import type { PasskeyJwk, ReceiptProof } from '@mintmark/contract/wire/receipts'
import { bytesOf, hashText, sha256 } from './bytes.ts'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const FLAGS_AT = 32
const SHORTEST = 37

/** Why an assertion does not prove what a receipt says it does; null: it does. */
export function assertionProblem(proof: ReceiptProof): string | null {
  const { nonce, terms_sha256, terms, client_data_json, authenticator_data, signature } = proof
  const parts = [nonce, terms_sha256, client_data_json, authenticator_data, signature].map(bytesOf)
  const [nonceBytes, termsHash, clientData, authenticatorData, signed] = parts
  if (!nonceBytes || !termsHash || !clientData || !authenticatorData || !signed) return 'it is not written as bytes are'
  if (terms !== null && hashText(terms) !== terms_sha256) return 'the terms are not those that were signed'
  const challenge = sha256(Buffer.concat([nonceBytes, termsHash])).toString('base64url')
  if (!isOurClientData(clientData, challenge)) return 'what the browser signed is not the challenge of these terms'
  if (authenticatorData.length < SHORTEST) return 'the data of the authenticator is cut'
  if (!authenticatorData.subarray(0, FLAGS_AT).equals(sha256(proof.rp_id))) return 'it was made for another site'
  const flags = authenticatorData[FLAGS_AT] ?? 0
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) return 'the person was not verified'
  const message = Buffer.concat([authenticatorData, sha256(clientData)])
  return verifies(proof.public_key, message, signed) ? null : 'the signature of the passkey does not verify'
}

function isOurClientData(bytes: Buffer, challenge: string): boolean {
  try {
    const value: Record<string, unknown> = JSON.parse(bytes.toString('utf8'))
    return value.type === 'webauthn.get' && value.challenge === challenge
  } catch {
    return false
  }
}

function verifies(jwk: PasskeyJwk, message: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
    return verify(jwk.kty === 'OKP' ? null : 'sha256', message, key, signature)
  } catch {
    return false
  }
}
