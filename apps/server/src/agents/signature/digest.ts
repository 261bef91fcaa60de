import { hash } from 'node:crypto'
import { BODY_COMPONENT } from '@mintmark/contract/agent-signature'
import { onlyHeader, refuse, type SignedMessage } from './message.ts'
import { parseExactly } from './parse.ts'

const NOTHING = new Uint8Array()

/** RFC 9530, of the body as it came: one digest, sha-256. */
export function checkDigest(message: SignedMessage): void {
  const field = onlyHeader(message, BODY_COMPONENT)
  if (field === undefined) refuse('component_missing', 'The request has no header Content-Digest.', [BODY_COMPONENT])
  const digests = parseExactly('Content-Digest', field, 'digest_mismatch')
  const [digest, parameters] = digests.get('sha-256') ?? []
  if (digests.size !== 1 || !(digest instanceof ArrayBuffer) || parameters?.size !== 0) {
    refuse('digest_mismatch', 'Content-Digest is not one digest of the kind sha-256.')
  }
  if (!hash('sha256', message.body ?? NOTHING, 'buffer').equals(new Uint8Array(digest))) {
    refuse('digest_mismatch', 'Content-Digest is not the digest of the body that came.')
  }
}
