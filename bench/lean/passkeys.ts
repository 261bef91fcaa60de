import { createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { sha256 } from './crypto.ts'
import { Refused } from './http.ts'

// Registration and assertion of one kind of authenticator, ES256 without attestation, by hand.

const RP_ID = '127.0.0.1'
const RP_HASH = sha256(RP_ID)
const PRESENT_AND_VERIFIED = 0x05
const FLAGS_AT = 32
const CREDENTIAL_AT = 55
/** What stands before the point of a P-256 key in its DER form. */
const SPKI = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')

export interface Registered {
  readonly credentialId: string
  /** The uncompressed point. */
  readonly publicKey: Buffer
}

interface Response<Fields> {
  readonly id: string
  readonly response: Fields
}

type RegistrationFields = { clientDataJSON: string; attestationObject: string; transports: string[] }
type AssertionFields = { clientDataJSON: string; authenticatorData: string; signature: string }

export function registrationOptions(challenge: string, customer: string): object {
  return {
    challenge,
    rp: { id: RP_ID, name: 'Lean' },
    user: { id: sha256(customer).toString('base64url'), name: customer, displayName: customer },
    pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
    timeout: 300_000,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  }
}

export function assertionOptions(challenge: string, credentialId: string): object {
  const allowCredentials = [{ id: credentialId, type: 'public-key', transports: ['internal'] }]
  return { challenge, rpId: RP_ID, allowCredentials, userVerification: 'required', timeout: 300_000 }
}

/** What the browser says it asked for. Its challenge is what finds the row that was kept for it. */
export function challengeIn(given: unknown): string {
  const { response } = given as Response<{ clientDataJSON: string }>
  return (JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as { challenge: string }).challenge
}

export function verifyRegistration(given: unknown, challenge: string, origin: string): Registered {
  const { id, response } = given as Response<RegistrationFields>
  checkClientData(Buffer.from(response.clientDataJSON, 'base64url'), { type: 'webauthn.create', challenge, origin })
  const data = attestedData(Buffer.from(response.attestationObject, 'base64url'))
  checkAuthenticatorData(data)
  const length = data.readUInt16BE(CREDENTIAL_AT - 2)
  const credentialId = data.subarray(CREDENTIAL_AT, CREDENTIAL_AT + length).toString('base64url')
  if (credentialId !== id) throw new Refused(400, 'credential')
  const key = data.subarray(CREDENTIAL_AT + length)
  return { credentialId, publicKey: Buffer.concat([Buffer.from([4]), coordinate(key, 0x21), coordinate(key, 0x22)]) }
}

/** The bytes behind the name `authData` of the attestation, which is CBOR. */
function attestedData(attestation: Buffer): Buffer {
  const at = attestation.indexOf('authData') + 'authData'.length
  return attestation.subarray(at + (attestation[at] === 0x58 ? 2 : 3))
}

/** 32 bytes under the label of a COSE key. */
function coordinate(key: Buffer, label: number): Buffer {
  const at = key.indexOf(Buffer.from([label, 0x58, 0x20])) + 3
  return key.subarray(at, at + 32)
}

export interface Evidence {
  readonly clientData: Buffer
  readonly authenticatorData: Buffer
  readonly signature: Buffer
}

interface Expected {
  readonly challenge: string
  readonly credentialId: string
  readonly publicKey: Buffer
  /** The challenge is the hash of what was agreed to. */
  readonly text: string
  readonly origin: string
}

export function verifyAssertion(given: unknown, expected: Expected): Evidence {
  const { id, response } = given as Response<AssertionFields>
  const clientData = Buffer.from(response.clientDataJSON, 'base64url')
  const authenticatorData = Buffer.from(response.authenticatorData, 'base64url')
  const signature = Buffer.from(response.signature, 'base64url')
  checkClientData(clientData, { ...expected, type: 'webauthn.get' })
  checkAuthenticatorData(authenticatorData)
  if (id !== expected.credentialId || sha256(expected.text).toString('base64url') !== expected.challenge)
    throw new Refused(400, 'approval')
  const key = createPublicKey({ key: Buffer.concat([SPKI, expected.publicKey]), format: 'der', type: 'spki' })
  if (!verify('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), key, signature))
    throw new Refused(400, 'signature')
  return { clientData, authenticatorData, signature }
}

function checkClientData(raw: Buffer, expected: { type: string; challenge: string; origin: string }): void {
  const { type, challenge, origin, crossOrigin } = JSON.parse(raw.toString())
  const isRight = type === expected.type && challenge === expected.challenge && origin === expected.origin
  if (!isRight || crossOrigin !== false) throw new Refused(400, 'client data')
}

function checkAuthenticatorData(data: Buffer): void {
  const isOurs = timingSafeEqual(data.subarray(0, FLAGS_AT), RP_HASH)
  if (!isOurs || ((data[FLAGS_AT] ?? 0) & PRESENT_AND_VERIFIED) !== PRESENT_AND_VERIFIED)
    throw new Refused(400, 'authenticator data')
}
