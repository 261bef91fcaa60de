import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { bindChallenge } from '../passkeys/challenge.ts'
import { userHandle } from '../passkeys/rules.ts'
import { FLAGS } from '../passkeys/software-authenticator.ts'
import type { AuthenticatorOverrides } from '../passkeys/testing/hostile-authenticator.ts'
import {
  createWorld,
  newAuthenticator,
  OWNER_ORIGIN,
  SHOP_ORIGIN,
  SURFACE_ORIGIN,
  TTL_SECONDS,
  type World,
} from '../passkeys/testing/world.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { createApproving, TERMS } from './testing/approving.ts'

// Guarantee: an approval is one signature, by the customer's own unflagged passkey, with the person verified, on our page,
// over exactly the terms shown, and it counts once.

let database: TestDatabase
let world: World
let approving: ReturnType<typeof createApproving>

beforeAll(async () => {
  database = await createTestDatabase()
  world = createWorld(database.pool)
  approving = createApproving(world)
})
afterAll(() => database.close())

const { userPresent: UP, userVerified: UV, backupEligible: BE, backedUp: BS } = FLAGS

describe('an approval', () => {
  it('is verified, and recorded with its evidence in the transaction of the caller', async () => {
    const person = await world.newOwner()
    const verified = await approving.approve(person)
    const { assertion } = verified
    expect(verified).toMatchObject({
      terms: TERMS,
      termsHash: createHash('sha256').update(canonicalJson(TERMS)).digest('hex'),
    })
    expect(assertion).toMatchObject({
      passkeyId: person.authenticator.credentialId,
      text: canonicalJson(TERMS),
      oldSignCount: 0,
      newSignCount: 0,
    })
    // The evidence stands alone: nonce and terms give the challenge that was signed.
    const { challenge } = JSON.parse(assertion.clientDataJson.toString())
    expect(bindChallenge(assertion.nonce, assertion.text)).toBe(challenge)

    expect(await approving.record(person, verified)).toBe(true)
    const { rows } = await database.pool.query('select * from approvals where subject_id = $1', [
      person.scope.subject.id,
    ])
    expect(rows).toMatchObject([
      {
        subject_type: 'session',
        passkey_id: assertion.passkeyId,
        terms: assertion.text,
        nonce: assertion.nonce,
        client_data_json: assertion.clientDataJson,
        authenticator_data: assertion.authenticatorData,
        signature: assertion.signature,
        approved_at: world.clock.now(),
      },
    ])
  })

  it('is asked for with user verification and the customer’s own passkey only', async () => {
    const person = await world.newOwner()
    await world.newOwner({ merchantId: person.scope.merchantId })
    const { options, terms } = await approving.ask(person)
    expect(terms).toEqual(TERMS)
    expect(options).toMatchObject({ userVerification: 'required', timeout: TTL_SECONDS * 1000 })
    expect(options.allowCredentials?.map(({ id }) => id)).toEqual([person.authenticator.credentialId])
  })

  it.each<[string, boolean, AuthenticatorOverrides]>([
    ['in a frame of a registered origin', true, { crossOrigin: true, topOrigin: SHOP_ORIGIN }],
    ['in a frame of any port of a wildcard origin', true, { crossOrigin: true, topOrigin: 'http://localhost:5173' }],
    ['of a passkey that is not backed up at the moment', false, { flags: UP | UV | BE }],
  ])('passes %s', async (_, embedded, overrides) => {
    const person = await world.newOwner()
    await approving.approve(person, overrides, embedded)
  })

  it('passes with the customer’s user handle, and with null', async () => {
    const person = await world.newOwner()
    await approving.approve(person, { userHandle: userHandle(person.scope, randomBytes(16)).toString('base64url') })
    const response = person.authenticator.authenticate((await approving.ask(person)).options)
    const withNull = { ...response, response: { ...response.response, userHandle: null } }
    expect(await approving.approvals.verify(person.scope, withNull)).toBeDefined()
  })

  // Safari gives an empty handle, and not none, for a security key's passkey that is not discoverable.
  it('passes with an empty user handle, which is none', async () => {
    const person = await world.newOwner()
    expect(await approving.approve(person, { userHandle: '' })).toBeDefined()
  })

  it('needs a passkey first', async () => {
    await expect(approving.ask(await world.newPerson())).rejects.toMatchObject({ code: 'PASSKEY_REQUIRED' })
  })

  it('needs terms that have one canonical form', async () => {
    await expect(approving.ask(await world.newOwner(), { amount: 40.5 })).rejects.toThrow(TypeError)
  })
})

describe('a hostile approval is refused', () => {
  const table: [what: string, overrides: AuthenticatorOverrides, because: RegExp][] = [
    ['of another origin', { origin: 'https://evil.example' }, /origin is not that of our page/],
    ['of a cardholder, signed at the page of owners', { origin: OWNER_ORIGIN }, /origin is not that of our page/],
    ['for another relying party', { rpId: 'evil.example' }, /RP ID/],
    ['that is a registration', { type: 'webauthn.create' }, /response type/],
    ['without user presence', { flags: UV | BE | BS }, /not present/],
    ['without user verification', { flags: UP | BE | BS }, /could not be verified/],
    ['backed up but not eligible', { flags: UP | UV | BS }, /backed up/],
    ['with a bogus signature', { tamperSignature: true }, /./],
    ['with an unknown challenge', { challenge: randomBytes(32).toString('base64url') }, /challenge is unknown/],
    ['with a challenge too long', { challenge: 'A'.repeat(3000) }, /challenge is unknown/],
    ['with a top origin and no frame', { topOrigin: SHOP_ORIGIN }, /without a cross-origin frame/],
    ['with somebody else’s user handle', { userHandle: randomBytes(32).toString('base64url') }, /user handle/],
    ['with client data that is no object', { clientDataJson: '[]' }, /no object/],
  ]
  it.each(table)('%s', async (_, overrides, because) => {
    const person = await world.newOwner()
    await expect(approving.approve(person, overrides)).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
      message: 'The passkey could not be verified. Try again.',
      cause: { message: expect.stringMatching(because) },
    })
  })

  it('no longer eligible for backup: whoever holds the key is told why, and may try for ever in vain', async () => {
    const person = await world.newOwner()
    for (const _ of ['once', 'again']) {
      await expect(approving.approve(person, { flags: UP | UV })).rejects.toMatchObject({
        code: 'PASSKEY_FAILED',
        details: { reason: 'PASSKEY_CHANGED' },
        cause: { message: expect.stringMatching(/backup eligibility changed/) },
      })
    }
    await expect(approving.approve(person, { flags: UP | UV, tamperSignature: true })).rejects.not.toHaveProperty(
      'details.reason',
    )
    expect(await approving.approve(person, {})).toBeDefined()
  })

  it.each(['agent_link', 'agent_limits', 'escalation', 'owner_visit'] as const)(
    'about what an owner decides (%s), signed at the page of cardholders; at the page of owners it is good',
    async (type) => {
      const person = await world.newOwner()
      person.scope.subject = { ...person.scope.subject, type }
      await expect(approving.approve(person, { origin: SURFACE_ORIGIN })).rejects.toMatchObject({
        code: 'PASSKEY_FAILED',
        cause: { message: expect.stringMatching(/origin is not that of our page/) },
      })
      expect(await approving.approve(person, { origin: OWNER_ORIGIN })).toBeDefined()
    },
  )

  it('with an origin given twice, the right one where one reader looks', async () => {
    const person = await world.newOwner()
    const { options } = await approving.ask(person)
    const { challenge } = options
    const twice = `"origin":"https://evil.example","origin":"https://pay.mintmark.test"`
    const clientDataJson = `{"type":"webauthn.get","challenge":"${challenge}",${twice}}`
    const response = person.authenticator.authenticate(options, { clientDataJson })
    await expect(approving.approvals.verify(person.scope, response)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('twice') },
    })
  })

  it.each<[string, boolean, AuthenticatorOverrides]>([
    ['in a frame of an origin that is not registered', true, { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['in a frame nobody names', true, { crossOrigin: true }],
    ['in a frame the page did not tell of', false, { crossOrigin: true, topOrigin: SHOP_ORIGIN }],
    ['embedded, when the browser reports no frame', true, {}],
  ])('%s, so that the page goes on in a tab', async (_, embedded, overrides) => {
    const person = await world.newOwner()
    await expect(approving.approve(person, overrides, embedded)).rejects.toMatchObject({
      code: 'PASSKEY_FRAME_REFUSED',
    })
  })

  it('with a passkey that became eligible for backup after it was registered device-bound', async () => {
    const person = await world.newOwner({ flags: UP | UV })
    await approving.approve(person, { flags: UP | UV })
    await expect(approving.approve(person)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('eligibility') },
    })
  })

  it('with another customer’s passkey, of the same merchant and of another', async () => {
    const person = await world.newOwner()
    const sameMerchant = await world.newOwner({ merchantId: person.scope.merchantId })
    for (const thief of [sameMerchant, await world.newOwner()]) {
      const { options } = await approving.ask(person)
      const response = thief.authenticator.authenticate({ ...options, allowCredentials: [] })
      await expect(approving.approvals.verify(person.scope, response)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('no such credential') },
      })
    }
  })

  it('with another key under the customer’s credential id', async () => {
    const person = await world.newOwner()
    const { options } = await approving.ask(person)
    const credentialId = Buffer.from(person.authenticator.credentialId, 'base64url')
    const response = newAuthenticator().authenticate(options, { credentialId })
    await expect(approving.approvals.verify(person.scope, response)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    expect(await approving.flaggedAt(person)).toBeNull()
  })

  const good = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'response'],
    ['no signature', { ...good, signature: undefined }, 'response.response.signature'],
    ['a signature too long', { ...good, signature: 'A'.repeat(1367) }, 'response.response.signature'],
    ['a signature with unused bits set', { ...good, signature: 'AB' }, 'response.response.signature'],
    ['client data too long', { ...good, clientDataJSON: 'A'.repeat(5464) }, 'response.response.clientDataJSON'],
    ['a user handle too long', { ...good, userHandle: 'A'.repeat(87) }, 'response.response.userHandle'],
    ['a user handle that is an object', { ...good, userHandle: {} }, 'response.response.userHandle'],
    ['authenticator data in base64', { ...good, authenticatorData: 'A+/=' }, 'response.response.authenticatorData'],
  ])('when the answer is malformed: %s', async (_, inner, path) => {
    const { scope } = await world.newPerson()
    const response =
      inner === undefined ? undefined : { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: inner }
    await expect(approving.approvals.verify(scope, response)).rejects.toMatchObject({
      code: 'VAL_2001',
      details: { [path]: 'is missing or malformed' },
    })
  })
})

describe('a challenge', () => {
  it('has one winner when the same answer is sent 32 times at once', async () => {
    const person = await world.newOwner()
    const response = person.authenticator.authenticate((await approving.ask(person)).options)
    const tries = Array.from({ length: 32 }, () => approving.approvals.verify(person.scope, response))
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'PASSKEY_FAILED' })
    }
  })

  it('is burnt by a verification that failed', async () => {
    const person = await world.newOwner()
    const { options } = await approving.ask(person)
    const forged = person.authenticator.authenticate(options, { tamperSignature: true })
    await expect(approving.approvals.verify(person.scope, forged)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    const honest = person.authenticator.authenticate(options)
    await expect(approving.approvals.verify(person.scope, honest)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('challenge is unknown') },
    })
  })

  it('is of its session, its ceremony and its time', async () => {
    const person = await world.newOwner()
    const again = await world.newSession(person)
    const response = person.authenticator.authenticate((await approving.ask(person)).options)
    const unknown = { cause: { message: expect.stringContaining('challenge is unknown') } }
    await expect(approving.approvals.verify(again.scope, response)).rejects.toMatchObject(unknown)

    const newcomer = await world.newPerson({ merchantId: person.scope.merchantId })
    const registration = await world.service.registrationOptions(newcomer.scope, { embedded: false, userLabel: '' })
    const crossed = person.authenticator.authenticate((await approving.ask(person)).options, {
      challenge: registration.challenge,
    })
    await expect(approving.approvals.verify(newcomer.scope, crossed)).rejects.toMatchObject(unknown)

    world.clock.advance(TTL_SECONDS)
    await expect(approving.approvals.verify(person.scope, response)).rejects.toMatchObject(unknown)
  })

  it('still counts one second before it expires', async () => {
    const person = await world.newOwner()
    const response = person.authenticator.authenticate((await approving.ask(person)).options)
    world.clock.advance(TTL_SECONDS - 1)
    expect(await approving.approvals.verify(person.scope, response)).toBeDefined()
  })

  it('freezes the terms: what is approved is what was shown, whatever was asked for since', async () => {
    const person = await world.newOwner()
    const shown = await approving.ask(person, { amount: '40.00' })
    await approving.ask(person, { amount: '4000.00' })
    const response = person.authenticator.authenticate(shown.options)
    expect(await approving.approvals.verify(person.scope, response)).toMatchObject({
      terms: { amount: '40.00' },
      assertion: { text: '{"amount":"40.00"}' },
    })
  })

  it('shows a copy of the frozen terms, which no later change of the caller’s own object reaches', async () => {
    const person = await world.newOwner()
    const terms = { amount: '40.00' }
    const shown = await approving.ask(person, terms)
    terms.amount = '4000.00'
    expect(shown.terms).toEqual({ amount: '40.00' })
  })

  it('approves nothing when its terms were changed in the database', async () => {
    const person = await world.newOwner()
    const { options } = await approving.ask(person, { amount: '40.00' })
    const changed = await database.pool.query('update passkey_challenges set bound_text = $1 where challenge = $2', [
      '{"amount":"4000.00"}',
      options.challenge,
    ])
    expect(changed.rowCount).toBe(1)
    const response = person.authenticator.authenticate(options)
    await expect(approving.approvals.verify(person.scope, response)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('does not bind this text') },
    })
  })

  it('is deleted after it expired, so many at a time, and not before', async () => {
    world.clock.advance(TTL_SECONDS)
    await world.service.deleteExpiredChallenges(10_000)
    const person = await world.newOwner()
    for (let asked = 0; asked < 3; asked += 1) await approving.ask(person)
    expect(await world.service.deleteExpiredChallenges(10)).toBe(0)
    world.clock.advance(TTL_SECONDS)
    // Three approvals, and the registration whose challenge was claimed.
    expect(await world.service.deleteExpiredChallenges(3)).toBe(3)
    expect(await world.service.deleteExpiredChallenges(3)).toBe(1)
  })
})
