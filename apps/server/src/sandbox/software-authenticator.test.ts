import { randomBytes } from 'node:crypto'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { describe, expect, it } from 'vitest'
import { type AuthenticatorOverrides, createSoftwareAuthenticator } from './software-authenticator.ts'

// Guarantee: what the software authenticator signs is what a real one would, so a headless approval skips no check.

const rpId = 'pay.mintmark.test'
const origin = 'https://pay.mintmark.test'
const seed = randomBytes(32)

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
    const other = createSoftwareAuthenticator({ seed: randomBytes(32), rpId, origin })
    expect(other.credentialId).not.toBe(first.credential.id)
  })

  it('makes a valid key of any seed', async () => {
    for (const byte of [0x00, 0xff]) {
      const authenticator = createSoftwareAuthenticator({ seed: Buffer.alloc(32, byte), rpId, origin })
      expect(authenticator.credentialId).toHaveLength(43)
    }
  })

  it('can be told to send a signature that does not verify', async () => {
    const { credential } = await register()
    const answer = authenticate(credential, { tamperSignature: true }).catch(() => ({ verified: false }))
    expect(await answer).toMatchObject({ verified: false })
  })

  it('refuses a wrong seed, another relying party, and credentials it does not have or has already', async () => {
    expect(() => createSoftwareAuthenticator({ seed: Buffer.alloc(31), rpId, origin })).toThrow(RangeError)
    const authenticator = createSoftwareAuthenticator({ seed, rpId, origin })
    const foreign = await generateAuthenticationOptions({ rpID: 'other.example' })
    expect(() => authenticator.authenticate(foreign)).toThrow('other.example')
    const asked = await generateAuthenticationOptions({ rpID: rpId, allowCredentials: [{ id: 'AAAA' }] })
    expect(() => authenticator.authenticate(asked)).toThrow('None of the passkeys')
    const { credentialId } = authenticator
    const names = { rpID: rpId, rpName: 'Mintmark', userName: 'a' }
    const again = await generateRegistrationOptions({ ...names, excludeCredentials: [{ id: credentialId }] })
    expect(() => authenticator.register(again)).toThrow('registered already')
  })
})

async function register() {
  const authenticator = createSoftwareAuthenticator({ seed, rpId, origin })
  const options = await generateRegistrationOptions({ rpID: rpId, rpName: 'Mintmark', userName: 'a' })
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: authenticator.register(options),
    expectedChallenge: options.challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
  })
  if (!verified) throw new Error('The registration did not verify.')
  return registrationInfo
}

async function authenticate(
  credential: Awaited<ReturnType<typeof register>>['credential'],
  overrides: AuthenticatorOverrides = {},
) {
  const authenticator = createSoftwareAuthenticator({ seed, rpId, origin })
  const options = await generateAuthenticationOptions({ rpID: rpId, allowCredentials: [{ id: credential.id }] })
  return verifyAuthenticationResponse({
    response: authenticator.authenticate(options, overrides),
    expectedChallenge: options.challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential,
  })
}
