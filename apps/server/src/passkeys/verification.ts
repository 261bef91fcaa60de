import { hash, type KeyObject, verify } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { decodeAttestationObject, parseAuthenticatorData } from '@simplewebauthn/server/helpers'
import type { ClientData } from './client-data.ts'
import { passkeyFailed } from './errors.ts'
import { coseAlgorithm, publicKeyOf } from './public-key.ts'
import type { RelyingParty } from './webauthn.ts'

// What WebAuthn says to check of an answer (Level 3, 7.1 and 7.2). The library reads what is foreign: CBOR, authenticator data
// and keys. Its own verification hashes and verifies by web crypto, on other threads: seven jobs a payment, each dearer to hand over
// than to do. `verification.test.ts` holds that what is accepted here is accepted by the library.

/** An answer whose client data was read. `topOrigin` must have been checked against the registered origins already. */
interface Answered<Json> {
  json: Json
  /** The client data as it was signed, and what it says. */
  bytes: Uint8Array
  clientData: ClientData
}

type Party = Pick<RelyingParty, 'rpId' | 'surfaceOrigin'>

export interface NewCredential {
  id: string
  publicKey: Buffer
  signCount: number
  transports: string[]
  backupEligible: boolean
  backedUp: boolean
}

export function verifyRegistration(
  rp: Party,
  challenge: string,
  { json, bytes, clientData }: Answered<RegistrationResponseJSON>,
): NewCredential {
  return refusing(() => {
    checkClientData(rp, { type: 'webauthn.create', challenge }, clientData)
    const attestation = decodeAttestationObject(decode(json.response.attestationObject))
    const authData = attestation.get('authData')
    const { flags, counter, credentialID, credentialPublicKey } = readAuthenticatorData(rp, authData)
    if (credentialID === undefined || credentialPublicKey === undefined) throw new Error('No credential is attested.')
    checkId(json, Buffer.from(credentialID).toString('base64url'))
    const key = publicKeyOf(credentialPublicKey)
    const statement = statementOf(attestation)
    if (statement !== null) {
      if (statement.algorithm !== coseAlgorithm(key)) throw new Error('The attestation names another alg than the key.')
      checkSignature(key, statement.signature, authData, bytes)
    }
    return {
      id: json.id,
      publicKey: Buffer.from(credentialPublicKey),
      signCount: counter,
      transports: json.response.transports ?? [],
      backupEligible: flags.be,
      backedUp: flags.bs,
    }
  })
}

interface StoredCredential {
  id: string
  publicKey: Uint8Array
}

interface Assertion {
  signCount: number
  backupEligible: boolean
  backedUp: boolean
}

/** Everything but the counter: acting on it before the signature is verified would let unsigned bytes flag a passkey. */
export function verifyAssertion(
  rp: Party,
  { challenge, credential }: { challenge: string; credential: StoredCredential },
  { json, bytes, clientData }: Answered<AuthenticationResponseJSON>,
): Assertion {
  return refusing(() => {
    checkClientData(rp, { type: 'webauthn.get', challenge }, clientData)
    checkId(json, credential.id)
    const authData = decode(json.response.authenticatorData)
    const { flags, counter } = readAuthenticatorData(rp, authData)
    checkSignature(publicKeyOf(credential.publicKey), decode(json.response.signature), authData, bytes)
    return { signCount: counter, backupEligible: flags.be, backedUp: flags.bs }
  })
}

function checkClientData(rp: Party, expected: { type: string; challenge: string }, given: ClientData): void {
  if (given.type !== expected.type) throw new Error('Unexpected response type.')
  if (given.challenge !== expected.challenge) throw new Error('Unexpected challenge.')
  if (given.origin !== rp.surfaceOrigin) throw new Error('Unexpected origin.')
  if (!given.crossOrigin && given.topOrigin !== undefined) throw new Error('Unexpected top origin.')
}

function checkId({ id, rawId }: { id: string; rawId: string }, expected: string): void {
  if (id !== rawId) throw new Error('The credential has two ids.')
  // The one outside of what is signed is the sender's word.
  if (id !== expected) throw new Error('The credential id is not the attested one.')
}

function readAuthenticatorData({ rpId }: Party, bytes: Uint8Array<ArrayBuffer>) {
  const read = parseAuthenticatorData(bytes)
  const { rpIdHash, flags } = read
  if (!hash('sha256', rpId, 'buffer').equals(rpIdHash)) throw new Error('Unexpected RP ID hash.')
  if (!flags.up) throw new Error('User presence is required, and the user was not present.')
  if (!flags.uv) throw new Error('User verification is required, and the user could not be verified.')
  if (flags.bs && !flags.be) throw new Error('The credential is backed up and not eligible for it.')
  return read
}

/**
 * We ask for no attestation, so a browser sends `none`, or `packed` without certificates (self attestation): the signature and its
 * algorithm, or null. With certificates somebody would have to build chains and fetch the revocation lists they name.
 */
function statementOf(attestation: ReturnType<typeof decodeAttestationObject>) {
  const format = attestation.get('fmt')
  const statement = attestation.get('attStmt')
  if (format === 'none' && statement.size === 0) return null
  const signature = statement.get('sig')
  if (format !== 'packed' || statement.get('x5c') !== undefined || signature === undefined) {
    throw new Error('The attestation was not asked for.')
  }
  return { signature, algorithm: statement.get('alg') }
}

function checkSignature(key: KeyObject, signature: Uint8Array, authData: Uint8Array, clientData: Uint8Array): void {
  const signed = Buffer.concat([authData, hash('sha256', clientData, 'buffer')])
  // Ed25519 hashes by itself.
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  if (!verify(digest, signed, key, signature)) throw new Error('The signature does not verify.')
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

/** Every failure inside, hostile bytes included, becomes one declared refusal. */
function refusing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw passkeyFailed({ cause: error })
  }
}
