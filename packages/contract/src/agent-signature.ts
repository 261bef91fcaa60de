// How an agent signs its requests: RFC 9421 HTTP Message Signatures, in one profile. There is one way to write each
// request.

/** The `tag` of the profile: a signature that was made for something else is no signature here. */
export const AGENT_SIGNATURE_TAG = 'agent-payer-auth'

/** The `alg` of the profile, the only one. It may be left out. */
export const AGENT_SIGNATURE_ALGORITHM = 'ed25519'

/** How much later than `created` a signature may expire, in seconds. */
export const AGENT_SIGNATURE_LIFETIME_SECONDS = 300

/** How far the clock of an agent may be from the server's, in seconds, in either direction. */
export const AGENT_CLOCK_SKEW_SECONDS = 60

/**
 * What every signature covers, in any order; with a body, `content-digest` (RFC 9530, sha-256) as well. Nothing else.
 */
export const AGENT_SIGNED_COMPONENTS = ['@method', '@authority', '@path', '@query'] as const

/** What covers a body. Without a body it may be covered, and is then the digest of nothing. */
export const BODY_COMPONENT = 'content-digest'

export type AgentSignedComponent = (typeof AGENT_SIGNED_COMPONENTS)[number] | typeof BODY_COMPONENT

/** The parameters of every signature, in any order. `alg` may be added. */
export const AGENT_SIGNATURE_PARAMETERS = ['created', 'expires', 'nonce', 'keyid', 'tag'] as const

/** Why a signature is refused: `details.reason` of the answer. */
export const AGENT_SIGNATURE_FAILURES = [
  // `Signature` or `Signature-Input` is not there.
  'signature_missing',
  // Not of the profile, or not made by the key over this request.
  'signature_invalid',
  // Its time is over, or has not come: a clock is wrong, or the request was kept.
  'signature_expired',
  'nonce_replayed',
  // `Content-Digest` is not of the body, or not written as the profile says.
  'digest_mismatch',
  'key_unknown',
  // `details.components` names what to add.
  'component_missing',
] as const
export type AgentSignatureFailure = (typeof AGENT_SIGNATURE_FAILURES)[number]
