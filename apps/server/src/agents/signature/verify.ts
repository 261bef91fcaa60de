import { type KeyObject, verify } from 'node:crypto'
import { AGENT_SIGNATURE_ALGORITHM, BODY_COMPONENT } from '@mintmark/contract/agent-signature'
import { signatureBase } from './base.ts'
import { checkDigest } from './digest.ts'
import { type SignatureRefusal, SignatureRefused, type SignedMessage } from './message.ts'
import { parseSignature } from './parse.ts'
import { checkComponents, checkTime, readParameters, type SignatureParameters } from './profile.ts'

export type { SignatureRefusal, SignedMessage } from './message.ts'

/** What a request says of itself. Nobody has said yet that it is true: see `verifySignature`. */
export interface SignatureClaim extends SignatureParameters {
  /** What the signature is of. */
  base: Buffer
  signature: Buffer
}

/**
 * All checks that need no key: the form, what is covered, the time, and the digest of the body. Nothing that the request names
 * is fetched. The nonce is not looked at; spend it after `verifySignature`, or others could spend it.
 */
export function readSignature(message: SignedMessage, now: Date): SignatureClaim | SignatureRefusal {
  try {
    const { components, parameters, input, signature } = parseSignature(message)
    const hasBody = message.body !== undefined && message.body.length > 0
    checkComponents(components, hasBody)
    const claimed = readParameters(parameters)
    checkTime(claimed, now)
    if (components.includes(BODY_COMPONENT)) checkDigest(message)
    return { ...claimed, base: signatureBase(message, components, input), signature }
  } catch (error) {
    if (error instanceof SignatureRefused) return error.refusal
    throw error
  }
}

/** Undefined when `key` has made the signature of this request, else why it is refused. */
export function verifySignature({ base, signature }: SignatureClaim, key: KeyObject): SignatureRefusal | undefined {
  const isOurs = key.asymmetricKeyType === AGENT_SIGNATURE_ALGORITHM
  if (isOurs && verify(null, base, key, signature)) return undefined
  return { reason: 'signature_invalid', message: 'The key of keyid has not made this signature of this request.' }
}
