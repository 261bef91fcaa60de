import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { PublicError } from '../platform/errors.ts'
import type { CeremonyScope } from './service.ts'
import { FLAGS } from './software-authenticator.ts'
import { type AuthenticatorOverrides, createHostileAuthenticator } from './testing/hostile-authenticator.ts'
import {
  createWorld,
  newAuthenticator,
  RP_ID,
  SHOP_ORIGIN,
  SURFACE_ORIGIN,
  TTL_SECONDS,
  type World,
} from './testing/world.ts'

// Guarantee: a customer gets one passkey, verified, on our page, bound to the session; no second one can be added.

let database: TestDatabase
let world: World

beforeAll(async () => {
  database = await createTestDatabase()
  world = createWorld(database.pool)
})
afterAll(() => database?.close())
// Other files of this process fetch for themselves.
afterEach(() => void vi.restoreAllMocks())

const ASK = { embedded: false, userLabel: 'Shop' }

describe('registration', () => {
  it('stores the passkey and says so', async () => {
    const { scope, authenticator } = await world.newPerson()
    expect(await world.hasPasskey(scope)).toBe(false)
    const options = await world.service.registrationOptions(scope, ASK)
    const answer = await world.register(scope, authenticator.register(options, { counter: 7 }))
    expect(answer).toEqual({ passkeyId: authenticator.credentialId })
    expect(await world.hasPasskey(scope)).toBe(true)
    expect(await storedPasskeys(scope)).toMatchObject([
      {
        id: authenticator.credentialId,
        sign_count: 7n,
        backup_eligible: true,
        backed_up: true,
        transports: ['internal'],
      },
    ])
  })

  it('asks for user verification, our algorithms, no attestation, and names the customer by hash', async () => {
    const { scope } = await world.newPerson()
    const options = await world.service.registrationOptions(scope, ASK)
    expect(options).toMatchObject({
      rp: { id: RP_ID, name: 'Mintmark' },
      attestation: 'none',
      timeout: TTL_SECONDS * 1000,
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    })
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-7, -8, -257])
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(48)
    expect(JSON.stringify(options)).not.toContain(scope.customerId)
  })

  it('never shares an object between two calls', async () => {
    const { scope } = await world.newPerson()
    const first = await world.service.registrationOptions(scope, ASK)
    Object.assign(first.authenticatorSelection ?? {}, { userVerification: 'discouraged' })
    first.pubKeyCredParams.length = 0
    const second = await world.service.registrationOptions(scope, ASK)
    expect(second.authenticatorSelection?.userVerification).toBe('required')
    expect(second.pubKeyCredParams).toHaveLength(3)
    // An authenticator that has a passkey of a user id replaces it.
    expect(second.user.id).not.toBe(first.user.id)
  })

  it('works in a frame of a registered origin', async () => {
    const { scope, authenticator } = await world.newPerson()
    const options = await world.service.registrationOptions(scope, { ...ASK, embedded: true })
    await world.register(scope, authenticator.register(options, { crossOrigin: true, topOrigin: SHOP_ORIGIN }))
    expect(await world.hasPasskey(scope)).toBe(true)
  })

  const keys: [name: string, key: KeyObject][] = [
    ['EdDSA', generateKeyPairSync('ed25519').privateKey],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
  ]
  it.each(keys)('takes a key for %s, and its signature approves', async (_, key) => {
    const { scope } = await world.newPerson()
    const authenticator = createHostileAuthenticator({
      seed: randomBytes(32),
      rpId: RP_ID,
      origin: SURFACE_ORIGIN,
      key,
    })
    await world.register(scope, authenticator.register(await world.service.registrationOptions(scope, ASK)))
    const options = await world.service.assertionOptions(scope, { embedded: false, text: '{}' })
    const verified = await world.service.verify(scope, authenticator.authenticate(options))
    expect(verified.passkeyId).toBe(authenticator.credentialId)
  })

  it('takes self attestation, which some browsers pass on unasked', async () => {
    const { scope } = await world.newPerson()
    await tryRegister(scope, { selfAttestation: true })
    expect(await world.hasPasskey(scope)).toBe(true)
  })
})

describe('a hostile registration is refused', () => {
  const table: [what: string, overrides: AuthenticatorOverrides, because: RegExp][] = [
    ['of another origin', { origin: 'https://evil.example' }, /origin is not that of our page/],
    ['for another relying party', { rpId: 'evil.example' }, /RP ID/],
    ['that is an approval', { type: 'webauthn.get' }, /response type/],
    ['without user presence', { flags: FLAGS.userVerified }, /presence/],
    ['without user verification', { flags: FLAGS.userPresent }, /verified/],
    ['backed up but not eligible', { flags: FLAGS.userPresent | FLAGS.userVerified | FLAGS.backedUp }, /backed up/],
    ['with an unknown challenge', { challenge: randomBytes(32).toString('base64url') }, /challenge is unknown/],
    ['with a top origin and no frame', { topOrigin: SHOP_ORIGIN }, /without a cross-origin frame/],
    [
      'with an algorithm not offered',
      {
        cosePublicKey: cose([
          [1, 2],
          [3, -35],
          [-1, 2],
        ]),
      },
      /Unexpected public key alg/,
    ],
    ['with a key of no algorithm', { cosePublicKey: cose([[1, 2]]) }, /alg/],
    [
      'with an RSA key that says ES256',
      {
        cosePublicKey: cose([
          [1, 3],
          [3, -7],
        ]),
      },
      /do not fit/,
    ],
    ['with an ES256 key of P-384', { cosePublicKey: p384() }, /do not fit/],
    ['with a point off the curve', { cosePublicKey: offCurve() }, /not valid/],
    ['with a short RSA key', { cosePublicKey: rsa(1024, 65_537) }, /1024 bits/],
    ['with RSA exponent 3', { cosePublicKey: rsa(2048, 3) }, /exponent/],
    ['with a key that is no map', { cosePublicKey: isoCBOR.encode('key') }, /./],
    ['with an unknown attestation', { attestationFormat: 'other' }, /not asked for/],
  ]
  it.each(table)('%s', async (_, overrides, because) => {
    const { scope } = await world.newPerson()
    const error = await tryRegister(scope, overrides).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'PASSKEY_FAILED', message: 'The passkey could not be verified. Try again.' })
    expect((error as PublicError).cause).toMatchObject({ message: expect.stringMatching(because) })
    expect(await world.hasPasskey(scope)).toBe(false)
  })

  it('with another id outside the attestation than inside', async () => {
    const { scope, authenticator } = await world.newPerson()
    const response = authenticator.register(await world.service.registrationOptions(scope, ASK))
    const id = newAuthenticator().credentialId
    await expect(world.register(scope, { ...response, id, rawId: id })).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
      cause: { message: 'The credential id is not the attested one.' },
    })
  })

  it.each(['packed', 'android-key', 'apple', 'tpm', 'fido-u2f', 'android-safetynet'])(
    'with certificates for %s attestation, before any address in them is fetched',
    async (attestationFormat) => {
      const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('No network.'))
      const { scope } = await world.newPerson()
      const attestationStatement = new Map([['x5c', [new Uint8Array([0x30])]]])
      await expect(tryRegister(scope, { attestationFormat, attestationStatement })).rejects.toMatchObject({
        cause: { message: 'The attestation was not asked for.' },
      })
      expect(fetched).not.toHaveBeenCalled()
    },
  )

  it.each<[string, boolean, AuthenticatorOverrides]>([
    ['in a frame of an origin that is not registered', true, { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['in a frame nobody names', true, { crossOrigin: true }],
    ['in a frame the page did not tell of', false, { crossOrigin: true, topOrigin: SHOP_ORIGIN }],
    ['embedded, when the browser reports no frame', true, {}],
  ])('%s, so that the page goes on in a tab', async (_, embedded, overrides) => {
    const { scope } = await world.newPerson()
    await expect(tryRegister(scope, overrides, embedded)).rejects.toMatchObject({ code: 'PASSKEY_FRAME_REFUSED' })
  })

  it('with a challenge of another session, of another customer, of an approval, expired, or used', async () => {
    const { scope, authenticator } = await world.newPerson()
    const other = await world.newPerson({ merchantId: scope.merchantId })
    const owner = await world.newOwner({ merchantId: scope.merchantId })
    const approval = await world.service.assertionOptions(owner.scope, { embedded: false, text: '{}' })
    const options = await world.service.registrationOptions(scope, ASK)
    const theirs = await world.service.registrationOptions(other.scope, ASK)
    for (const { challenge } of [theirs, approval]) {
      const response = authenticator.register(options, { challenge })
      await expect(world.register(scope, response)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    }
    // A scope that mixes our session with their customer finds the row, and the binding refuses it.
    const mixed = { ...scope, customerId: other.scope.customerId }
    await expect(world.register(mixed, authenticator.register(options))).rejects.toMatchObject({
      cause: { message: expect.stringContaining('does not bind') },
    })
    const late = await world.service.registrationOptions(scope, ASK)
    world.clock.advance(TTL_SECONDS)
    await expect(world.register(scope, authenticator.register(late))).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
    })
    const fresh = await world.service.registrationOptions(scope, ASK)
    const forged = authenticator.register(fresh, { flags: FLAGS.userPresent })
    await expect(world.register(scope, forged)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    // The failed try has burnt the challenge.
    await expect(world.register(scope, authenticator.register(fresh))).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
    })
    expect(await world.hasPasskey(scope)).toBe(false)
  })

  it('with a credential id another customer of the merchant has', async () => {
    const owner = await world.newOwner()
    const thief = await world.newPerson({ merchantId: owner.scope.merchantId })
    const credentialId = Buffer.from(owner.authenticator.credentialId, 'base64url')
    await expect(tryRegister(thief.scope, { credentialId })).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
      message: 'This passkey cannot be used here. Use another one.',
      details: { reason: 'PASSKEY_IN_USE' },
    })
    expect(await world.hasPasskey(thief.scope)).toBe(false)
    expect(await world.hasPasskey(owner.scope)).toBe(true)
  })

  it.each(malformed())('when the answer is malformed: %s', async (_, response) => {
    const { scope } = await world.newPerson()
    await expect(world.register(scope, response)).rejects.toMatchObject({
      code: 'VAL_2001',
      details: expect.anything(),
    })
  })

  it('when its attestation is nested a thousand deep', async () => {
    const { scope, authenticator } = await world.newPerson()
    const response = authenticator.register(await world.service.registrationOptions(scope, ASK))
    const attestationObject = Buffer.alloc(12_000, 0x81).toString('base64url')
    const hostile = { ...response, response: { ...response.response, attestationObject } }
    await expect(world.register(scope, hostile)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
  })
})

describe('one passkey a customer', () => {
  it('is what a holder of a launch link finds: no second one can be added, not even with older options', async () => {
    const { scope, authenticator } = await world.newPerson()
    const mine = await world.service.registrationOptions(scope, ASK)
    const thiefs = await world.service.registrationOptions(scope, ASK)
    await world.register(scope, authenticator.register(mine))
    await expect(world.service.registrationOptions(scope, ASK)).rejects.toMatchObject({ code: 'INVALID_STATE' })
    await expect(world.register(scope, newAuthenticator().register(thiefs))).rejects.toMatchObject({
      code: 'INVALID_STATE',
    })
    expect(await storedPasskeys(scope)).toHaveLength(1)
  })

  it('when 32 authenticators answer at once', async () => {
    const { scope } = await world.newPerson()
    const asked = await Promise.all(Array.from({ length: 32 }, () => world.service.registrationOptions(scope, ASK)))
    const answers = asked.map((options) => newAuthenticator().register(options))
    const outcomes = await Promise.allSettled(answers.map((answer) => world.register(scope, answer)))
    expect(codes(outcomes)).toEqual({ ok: 1, INVALID_STATE: 31 })
    expect(await storedPasskeys(scope)).toHaveLength(1)
  })

  it('when one answer is sent 32 times at once', async () => {
    const { scope, authenticator } = await world.newPerson()
    const answer = authenticator.register(await world.service.registrationOptions(scope, ASK))
    const outcomes = await Promise.allSettled(Array.from({ length: 32 }, () => world.register(scope, answer)))
    expect(codes(outcomes)).toEqual({ ok: 1, PASSKEY_FAILED: 31 })
    expect(await storedPasskeys(scope)).toHaveLength(1)
  })
})

async function tryRegister(scope: CeremonyScope, overrides: AuthenticatorOverrides, embedded = false) {
  const options = await world.service.registrationOptions(scope, { ...ASK, embedded })
  return world.register(scope, newAuthenticator().register(options, overrides))
}

async function storedPasskeys(scope: CeremonyScope) {
  const { rows } = await database.pool.query('select * from passkeys where merchant_id = $1 and customer_id = $2', [
    scope.merchantId,
    scope.customerId,
  ])
  return rows
}

function codes(outcomes: PromiseSettledResult<unknown>[]): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const outcome of outcomes) {
    const code =
      outcome.status === 'fulfilled' ? 'ok' : outcome.reason instanceof PublicError ? outcome.reason.code : '?'
    tally[code] = (tally[code] ?? 0) + 1
  }
  return tally
}

function malformed(): [what: string, response: unknown][] {
  const response = { clientDataJSON: 'AAAA', attestationObject: 'AAAA' }
  const good = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response }
  return [
    ['undefined', undefined],
    ['null', null],
    ['text', 'x'],
    ['a list', []],
    ['empty', {}],
    ['no response', { ...good, response: undefined }],
    ['another type', { ...good, type: 'password' }],
    ['an id that is no text', { ...good, id: 1 }],
    ['an empty id', { ...good, id: '' }],
    ['an id with padding', { ...good, id: 'AAA=' }],
    ['an id with unused bits set', { ...good, id: 'AB' }],
    ['an id too long', { ...good, id: 'A'.repeat(1365) }],
    ['client data too long', { ...good, response: { ...response, clientDataJSON: 'A'.repeat(5464) } }],
    ['an attestation too long', { ...good, response: { ...response, attestationObject: 'A'.repeat(21_848) } }],
    ['an attestation that is no base64url', { ...good, response: { ...response, attestationObject: 'A+/A' } }],
    ['a transport with a zero byte', { ...good, response: { ...response, transports: ['usb\u0000'] } }],
    ['too many transports', { ...good, response: { ...response, transports: Array(17).fill('usb') } }],
  ]
}

function cose(members: [label: number, value: number | Uint8Array][]): Uint8Array {
  return isoCBOR.encode(new Map<string | number, number | Uint8Array>(members))
}

function p384(): Uint8Array {
  return cose([
    [1, 2],
    [3, -7],
    [-1, 2],
    [-2, randomBytes(48)],
    [-3, randomBytes(48)],
  ])
}

function offCurve(): Uint8Array {
  return cose([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(32).fill(1)],
    [-3, new Uint8Array(32).fill(1)],
  ])
}

function rsa(modulusLength: number, publicExponent: number): Uint8Array {
  const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export({
    format: 'jwk',
  })
  return cose([
    [1, 3],
    [3, -257],
    [-1, Buffer.from(n, 'base64url')],
    [-2, Buffer.from(e, 'base64url')],
  ])
}
