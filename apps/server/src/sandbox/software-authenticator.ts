import { createECDH, createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** Bits of the flags byte of authenticator data. */
export const FLAGS = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  attested: 0x40,
} as const

/** What a synced passkey of a phone shows: present, verified, eligible for backup and backed up. */
const SYNCED = FLAGS.userPresent | FLAGS.userVerified | FLAGS.backupEligible | FLAGS.backedUp

/** For tests of hostile browsers and authenticators: each replaces what an honest one would send. */
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

export interface SoftwareAuthenticator {
  readonly credentialId: string
  register(
    options: PublicKeyCredentialCreationOptionsJSON,
    overrides?: AuthenticatorOverrides,
  ): RegistrationResponseJSON
  authenticate(
    options: PublicKeyCredentialRequestOptionsJSON,
    overrides?: AuthenticatorOverrides,
  ): AuthenticationResponseJSON
}

interface Settings {
  /** 32 secret bytes. Key and credential id follow from it, so nothing is stored; use one seed per customer. */
  seed: Buffer
  rpId: string
  origin: string
  /** Another private key (P-256, Ed25519 or RSA) than the one made of the seed. */
  key?: KeyObject
}

/**
 * An authenticator and its browser in software. It makes real signatures over real client data, so a headless approval
 * goes through the very verification a phone's does; only the person is missing.
 */
export function createSoftwareAuthenticator(settings: Settings): SoftwareAuthenticator {
  if (settings.seed.length !== 32) throw new RangeError('The seed must have 32 bytes.')
  const key = settings.key ?? privateKeyOf(settings.seed)
  const credentialId = derive(settings.seed, 'credential-id', 32)
  const device: Device = { ...settings, key, credentialId }
  return {
    credentialId: credentialId.toString('base64url'),
    register: (options, overrides = {}) => register(device, options, overrides),
    authenticate: (options, overrides = {}) => authenticate(device, options, overrides),
  }
}

interface Device extends Settings {
  key: KeyObject
  credentialId: Buffer
}

function register(
  device: Device,
  options: PublicKeyCredentialCreationOptionsJSON,
  overrides: AuthenticatorOverrides,
): RegistrationResponseJSON {
  checkRpId(device, options.rp.id)
  const credentialId = overrides.credentialId ?? device.credentialId
  const id = credentialId.toString('base64url')
  if (options.excludeCredentials?.some((known) => known.id === id))
    throw new Error('This passkey is registered already.')
  const authenticatorData = Buffer.concat([
    header(device, (overrides.flags ?? SYNCED) | FLAGS.attested, overrides),
    attestedCredential(credentialId, overrides.cosePublicKey ?? coseKey(device.key)),
  ])
  const client = clientData(device, 'webauthn.create', options.challenge, overrides)
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: client.toString('base64url'),
      attestationObject: attestationObject(device, authenticatorData, client, overrides).toString('base64url'),
      transports: ['internal'],
    },
    clientExtensionResults: {},
  }
}

function attestationObject(
  device: Device,
  authData: Buffer,
  client: Buffer,
  overrides: AuthenticatorOverrides,
): Buffer {
  const { attestationFormat = 'none', attestationStatement = new Map<string, CborValue>() } = overrides
  const own = () =>
    new Map<string, CborValue>([
      ['alg', -7],
      ['sig', signOver(device.key, authData, client)],
    ])
  return cbor(
    new Map<string, CborValue>([
      ['fmt', overrides.selfAttestation ? 'packed' : attestationFormat],
      ['attStmt', overrides.selfAttestation ? own() : attestationStatement],
      ['authData', new Uint8Array(authData)],
    ]),
  )
}

function authenticate(
  device: Device,
  options: PublicKeyCredentialRequestOptionsJSON,
  overrides: AuthenticatorOverrides,
): AuthenticationResponseJSON {
  checkRpId(device, options.rpId)
  const id = (overrides.credentialId ?? device.credentialId).toString('base64url')
  const asked = options.allowCredentials ?? []
  const known = overrides.credentialId !== undefined || asked.length === 0 || asked.some((one) => one.id === id)
  if (!known) throw new Error('None of the passkeys asked for is here.')
  const authenticatorData = header(device, overrides.flags ?? SYNCED, overrides)
  const client = clientData(device, 'webauthn.get', options.challenge, overrides)
  const signature = signOver(device.key, authenticatorData, client)
  if (overrides.tamperSignature) flipLastBit(signature)
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(overrides.userHandle === undefined ? {} : { userHandle: overrides.userHandle }),
    },
    clientExtensionResults: {},
  }
}

/** A browser runs no ceremony for another relying party; a wrong configuration should fail here, with words. */
function checkRpId(device: Device, asked: string | undefined): void {
  if (asked !== device.rpId) throw new Error(`The ceremony is for ${asked}, this authenticator is for ${device.rpId}.`)
}

function clientData(device: Device, type: string, challenge: string, overrides: AuthenticatorOverrides): Buffer {
  const { topOrigin } = overrides
  const honest = {
    type: overrides.type ?? type,
    challenge: overrides.challenge ?? challenge,
    origin: overrides.origin ?? device.origin,
    crossOrigin: overrides.crossOrigin ?? false,
    ...(topOrigin === undefined ? {} : { topOrigin }),
  }
  return Buffer.from(overrides.clientDataJson ?? JSON.stringify(honest))
}

function header(device: Device, flags: number, overrides: AuthenticatorOverrides): Buffer {
  const counter = Buffer.alloc(4)
  // Zero and never rising, as synced passkeys do: an authenticator without storage cannot count.
  counter.writeUInt32BE(overrides.counter ?? 0)
  return Buffer.concat([sha256(overrides.rpId ?? device.rpId), Buffer.from([flags]), counter])
}

function attestedCredential(credentialId: Buffer, publicKey: Uint8Array): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(credentialId.length)
  const anonymousModel = Buffer.alloc(16)
  return Buffer.concat([anonymousModel, length, credentialId, publicKey])
}

/** A P-256 key as good as a random one: 48 derived bytes, reduced to 1…n-1, leave a bias below 2^-128. */
function privateKeyOf(seed: Buffer): KeyObject {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const scalar = (BigInt(`0x${derive(seed, 'key', 48).toString('hex')}`) % (order - 1n)) + 1n
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(d)
  const point = curve.getPublicKey()
  const jwk = { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33), y: point.subarray(33), d }
  const text = { ...jwk, x: jwk.x.toString('base64url'), y: jwk.y.toString('base64url'), d: d.toString('base64url') }
  return createPrivateKey({ key: text, format: 'jwk' })
}

function derive(seed: Buffer, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, '', `mintmark.software-authenticator.${purpose}`, length))
}

type CborValue = string | number | Uint8Array | readonly CborValue[] | ReadonlyMap<string | number, CborValue>

function cbor(value: CborValue): Buffer {
  return Buffer.from(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]))
}

const CURVES: Readonly<Record<string, number>> = { 'P-256': 1, 'P-384': 2, Ed25519: 6 }

/** The public key in COSE form (RFC 9053): ES256, EdDSA or RS256, as the key's type says. */
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

function signOver(key: KeyObject, authenticatorData: Buffer, client: Buffer): Buffer {
  const data = Buffer.concat([authenticatorData, sha256(client)])
  return sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', data, key)
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

function flipLastBit(bytes: Buffer): void {
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
}
