import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject } from '@simplewebauthn/server/helpers'
import { passkeyFailed } from './errors.ts'
import { ALGORITHMS, publicKeyProblem } from './public-key.ts'

// The only file that knows the WebAuthn library. What it throws becomes the cause of a declared error.

export interface KnownCredential {
  id: string
  transports: string[]
}

export interface RelyingParty {
  rpId: string
  rpName: string
  surfaceOrigin: string
  ownerOrigin: string
  challengeTtlSeconds: number
}

/** Bytes of our own for the library. Never give it a challenge as text: it would encode the text itself once more. */
function decode(text: string) {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

export function creationOptions(
  rp: RelyingParty,
  ceremony: { challenge: string; userId: Uint8Array; userLabel: string; discoverable?: boolean },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return generateRegistrationOptions({
    rpID: rp.rpId,
    rpName: rp.rpName,
    userID: new Uint8Array(ceremony.userId),
    userName: ceremony.userLabel,
    userDisplayName: ceremony.userLabel,
    challenge: decode(ceremony.challenge),
    timeout: rp.challengeTtlSeconds * 1000,
    attestationType: 'none',
    supportedAlgorithmIDs: [...ALGORITHMS],
    // A new object each time: the library writes into it. `preferred`, because every approval names the credential, so a
    // security key need not spend one of its few slots; an owner who signs in by it alone needs it there.
    authenticatorSelection: {
      residentKey: ceremony.discoverable === true ? 'required' : 'preferred',
      userVerification: 'required',
    },
  })
}

export function requestOptions(
  rp: RelyingParty,
  ceremony: { challenge: string; allow: KnownCredential[] },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: rp.rpId,
    challenge: decode(ceremony.challenge),
    timeout: rp.challengeTtlSeconds * 1000,
    userVerification: 'required',
    allowCredentials: ceremony.allow,
  })
}

export interface NewCredential {
  id: string
  publicKey: Buffer
  signCount: number
  transports: string[]
  backupEligible: boolean
  backedUp: boolean
}

export function verifyRegistration(
  rp: RelyingParty,
  { challenge, origin }: { challenge: string; origin: string },
  response: RegistrationResponseJSON,
): Promise<NewCredential> {
  return refusing(async () => {
    checkAttestation(response.response.attestationObject)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rp.rpId,
      expectedType: 'webauthn.create',
      requireUserPresence: true,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...ALGORITHMS],
    })
    if (!verified) throw new Error('The attestation does not verify.')
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo
    // The library reports the id inside the attested data and never compares it with the one outside.
    if (credential.id !== response.id) throw new Error('The credential id is not the attested one.')
    const problem = publicKeyProblem(credential.publicKey)
    if (problem !== null) throw new Error(`The public key is refused: ${problem}.`)
    return {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      signCount: credential.counter,
      transports: credential.transports ?? [],
      backupEligible: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
    }
  })
}

/**
 * We ask for no attestation, so a browser sends `none`, or `packed` without certificates (self attestation). With
 * certificates the library would build chains and fetch the revocation lists they name: an address of the sender's choice.
 */
function checkAttestation(attestationObject: string): void {
  const decoded = decodeAttestationObject(decode(attestationObject))
  const format = decoded.get('fmt')
  const selfAttested = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined
  if (format !== 'none' && !selfAttested) throw new Error('The attestation was not asked for.')
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

/** Everything but the counter. `topOrigin` must have been checked against the registered origins already. */
export function verifyAssertion(
  rp: RelyingParty,
  expected: { challenge: string; origin: string; topOrigin: string | undefined; credential: StoredCredential },
  response: AuthenticationResponseJSON,
): Promise<Assertion> {
  return refusing(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.origin,
      expectedRPID: rp.rpId,
      expectedType: 'webauthn.get',
      ...(expected.topOrigin === undefined ? {} : { expectedTopOrigin: expected.topOrigin }),
      requireUserVerification: true,
      // Zero switches the library's counter check off: it runs before the signature is verified, so acting on its answer
      // would let an attacker flag a passkey with unsigned bytes, and then register their own in its place.
      credential: { id: expected.credential.id, publicKey: new Uint8Array(expected.credential.publicKey), counter: 0 },
    })
    if (!verified) throw new Error('The signature does not verify.')
    return {
      signCount: authenticationInfo.newCounter,
      backupEligible: authenticationInfo.credentialDeviceType === 'multiDevice',
      backedUp: authenticationInfo.credentialBackedUp,
    }
  })
}

/** Every failure inside, hostile bytes included, becomes one declared refusal. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw passkeyFailed({ cause: error })
  }
}
