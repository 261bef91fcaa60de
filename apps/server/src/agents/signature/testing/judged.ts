import { readSignature, type SignatureRefusal, type SignedMessage, verifySignature } from '../verify.ts'
import { NOW, PUBLIC_KEY } from './signed.ts'

/** Both steps, with the key that is right. Undefined when the request is taken. */
export function judged(message: SignedMessage): SignatureRefusal | undefined {
  const claim = readSignature(message, NOW)
  return 'reason' in claim ? claim : verifySignature(claim, PUBLIC_KEY)
}
