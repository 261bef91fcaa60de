import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'

/** A browser's answer to a ceremony, of the right shape. Only fields named here reach the WebAuthn library. */
interface CeremonyResponse<Json> {
  json: Json
  /** The bytes the authenticator signed, still unread. */
  clientData: Buffer
}

/** Bounds in bytes. A credential id is at most 1023 (WebAuthn), a user handle 64; the rest is generous for what we ask. */
const MAX_BYTES = {
  credentialId: 1023,
  userHandle: 64,
  clientData: 4096,
  authenticatorData: 4096,
  attestationObject: 16_384,
  signature: 1024,
} as const

function base64url(maxBytes: number) {
  return Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: Math.ceil((maxBytes * 4) / 3) })
}

const CREDENTIAL = {
  id: base64url(MAX_BYTES.credentialId),
  rawId: base64url(MAX_BYTES.credentialId),
  type: Type.Literal('public-key'),
}

// Other members are tolerated: browsers add some (clientExtensionResults, authenticatorAttachment) and will add more.
const REGISTRATION = Compile(
  Type.Object({
    ...CREDENTIAL,
    response: Type.Object({
      clientDataJSON: base64url(MAX_BYTES.clientData),
      attestationObject: base64url(MAX_BYTES.attestationObject),
      transports: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z0-9-]{1,32}$' }), { maxItems: 16 })),
    }),
  }),
)

const AUTHENTICATION = Compile(
  Type.Object({
    ...CREDENTIAL,
    response: Type.Object({
      clientDataJSON: base64url(MAX_BYTES.clientData),
      authenticatorData: base64url(MAX_BYTES.authenticatorData),
      signature: base64url(MAX_BYTES.signature),
      // Absent, null from browsers that serialise the absent one, or empty from one that makes an empty one of it (Safari, of a security key).
      userHandle: Type.Optional(Type.Union([base64url(MAX_BYTES.userHandle), Type.Literal(''), Type.Null()])),
    }),
  }),
)

export function parseRegistration(value: unknown): CeremonyResponse<RegistrationResponseJSON> {
  const { id, rawId, type, response } = parse(REGISTRATION, value)
  const { clientDataJSON, attestationObject, transports = [] } = response
  checkEncoding({ id, 'response.clientDataJSON': clientDataJSON, 'response.attestationObject': attestationObject })
  return {
    json: {
      id,
      rawId,
      type,
      response: { clientDataJSON, attestationObject, transports: [...new Set(transports)] },
      clientExtensionResults: {},
    },
    clientData: Buffer.from(clientDataJSON, 'base64url'),
  }
}

export function parseAuthentication(value: unknown): CeremonyResponse<AuthenticationResponseJSON> {
  const { id, rawId, type, response } = parse(AUTHENTICATION, value)
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  checkEncoding({
    id,
    'response.clientDataJSON': clientDataJSON,
    'response.authenticatorData': authenticatorData,
    'response.signature': signature,
  })
  return {
    json: {
      id,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature, ...(userHandle ? { userHandle } : {}) },
      clientExtensionResults: {},
    },
    clientData: Buffer.from(clientDataJSON, 'base64url'),
  }
}

/** Paths as the caller sends them: the browser's answer is the member `response` of the request's body. */
const ROOT = 'response'
const PROBLEM = 'is missing or malformed'

function parse<S extends TSchema>(schema: Validator<TProperties, S>, value: unknown): Static<S> {
  if (schema.Check(value)) return value as Static<S>
  const details: ErrorDetails = {}
  for (const error of schema.Errors(value)) {
    const path = ROOT + error.instancePath.replaceAll('/', '.')
    if (error.keyword !== 'required') details[path] = PROBLEM
    else for (const name of error.params.requiredProperties) details[`${path}.${name}`] = PROBLEM
  }
  throw fieldErrors(details)
}

/** One text for one value: the last character's unused bits must be zero, or a credential would have several ids. */
function checkEncoding(texts: Record<string, string>): void {
  for (const [path, text] of Object.entries(texts)) {
    const exact = Buffer.from(text, 'base64url').toString('base64url') === text
    if (!exact) throw fieldErrors({ [`${ROOT}.${path}`]: PROBLEM })
  }
}
