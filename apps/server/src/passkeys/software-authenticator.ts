import { createECDH, createHash, createPrivateKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
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

/** The flags of a synced passkey on a phone: present, verified, eligible for backup and backed up. */
const SYNCED = FLAGS.userPresent | FLAGS.userVerified | FLAGS.backupEligible | FLAGS.backedUp

export interface SoftwareAuthenticator {
  credentialId: string
  register(options: PublicKeyCredentialCreationOptionsJSON): RegistrationResponseJSON
  authenticate(options: PublicKeyCredentialRequestOptionsJSON): AuthenticationResponseJSON
}

export interface AuthenticatorSettings {
  /** 32 secret bytes. Key and credential id follow from it, so nothing is stored; use one seed per customer. */
  seed: Buffer
  /** For another passkey of the same seed: its credential id begins with it, so that a caller that is shown the id finds the key again. */
  salt?: Buffer
  rpId: string
  origin: string
}

/**
 * An authenticator and its browser in software. It makes real signatures over real client data, so a headless approval
 * passes the same verification as a phone's; only the person is missing.
 */
export function createSoftwareAuthenticator(settings: AuthenticatorSettings): SoftwareAuthenticator {
  const device = createDevice(settings)
  return {
    credentialId: device.credentialId.toString('base64url'),
    register: (options) => sealRegistration(draftRegistration(device, options)),
    authenticate: (options) => sealAuthentication(draftAuthentication(device, options), device.key),
  }
}

export interface Device {
  rpId: string
  origin: string
  credentialId: Buffer
  key: KeyObject
  /** In COSE form. */
  publicKey: Uint8Array
}

export function createDevice({ seed, salt = Buffer.alloc(0), rpId, origin }: AuthenticatorSettings): Device {
  if (seed.length !== 32) throw new RangeError('The seed must have 32 bytes.')
  const derive = (purpose: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', seed, salt, `mintmark.software-authenticator.${purpose}`, length))
  const credentialId = Buffer.concat([salt, derive('credential-id', 32)])
  return { rpId, origin, credentialId, ...keyPairOf(derive('key', 48)) }
}

/** The text that the browser adds to a ceremony, and what the authenticator says about it: all that is signed. */
interface Draft {
  credentialId: Buffer
  clientData: string
  rpId: string
  flags: number
  counter: number
}

export interface RegistrationDraft extends Draft {
  publicKey: Uint8Array
  attestationFormat: string
  attestationStatement: ReadonlyMap<string, CborValue>
}

/** A registration before it is encoded. Tests change a draft to play a hostile browser or authenticator. */
export function draftRegistration(device: Device, options: PublicKeyCredentialCreationOptionsJSON): RegistrationDraft {
  checkRpId(device, options.rp.id)
  const id = device.credentialId.toString('base64url')
  if (options.excludeCredentials?.some((known) => known.id === id))
    throw new Error('This passkey is registered already.')
  return {
    ...draftOf(device, 'webauthn.create', options.challenge),
    flags: SYNCED | FLAGS.attested,
    publicKey: device.publicKey,
    attestationFormat: 'none',
    attestationStatement: new Map(),
  }
}

export function draftAuthentication(device: Device, options: PublicKeyCredentialRequestOptionsJSON): Draft {
  checkRpId(device, options.rpId)
  const id = device.credentialId.toString('base64url')
  const asked = options.allowCredentials ?? []
  if (asked.length > 0 && !asked.some((one) => one.id === id))
    throw new Error('None of the passkeys asked for is here.')
  return draftOf(device, 'webauthn.get', options.challenge)
}

function draftOf({ credentialId, rpId, origin }: Device, type: string, challenge: string): Draft {
  const clientData = JSON.stringify({ type, challenge, origin, crossOrigin: false })
  // The counter stays zero, as with synced passkeys: an authenticator without storage cannot count.
  return { credentialId, clientData, rpId, flags: SYNCED, counter: 0 }
}

/** A browser runs no ceremony for another relying party. A wrong configuration should fail here, with a clear message. */
function checkRpId(device: Device, asked: string | undefined): void {
  if (asked !== device.rpId) throw new Error(`The ceremony is for ${asked}, this authenticator is for ${device.rpId}.`)
}

export function sealRegistration(draft: RegistrationDraft): RegistrationResponseJSON {
  const attestation = new Map<string, CborValue>([
    ['fmt', draft.attestationFormat],
    ['attStmt', draft.attestationStatement],
    ['authData', new Uint8Array(attestedData(draft))],
  ])
  return {
    ...namesOf(draft),
    response: {
      clientDataJSON: Buffer.from(draft.clientData).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    },
  }
}

export function sealAuthentication(draft: Draft, key: KeyObject): AuthenticationResponseJSON {
  const data = authenticatorData(draft)
  return {
    ...namesOf(draft),
    response: {
      clientDataJSON: Buffer.from(draft.clientData).toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signOver(key, data, draft.clientData).toString('base64url'),
    },
  }
}

function namesOf({ credentialId }: Draft) {
  const id = credentialId.toString('base64url')
  return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} }
}

function authenticatorData({ rpId, flags, counter }: Draft): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
}

/** Authenticator data with the new credential, as an attestation signs it. */
export function attestedData(draft: RegistrationDraft): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(draft.credentialId.length)
  const anonymousModel = Buffer.alloc(16)
  return Buffer.concat([authenticatorData(draft), anonymousModel, length, draft.credentialId, draft.publicKey])
}

export function signOver(key: KeyObject, data: Buffer, clientData: string): Buffer {
  const signed = Buffer.concat([data, sha256(clientData)])
  return sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key)
}

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** A P-256 key as good as a random one: 48 derived bytes, reduced to 1…n-1, leave a bias below 2^-128. */
function keyPairOf(derived: Buffer): { key: KeyObject; publicKey: Uint8Array } {
  const scalar = (BigInt(`0x${derived.toString('hex')}`) % (P256_ORDER - 1n)) + 1n
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(d)
  const point = curve.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)]
  const text = { x: x.toString('base64url'), y: y.toString('base64url'), d: d.toString('base64url') }
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', ...text }, format: 'jwk' })
  return { key, publicKey: es256Key(x, y) }
}

/** A P-256 public key in COSE form (RFC 9053), for ES256. */
function es256Key(x: Buffer, y: Buffer): Buffer {
  return cbor(
    new Map<number, CborValue>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(x)],
      [-3, new Uint8Array(y)],
    ]),
  )
}

export type CborValue = string | number | Uint8Array | readonly CborValue[] | ReadonlyMap<string | number, CborValue>

export function cbor(value: CborValue): Buffer {
  return Buffer.from(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]))
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
