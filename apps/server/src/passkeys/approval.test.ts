import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { transaction } from '../db/transaction.ts'
import { bindChallenge, canonicalJson } from './approval-challenge.ts'
import {
  createWorld,
  newAuthenticator,
  type Person,
  SHOP_ORIGIN,
  STATEMENT,
  TTL_SECONDS,
  type World,
} from './fixtures.test-helper.ts'
import { userHandle } from './rules.ts'
import type { JsonValue, VerifiedApproval } from './service.ts'
import { FLAGS } from './software-authenticator.ts'
import type { AuthenticatorOverrides } from './testing/hostile-authenticator.ts'

// Guarantee: an approval is one signature, by the customer's own unflagged passkey, with the person verified, on our page,
// over exactly the statement shown, and it counts once.

let database: TestDatabase
let world: World

beforeAll(async () => {
  database = await createTestDatabase()
  world = createWorld(database.pool)
})
afterAll(() => database.close())

const { userPresent: UP, userVerified: UV, backupEligible: BE, backedUp: BS } = FLAGS

describe('an approval', () => {
  it('is verified, and recorded with its evidence in the transaction of the caller', async () => {
    const person = await world.newOwner()
    const verified = await approve(person)
    expect(verified).toMatchObject({
      passkeyId: person.authenticator.credentialId,
      cardId: person.cardId,
      statement: canonicalJson(STATEMENT),
      statementHash: createHash('sha256').update(canonicalJson(STATEMENT)).digest('hex'),
      oldSignCount: 0,
      newSignCount: 0,
    })
    // The evidence stands alone: nonce and statement give the challenge that was signed.
    const { challenge } = JSON.parse(verified.clientDataJson.toString())
    expect(bindChallenge(verified.nonce, verified.statement)).toBe(challenge)

    expect(await record(person, verified)).toBe(true)
    const { rows } = await database.pool.query('select * from approvals where session_id = $1', [
      person.scope.sessionId,
    ])
    expect(rows).toMatchObject([
      {
        passkey_id: verified.passkeyId,
        card_id: person.cardId,
        statement: verified.statement,
        nonce: verified.nonce,
        client_data_json: verified.clientDataJson,
        authenticator_data: verified.authenticatorData,
        signature: verified.signature,
        approved_at: world.clock.now(),
      },
    ])
  })

  it('is asked for with user verification and the customer’s own passkey only', async () => {
    const person = await world.newOwner()
    await world.newOwner({ merchantId: person.scope.merchantId })
    const { options, statement } = await ask(person)
    expect(statement).toEqual(STATEMENT)
    expect(options).toMatchObject({ userVerification: 'required', timeout: TTL_SECONDS * 1000 })
    expect(options.allowCredentials?.map(({ id }) => id)).toEqual([person.authenticator.credentialId])
  })

  it.each<[string, boolean, AuthenticatorOverrides]>([
    ['in a frame of a registered origin', true, { crossOrigin: true, topOrigin: SHOP_ORIGIN }],
    ['in a frame of any port of a wildcard origin', true, { crossOrigin: true, topOrigin: 'http://localhost:5173' }],
    ['of a passkey that is not backed up at the moment', false, { flags: UP | UV | BE }],
  ])('passes %s', async (_, embedded, overrides) => {
    const person = await world.newOwner()
    await approve(person, overrides, embedded)
  })

  it('passes with the customer’s user handle, and with null', async () => {
    const person = await world.newOwner()
    await approve(person, { userHandle: userHandle(person.scope).toString('base64url') })
    const response = person.authenticator.authenticate((await ask(person)).options)
    const withNull = { ...response, response: { ...response.response, userHandle: null } }
    expect(await world.service.verifyApproval(person.scope, withNull)).toBeDefined()
  })

  it('needs a passkey first', async () => {
    await expect(ask(await world.newPerson())).rejects.toMatchObject({ code: 'PASSKEY_REQUIRED' })
  })

  it('needs a statement that has one canonical form', async () => {
    await expect(ask(await world.newOwner(), { amount: 40.5 })).rejects.toThrow(TypeError)
  })
})

describe('a hostile approval is refused', () => {
  const table: [what: string, overrides: AuthenticatorOverrides, because: RegExp][] = [
    ['of another origin', { origin: 'https://evil.example' }, /origin is not the secure surface/],
    ['for another relying party', { rpId: 'evil.example' }, /RP ID/],
    ['that is a registration', { type: 'webauthn.create' }, /response type/],
    ['without user presence', { flags: UV | BE | BS }, /not present/],
    ['without user verification', { flags: UP | BE | BS }, /could not be verified/],
    ['backed up but not eligible', { flags: UP | UV | BS }, /backed up/],
    ['no longer eligible for backup', { flags: UP | UV }, /backup eligibility changed/],
    ['with a bogus signature', { tamperSignature: true }, /./],
    ['with an unknown challenge', { challenge: randomBytes(32).toString('base64url') }, /challenge is unknown/],
    ['with a challenge too long', { challenge: 'A'.repeat(3000) }, /challenge is unknown/],
    ['with a top origin and no frame', { topOrigin: SHOP_ORIGIN }, /without a cross-origin frame/],
    ['with somebody else’s user handle', { userHandle: randomBytes(32).toString('base64url') }, /user handle/],
    ['with client data that is no object', { clientDataJson: '[]' }, /no object/],
  ]
  it.each(table)('%s', async (_, overrides, because) => {
    const person = await world.newOwner()
    await expect(approve(person, overrides)).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
      message: 'The passkey could not be verified. Try again.',
      cause: { message: expect.stringMatching(because) },
    })
  })

  it('with an origin given twice, the right one where one reader looks', async () => {
    const person = await world.newOwner()
    const { options } = await ask(person)
    const { challenge } = options
    const twice = `"origin":"https://evil.example","origin":"https://pay.mintmark.test"`
    const clientDataJson = `{"type":"webauthn.get","challenge":"${challenge}",${twice}}`
    const response = person.authenticator.authenticate(options, { clientDataJson })
    await expect(world.service.verifyApproval(person.scope, response)).rejects.toMatchObject({
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
    await expect(approve(person, overrides, embedded)).rejects.toMatchObject({ code: 'PASSKEY_FRAME_REFUSED' })
  })

  it('with a passkey that became eligible for backup after it was registered device-bound', async () => {
    const person = await world.newOwner({ flags: UP | UV })
    await approve(person, { flags: UP | UV })
    await expect(approve(person)).rejects.toMatchObject({ cause: { message: expect.stringContaining('eligibility') } })
  })

  it('with another customer’s passkey, of the same merchant and of another', async () => {
    const person = await world.newOwner()
    const sameMerchant = await world.newOwner({ merchantId: person.scope.merchantId })
    for (const thief of [sameMerchant, await world.newOwner()]) {
      const { options } = await ask(person)
      const response = thief.authenticator.authenticate({ ...options, allowCredentials: [] })
      await expect(world.service.verifyApproval(person.scope, response)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('no such credential') },
      })
    }
  })

  it('with another key under the customer’s credential id', async () => {
    const person = await world.newOwner()
    const { options } = await ask(person)
    const credentialId = Buffer.from(person.authenticator.credentialId, 'base64url')
    const response = newAuthenticator().authenticate(options, { credentialId })
    await expect(world.service.verifyApproval(person.scope, response)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    expect(await flaggedAt(person)).toBeNull()
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
    await expect(world.service.verifyApproval(scope, response)).rejects.toMatchObject({
      code: 'VAL_2001',
      details: { [path]: 'is missing or malformed' },
    })
  })
})

describe('a challenge', () => {
  it('has one winner when the same answer is sent 32 times at once', async () => {
    const person = await world.newOwner()
    const response = person.authenticator.authenticate((await ask(person)).options)
    const tries = Array.from({ length: 32 }, () => world.service.verifyApproval(person.scope, response))
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'PASSKEY_FAILED' })
    }
  })

  it('is burnt by a verification that failed', async () => {
    const person = await world.newOwner()
    const { options } = await ask(person)
    const forged = person.authenticator.authenticate(options, { tamperSignature: true })
    await expect(world.service.verifyApproval(person.scope, forged)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    const honest = person.authenticator.authenticate(options)
    await expect(world.service.verifyApproval(person.scope, honest)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('challenge is unknown') },
    })
  })

  it('is of its session, its ceremony and its time', async () => {
    const person = await world.newOwner()
    const again = await world.newSession(person)
    const response = person.authenticator.authenticate((await ask(person)).options)
    const unknown = { cause: { message: expect.stringContaining('challenge is unknown') } }
    await expect(world.service.verifyApproval(again.scope, response)).rejects.toMatchObject(unknown)

    const newcomer = await world.newPerson({ merchantId: person.scope.merchantId })
    const registration = await world.service.registrationOptions(newcomer.scope, { embedded: false, userLabel: '' })
    const crossed = person.authenticator.authenticate((await ask(person)).options, {
      challenge: registration.challenge,
    })
    await expect(world.service.verifyApproval(newcomer.scope, crossed)).rejects.toMatchObject(unknown)

    world.clock.advance(TTL_SECONDS)
    await expect(world.service.verifyApproval(person.scope, response)).rejects.toMatchObject(unknown)
  })

  it('still counts one second before it expires', async () => {
    const person = await world.newOwner()
    const response = person.authenticator.authenticate((await ask(person)).options)
    world.clock.advance(TTL_SECONDS - 1)
    expect(await world.service.verifyApproval(person.scope, response)).toBeDefined()
  })

  it('freezes the terms: what is approved is what was shown, whatever was asked for since', async () => {
    const person = await world.newOwner()
    const shown = await ask(person, { amount: '40.00' })
    await ask(person, { amount: '4000.00' })
    const response = person.authenticator.authenticate(shown.options)
    expect(await world.service.verifyApproval(person.scope, response)).toMatchObject({
      statement: '{"amount":"40.00"}',
    })
  })

  it('shows a copy of the frozen terms, which no later change of the caller’s own object reaches', async () => {
    const person = await world.newOwner()
    const terms = { amount: '40.00' }
    const shown = await ask(person, terms)
    terms.amount = '4000.00'
    expect(shown.statement).toEqual({ amount: '40.00' })
  })

  it('approves nothing when its statement was changed in the database', async () => {
    const person = await world.newOwner()
    const { options } = await ask(person, { amount: '40.00' })
    const changed = await database.pool.query('update passkey_challenges set statement = $1 where challenge = $2', [
      '{"amount":"4000.00"}',
      options.challenge,
    ])
    expect(changed.rowCount).toBe(1)
    const response = person.authenticator.authenticate(options)
    await expect(world.service.verifyApproval(person.scope, response)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('does not bind these terms') },
    })
  })

  it('is deleted after it expired, so many at a time, and not before', async () => {
    world.clock.advance(TTL_SECONDS)
    await world.service.deleteExpiredChallenges(10_000)
    const person = await world.newOwner()
    for (let asked = 0; asked < 3; asked += 1) await ask(person)
    expect(await world.service.deleteExpiredChallenges(10)).toBe(0)
    world.clock.advance(TTL_SECONDS)
    // Three approvals, and the registration whose challenge was claimed.
    expect(await world.service.deleteExpiredChallenges(3)).toBe(3)
    expect(await world.service.deleteExpiredChallenges(3)).toBe(1)
  })
})

function ask(person: Person, statement: JsonValue = STATEMENT, embedded = false) {
  return world.service.approvalOptions(person.scope, { embedded, cardId: person.cardId, statement })
}

async function approve(person: Person, overrides: AuthenticatorOverrides = {}, embedded = false) {
  const { options } = await ask(person, STATEMENT, embedded)
  return world.service.verifyApproval(person.scope, person.authenticator.authenticate(options, overrides))
}

async function record(person: Person, verified: VerifiedApproval, mandateId?: string): Promise<boolean> {
  const mandate = mandateId ?? (await world.newMandate(person))
  return transaction(database.pool, (tx) => world.service.recordApproval(tx, person.scope, verified, mandate))
}

async function storedPasskey({ scope, authenticator }: Person) {
  const { rows } = await database.pool.query('select * from passkeys where merchant_id = $1 and id = $2', [
    scope.merchantId,
    authenticator.credentialId,
  ])
  return rows[0]
}

async function flaggedAt(person: Person): Promise<Date | null> {
  return (await storedPasskey(person)).flagged_at
}
