import { createPublicKey, type KeyObject } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import {
  type AuthenticatorSettings,
  attestedData,
  type CborValue,
  cbor,
  createDevice,
  type Device,
  draftAuthentication,
  draftRegistration,
  FLAGS,
  type RegistrationDraft,
  sealAuthentication,
  sealRegistration,
  signOver,
} from '../software-authenticator.ts'

/** Each replaces what an honest browser or authenticator would send. */
export interface AuthenticatorOverrides {
  flags?: number
  counter?: number
  type?: string
  challenge?: string
  origin?: string
  crossOrigin?: boolean
  topOrigin?: string
  rpId?: string
  credentialId?: Buffer
  userHandle?: string
  /** The whole client data, as text to be signed. */
  clientDataJson?: string
  /** A COSE key to attest instead of the authenticator's own. */
  cosePublicKey?: Uint8Array
  attestationFormat?: string
  /** Signs the attestation with the credential's own key (`packed` without certificates). */
  selfAttestation?: boolean
  attestationStatement?: ReadonlyMap<string, CborValue>
  /** Flips a bit of the signature. */
  tamperSignature?: boolean
}

export interface HostileAuthenticator {
  credentialId: string
  register(
    options: PublicKeyCredentialCreationOptionsJSON,
    overrides?: AuthenticatorOverrides,
  ): RegistrationResponseJSON
  authenticate(
    options: PublicKeyCredentialRequestOptionsJSON,
    overrides?: AuthenticatorOverrides,
  ): AuthenticationResponseJSON
}

interface Settings extends AuthenticatorSettings {
  /** Another private key (P-256, P-384, Ed25519 or RSA) than the one made of the seed. */
  key?: KeyObject
}

/** The product's software authenticator, which honest tests use too, with a lie wherever a test asks for one. */
export function createHostileAuthenticator({ key, ...settings }: Settings): HostileAuthenticator {
  const own = createDevice(settings)
  const device = key === undefined ? own : { ...own, key, publicKey: coseKey(key) }
  return {
    credentialId: device.credentialId.toString('base64url'),
    register: (options, overrides = {}) => register(device, options, overrides),
    authenticate: (options, overrides = {}) => authenticate(device, options, overrides),
  }
}

function register(
  device: Device,
  options: PublicKeyCredentialCreationOptionsJSON,
  overrides: AuthenticatorOverrides,
): RegistrationResponseJSON {
  const honest = draftRegistration(withId(device, overrides), options)
  const draft: RegistrationDraft = {
    ...honest,
    ...signedOverrides(honest, overrides),
    flags: (overrides.flags ?? honest.flags) | FLAGS.attested,
    publicKey: overrides.cosePublicKey ?? honest.publicKey,
    attestationFormat: overrides.attestationFormat ?? honest.attestationFormat,
    attestationStatement: overrides.attestationStatement ?? honest.attestationStatement,
  }
  return sealRegistration(overrides.selfAttestation ? selfAttested(draft, device.key) : draft)
}

function selfAttested(draft: RegistrationDraft, key: KeyObject): RegistrationDraft {
  const attestationStatement = new Map<string, CborValue>([
    ['alg', -7],
    ['sig', signOver(key, attestedData(draft), draft.clientData)],
  ])
  return { ...draft, attestationFormat: 'packed', attestationStatement }
}

function authenticate(
  device: Device,
  options: PublicKeyCredentialRequestOptionsJSON,
  overrides: AuthenticatorOverrides,
): AuthenticationResponseJSON {
  // With the id of another passkey, what was asked for does not matter.
  const asked = overrides.credentialId === undefined ? options : { ...options, allowCredentials: [] }
  const honest = draftAuthentication(withId(device, overrides), asked)
  const answer = sealAuthentication({ ...honest, ...signedOverrides(honest, overrides) }, device.key)
  const { response } = answer
  const signature = overrides.tamperSignature ? flippedLastBit(response.signature) : response.signature
  const { userHandle } = overrides
  return { ...answer, response: { ...response, signature, ...(userHandle === undefined ? {} : { userHandle }) } }
}

function withId(device: Device, { credentialId = device.credentialId }: AuthenticatorOverrides): Device {
  return { ...device, credentialId }
}

interface Signed {
  clientData: string
  rpId: string
  flags: number
  counter: number
}

function signedOverrides(honest: Signed, overrides: AuthenticatorOverrides): Signed {
  const { type, challenge, origin, crossOrigin, topOrigin } = overrides
  const given = Object.entries({ type, challenge, origin, crossOrigin, topOrigin }).filter(
    ([, value]) => value !== undefined,
  )
  const clientData = JSON.stringify({ ...JSON.parse(honest.clientData), ...Object.fromEntries(given) })
  return {
    clientData: overrides.clientDataJson ?? clientData,
    rpId: overrides.rpId ?? honest.rpId,
    flags: overrides.flags ?? honest.flags,
    counter: overrides.counter ?? honest.counter,
  }
}

function flippedLastBit(text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  return bytes.toString('base64url')
}

const CURVES: Readonly<Record<string, number>> = { 'P-256': 1, 'P-384': 2, Ed25519: 6 }

/** A public key in COSE form (RFC 9053): ES256, EdDSA or RS256, by the type of the key. */
function coseKey(key: KeyObject): Buffer {
  const { kty, crv = '', x = '', y = '', n = '', e = '' } = createPublicKey(key).export({ format: 'jwk' })
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  const curve = CURVES[crv] ?? 0
  switch (kty) {
    case 'EC':
      return cbor(
        new Map<number, CborValue>([
          [1, 2],
          [3, -7],
          [-1, curve],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]),
      )
    case 'OKP':
      return cbor(
        new Map<number, CborValue>([
          [1, 1],
          [3, -8],
          [-1, curve],
          [-2, bytes(x)],
        ]),
      )
    case 'RSA':
      return cbor(
        new Map<number, CborValue>([
          [1, 3],
          [3, -257],
          [-1, bytes(n)],
          [-2, bytes(e)],
        ]),
      )
    default:
      throw new Error(`A key of type ${kty} makes no passkey.`)
  }
}
