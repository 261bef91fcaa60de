import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto'
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject } from '@simplewebauthn/server/helpers'
import { describe, expect, it } from 'vitest'
import { parseClientData } from './client-data.ts'
import { ALGORITHMS } from './public-key.ts'
import type { CborValue } from './software-authenticator.ts'
import {
  type AuthenticatorOverrides,
  createHostileAuthenticator,
  type HostileAuthenticator,
} from './testing/hostile-authenticator.ts'
import { type NewCredential, verifyAssertion, verifyRegistration } from './verification.ts'
import { creationOptions, requestOptions } from './webauthn.ts'

// Guarantee: what is accepted here the WebAuthn library accepts too, and reads the same from it, whatever bit was changed.

const RP = {
  rpId: 'pay.mintmark.test',
  rpName: 'Mintmark',
  surfaceOrigin: 'https://pay.mintmark.test',
  challengeTtlSeconds: 300,
}
const CHALLENGE = randomBytes(32).toString('base64url')

const P256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const es256 = authenticatorOf(P256())
const eddsa = authenticatorOf(generateKeyPairSync('ed25519').privateKey)
const rs256 = authenticatorOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)

describe.each([
  ['ES256', es256],
  ['EdDSA', eddsa],
  ['RS256', rs256],
])('%s', (_, authenticator) => {
  it('registers, and reads the same as the library', async () => {
    const response = await register(authenticator, { counter: 7 })
    const ours = registered(response)
    expect(ours).toMatchObject({ id: authenticator.credentialId, signCount: 7 })
    expect(await registeredByLibrary(response)).toEqual(ours)
  })

  it('signs, and reads the same as the library', async () => {
    const credential = registered(await register(authenticator))
    const response = await answer(authenticator, { counter: 9 })
    const ours = verified(response, credential)
    expect(ours).toEqual({ signCount: 9, backupEligible: true, backedUp: true })
    expect(await verifiedByLibrary(response, credential)).toEqual(ours)
  })

  it('registers nothing that the library refuses, with a bit of any byte changed', async () => {
    const response = await register(authenticator)
    for (const changed of changedIn(response, ['clientDataJSON', 'attestationObject'])) {
      const ours = attempt(() => registered(changed))
      if (ours !== null) expect(await registeredByLibrary(changed)).toEqual(ours)
    }
  })

  it('approves nothing with a bit of any byte changed, as the library', async () => {
    const credential = registered(await register(authenticator))
    const response = await answer(authenticator)
    for (const changed of changedIn(response, ['clientDataJSON', 'authenticatorData', 'signature'])) {
      expect(attempt(() => verified(changed, credential))).toBeNull()
      expect(await verifiedByLibrary(changed, credential).catch(() => null)).toBeNull()
    }
  })

  it('approves nothing with the key of another authenticator', async () => {
    const credential = registered(await register(authenticator))
    const credentialId = Buffer.from(credential.id, 'base64url')
    for (const stranger of [authenticatorOf(P256()), es256, eddsa, rs256]) {
      if (stranger === authenticator) continue
      const response = await answer(stranger, { credentialId })
      expect(attempt(() => verified(response, credential))).toBeNull()
    }
  })
})

describe('a signed answer', () => {
  it('is refused with another challenge or id than what was asked for', async () => {
    const credential = registered(await register(es256))
    const response = await answer(es256)
    expect(() => verified(response, credential, 'another')).toThrow(because('Unexpected challenge.'))
    const other = { ...credential, id: 'AAAA' }
    expect(() => verified(response, other)).toThrow(because('The credential id is not the attested one.'))
    expect(() => verified({ ...response, rawId: 'AAAA' }, credential)).toThrow(because('The credential has two ids.'))
  })
})

describe('self attestation', () => {
  it('is taken, as by the library', async () => {
    const response = await register(es256, { selfAttestation: true })
    expect(await registeredByLibrary(response)).toEqual(registered(response))
  })

  it('is refused when another key signed it, or none', async () => {
    const theirs = await register(authenticatorOf(P256()), { selfAttestation: true })
    const sig = decodeAttestationObject(bytesOf(theirs.response.attestationObject)).get('attStmt').get('sig')
    const statements: [string, CborValue | undefined][][] = [
      [],
      [['alg', -7]],
      [
        ['alg', -7],
        ['sig', sig],
      ],
    ]
    for (const statement of statements) {
      const attestationStatement = new Map(statement) as Map<string, CborValue>
      const response = await register(es256, { attestationFormat: 'packed', attestationStatement })
      expect(attempt(() => registered(response))).toBeNull()
    }
  })

  it('is refused when it names another algorithm than the key has, although the signature is right', async () => {
    // This authenticator says ES256 of every key.
    const response = await register(eddsa, { selfAttestation: true })
    expect(() => registered(response)).toThrow(because('The attestation names another alg than the key.'))
  })

  it('is refused under the name of no attestation', async () => {
    const attestationStatement = new Map([['sig', new Uint8Array(8)]])
    const response = await register(es256, { attestationStatement })
    expect(() => registered(response)).toThrow(because('The attestation was not asked for.'))
  })
})

function authenticatorOf(key: ReturnType<typeof P256>): HostileAuthenticator {
  return createHostileAuthenticator({ seed: randomBytes(32), key, rpId: RP.rpId, origin: RP.surfaceOrigin })
}

async function register(authenticator: HostileAuthenticator, overrides: AuthenticatorOverrides = {}) {
  const ceremony = { challenge: CHALLENGE, userId: randomBytes(32), userLabel: 'Shop' }
  return authenticator.register(await creationOptions(RP, ceremony), overrides)
}

async function answer(authenticator: HostileAuthenticator, overrides: AuthenticatorOverrides = {}) {
  return authenticator.authenticate(await requestOptions(RP, { challenge: CHALLENGE, allow: [] }), overrides)
}

function registered(json: RegistrationResponseJSON): NewCredential {
  return verifyRegistration(RP, CHALLENGE, { json, ...clientDataOf(json) })
}

function verified(json: AuthenticationResponseJSON, credential: NewCredential, challenge = CHALLENGE) {
  return verifyAssertion(RP, { challenge, credential }, { json, ...clientDataOf(json) })
}

const EXPECTED = { expectedChallenge: CHALLENGE, expectedOrigin: RP.surfaceOrigin, expectedRPID: RP.rpId }

async function registeredByLibrary(response: RegistrationResponseJSON): Promise<NewCredential> {
  const algorithms = { supportedAlgorithmIDs: [...ALGORITHMS] }
  const { verified, registrationInfo } = await verifyRegistrationResponse({ response, ...EXPECTED, ...algorithms })
  if (!verified) throw new Error('The library refuses it.')
  const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    transports: credential.transports ?? [],
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
  }
}

async function verifiedByLibrary(response: AuthenticationResponseJSON, { id, publicKey }: NewCredential) {
  const credential = { id, publicKey: new Uint8Array(publicKey), counter: 0 }
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({ response, ...EXPECTED, credential })
  if (!verified) throw new Error('The library refuses it.')
  const { newCounter: signCount, credentialDeviceType, credentialBackedUp: backedUp } = authenticationInfo
  return { signCount, backupEligible: credentialDeviceType === 'multiDevice', backedUp }
}

function clientDataOf({ response }: { response: { clientDataJSON: string } }) {
  const bytes = bytesOf(response.clientDataJSON)
  return { bytes, clientData: parseClientData(bytes) }
}

/** One copy for each byte of these members, with one of its bits changed. */
function* changedIn<Json extends { response: object }>(json: Json, members: string[]): Generator<Json> {
  for (const member of members) {
    const bytes = bytesOf((json.response as Record<string, string>)[member] ?? '')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << randomInt(8)), at)
      yield { ...json, response: { ...json.response, [member]: changed.toString('base64url') } }
    }
  }
}

function bytesOf(text: string) {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

function because(message: string) {
  return expect.objectContaining({ code: 'PASSKEY_FAILED', cause: expect.objectContaining({ message }) })
}
