import { hash } from 'node:crypto'
import { BODY_COMPONENT } from '@mintmark/contract/agent-signature'
import { onlyHeader, refuse, type SignedHead } from './message.ts'
import { parseExactly } from './parse.ts'

const NOTHING = hash('sha256', '', 'buffer')

/** What `Content-Digest` says (RFC 9530): one digest, sha-256, of the body that is to come. */
export function readDigest(message: Pick<SignedHead, 'headers'>): Buffer {
  const field = onlyHeader(message, BODY_COMPONENT)
  if (field === undefined) refuse('component_missing', 'The request has no header Content-Digest.', [BODY_COMPONENT])
  const digests = parseExactly('Content-Digest', field, 'digest_mismatch')
  const [digest, parameters] = digests.get('sha-256') ?? []
  if (digests.size !== 1 || !(digest instanceof ArrayBuffer) || parameters?.size !== 0) {
    refuse('digest_mismatch', 'Content-Digest is not one digest of the kind sha-256.')
  }
  return Buffer.from(digest)
}

/** Whether the body that came is the one that was promised; null: none was. `came` is the SHA-256 of its bytes. */
export function checkDigest(promised: Buffer | null, came: Buffer): void {
  if (promised === null && !came.equals(NOTHING)) {
    refuse('component_missing', `The signature does not cover ${BODY_COMPONENT}.`, [BODY_COMPONENT])
  }
  if (promised !== null && !came.equals(promised)) {
    refuse('digest_mismatch', 'Content-Digest is not the digest of the body that came.')
  }
}
