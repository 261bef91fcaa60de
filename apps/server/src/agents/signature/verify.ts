import { hash, type KeyObject, verify } from 'node:crypto'
import { AGENT_SIGNATURE_ALGORITHM, BODY_COMPONENT } from '@mintmark/contract/agent-signature'
import { signatureBase } from './base.ts'
import { checkDigest, readDigest } from './digest.ts'
import { type SignatureRefusal, SignatureRefused, type SignedHead, type SignedMessage } from './message.ts'
import { parseSignature } from './parse.ts'
import { checkComponents, checkTime, readParameters, type SignatureParameters } from './profile.ts'

export type { SignatureRefusal, SignedHead, SignedMessage } from './message.ts'

/** What a request says of itself. Whether it is true is for `verifySignature` to say. */
export interface SignatureClaim extends SignatureParameters {
  /** What the signature is of. */
  base: Buffer
  signature: Buffer
  /** SHA-256 of the body that is to come, as it is signed; null: none is covered. */
  bodyDigest: Buffer | null
}

/**
 * All checks that need neither key nor body: the form, what is covered, and the time. Nothing that the request names is fetched. The nonce is
 * not looked at; spend it after `verifySignature`, or others could spend it. The body is looked at by `checkSignedBody`.
 */
export function readSignedHead(head: SignedHead, now: Date): SignatureClaim | SignatureRefusal {
  return refusalOr(() => {
    const { components, parameters, input, signature } = parseSignature(head)
    checkComponents(components, head.hasBody)
    const claimed = readParameters(parameters)
    checkTime(claimed, now)
    const bodyDigest = components.includes(BODY_COMPONENT) ? readDigest(head) : null
    return { ...claimed, base: signatureBase(head, components, input), signature, bodyDigest }
  })
}

/** Undefined when the body that came, with this SHA-256, is the one that was signed. */
export function checkSignedBody(
  { bodyDigest }: Pick<SignatureClaim, 'bodyDigest'>,
  came: Buffer,
): SignatureRefusal | undefined {
  return refusalOr(() => {
    checkDigest(bodyDigest, came)
    return undefined
  })
}

/** The same checks of a request that is here as a whole. */
export function readSignature(
  { body = NO_BYTES, ...head }: SignedMessage,
  now: Date,
): SignatureClaim | SignatureRefusal {
  const claim = readSignedHead({ ...head, hasBody: body.length > 0 }, now)
  return 'reason' in claim ? claim : (checkSignedBody(claim, hash('sha256', body, 'buffer')) ?? claim)
}
const NO_BYTES = new Uint8Array()

function refusalOr<T>(read: () => T): T | SignatureRefusal {
  try {
    return read()
  } catch (error) {
    if (error instanceof SignatureRefused) return error.refusal
    throw error
  }
}

/** Undefined when `key` has made the signature of this request, else why it is refused. */
export function verifySignature(
  { base, signature }: Pick<SignatureClaim, 'base' | 'signature'>,
  key: KeyObject,
): SignatureRefusal | undefined {
  const isOurs = key.asymmetricKeyType === AGENT_SIGNATURE_ALGORITHM
  if (isOurs && verify(null, base, key, signature)) return undefined
  return { reason: 'signature_invalid', message: 'The key of keyid has not made this signature of this request.' }
}
