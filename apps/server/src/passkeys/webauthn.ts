import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { ALGORITHMS } from './public-key.ts'

// What a browser is asked for.

export interface KnownCredential {
  id: string
  transports: string[]
}

export interface RelyingParty {
  rpId: string
  rpName: string
  surfaceOrigin: string
  challengeTtlSeconds: number
}

/** Bytes of our own for the library. Never give it a challenge as text: it would encode the text itself once more. */
function decode(text: string) {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

export function creationOptions(
  rp: RelyingParty,
  ceremony: { challenge: string; userId: Uint8Array; userLabel: string },
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
    // security key need not spend one of its few slots.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
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
