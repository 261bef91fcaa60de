import { randomBytes } from 'node:crypto'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { describe, expect, it } from 'vitest'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from './software-authenticator.ts'
import { createHostileAuthenticator } from './testing/hostile-authenticator.ts'

// Guarantee: the software authenticator signs what a real one signs, so a headless approval skips no check.

const PLACE = { rpId: 'pay.mintmark.test', origin: 'https://pay.mintmark.test' }
const SETTINGS = { seed: randomBytes(32), ...PLACE }

type Asked = Parameters<SoftwareAuthenticator['authenticate']>[0]

describe('the software authenticator', () => {
  it('registers and authenticates as any other, as verified by the WebAuthn library', async () => {
    const { credential } = await register()
    // A second one of the same seed: nothing was stored.
    expect(await authenticate(credential)).toMatchObject({
      verified: true,
      authenticationInfo: { newCounter: 0, userVerified: true, credentialBackedUp: true },
    })
  })

  it('has a key and a credential id that follow from the seed alone', async () => {
    const [first, second] = [await register(), await register()]
    expect(first.credential.publicKey).toEqual(second.credential.publicKey)
    expect(first.credential.id).toBe(second.credential.id)
    const other = createSoftwareAuthenticator({ seed: randomBytes(32), ...PLACE })
    expect(other.credentialId).not.toBe(first.credential.id)
  })

  it('has another passkey for each salt, which is found again by its id', async () => {
    const salt = randomBytes(16)
    const [salted, other] = [salt, randomBytes(16)].map((one) =>
      createSoftwareAuthenticator({ ...SETTINGS, salt: one }),
    )
    const { credential } = await register(salted)
    expect(credential.publicKey).not.toEqual((await register(other)).credential.publicKey)
    const found = Buffer.from(credential.id, 'base64url').subarray(0, 16)
    const again = createSoftwareAuthenticator({ ...SETTINGS, salt: found })
    expect(await authenticate(credential, again)).toMatchObject({ verified: true })
  })

  it('makes a valid key of any seed', async () => {
    for (const byte of [0x00, 0xff]) {
      const authenticator = createSoftwareAuthenticator({ seed: Buffer.alloc(32, byte), ...PLACE })
      expect(authenticator.credentialId).toHaveLength(43)
    }
  })

  it('in the hostile form of tests, sends a signature that does not verify', async () => {
    const { credential } = await register()
    const hostile = createHostileAuthenticator(SETTINGS)
    const tampering = { authenticate: (options: Asked) => hostile.authenticate(options, { tamperSignature: true }) }
    const answer = authenticate(credential, tampering).catch(() => ({ verified: false }))
    expect(await answer).toMatchObject({ verified: false })
  })

  it('refuses a wrong seed, another relying party, and credentials it does not have or has already', async () => {
    expect(() => createSoftwareAuthenticator({ seed: Buffer.alloc(31), ...PLACE })).toThrow(RangeError)
    const authenticator = createSoftwareAuthenticator(SETTINGS)
    const foreign = await generateAuthenticationOptions({ rpID: 'other.example' })
    expect(() => authenticator.authenticate(foreign)).toThrow('other.example')
    const asked = await generateAuthenticationOptions({ rpID: PLACE.rpId, allowCredentials: [{ id: 'AAAA' }] })
    expect(() => authenticator.authenticate(asked)).toThrow('None of the passkeys')
    const { credentialId } = authenticator
    const names = { rpID: PLACE.rpId, rpName: 'Mintmark', userName: 'a' }
    const again = await generateRegistrationOptions({ ...names, excludeCredentials: [{ id: credentialId }] })
    expect(() => authenticator.register(again)).toThrow('registered already')
  })
})

async function register(authenticator = createSoftwareAuthenticator(SETTINGS)) {
  const options = await generateRegistrationOptions({ rpID: PLACE.rpId, rpName: 'Mintmark', userName: 'a' })
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: authenticator.register(options),
    expectedChallenge: options.challenge,
    expectedOrigin: PLACE.origin,
    expectedRPID: PLACE.rpId,
  })
  if (!verified) throw new Error('The registration did not verify.')
  return registrationInfo
}

async function authenticate(
  credential: Awaited<ReturnType<typeof register>>['credential'],
  authenticator: Pick<SoftwareAuthenticator, 'authenticate'> = createSoftwareAuthenticator(SETTINGS),
) {
  const options = await generateAuthenticationOptions({ rpID: PLACE.rpId, allowCredentials: [{ id: credential.id }] })
  return verifyAuthenticationResponse({
    response: authenticator.authenticate(options),
    expectedChallenge: options.challenge,
    expectedOrigin: PLACE.origin,
    expectedRPID: PLACE.rpId,
    credential,
  })
}
