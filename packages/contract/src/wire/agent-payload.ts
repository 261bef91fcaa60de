import { type Static, Type } from 'typebox'

const Base64Url = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', description })

export const EncryptedPayload = Type.Object(
  {
    ephemeral_public_key: Base64Url('The `x` of the ephemeral X25519 key.'),
    iv: Base64Url('The initialization vector.'),
    auth_tag: Base64Url('The authentication tag.'),
    data: Base64Url(
      'The ciphertext: JSON with `token`, `dynamicCvv`, `expiryMonth`, `expiryYear`, `mandateId` and `transactionId`.',
    ),
  },
  {
    title: 'EncryptedPayload',
    description:
      'A virtual card for the agent alone: a JWE (RFC 7516) in four pieces, each base64url, `ECDH-ES` over X25519 with `A256GCM`. The ' +
      'protected header is `{"alg":"ECDH-ES","enc":"A256GCM","epk":{"kty":"OKP","crv":"X25519","x":…}}`.',
  },
)
export type EncryptedPayload = Static<typeof EncryptedPayload>
