import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { transaction } from '../db/transaction.ts'
import { createWorld, type Person, STATEMENT, type World } from './fixtures.test-helper.ts'
import type { VerifiedApproval } from './service.ts'
import type { AuthenticatorOverrides } from './testing/hostile-authenticator.ts'

// Guarantee: a copied passkey is found by its counter and approves nothing more, and of several signatures for one use
// one is recorded, with the caller's transaction or not at all.

let database: TestDatabase
let world: World

beforeAll(async () => {
  database = await createTestDatabase()
  world = createWorld(database.pool)
})
afterAll(() => database.close())

describe('the signature counter', () => {
  it('rises with each recorded use', async () => {
    const person = await world.newOwner({ signCount: 3 })
    const verified = await approve(person, { counter: 9 })
    expect(verified).toMatchObject({ oldSignCount: 3, newSignCount: 9 })
    expect(await record(person, verified)).toBe(true)
    expect(await signCount(person)).toBe(9n)
  })

  it.each([9, 8, 0])('that was 9 and is %i flags the passkey: it approves nothing any more', async (counter) => {
    const person = await world.newOwner({ signCount: 9 })
    const parallel = await ask(person)
    await expect(approve(person, { counter })).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
      message: 'This passkey can no longer be used.',
    })
    expect(await flaggedAt(person)).toEqual(world.clock.now())
    expect(await world.service.hasPasskey(person.scope)).toBe(true)
    const later = person.authenticator.authenticate(parallel.options, { counter: 10 })
    await expect(world.service.verifyApproval(person.scope, later)).rejects.toMatchObject({
      message: 'This passkey can no longer be used.',
    })
    await expect(ask(person)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
  })

  it('does not flag on unsigned bytes: else a launch link alone would replace the passkey', async () => {
    const person = await world.newOwner({ signCount: 9 })
    await expect(approve(person, { counter: 1, tamperSignature: true })).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
    })
    expect(await flaggedAt(person)).toBeNull()
    await approve(person, { counter: 10 })
  })

  it('counts one of two uses with the same value', async () => {
    const first = await world.newOwner({ signCount: 1 })
    const second = await world.newSession(first)
    const both = [await approve(first, { counter: 2 }), await approve(second, { counter: 2 })] as const
    const outcomes = await Promise.all([record(first, both[0]), record(second, both[1])])
    expect(outcomes.sort()).toEqual([false, true])
    expect(await countApprovals(first)).toBe(1)
  })

  it('of a synced passkey stays at zero, and each use counts', async () => {
    const first = await world.newOwner()
    const second = await world.newSession(first)
    expect(await record(first, await approve(first))).toBe(true)
    expect(await record(second, await approve(second))).toBe(true)
  })
})

describe('recording', () => {
  it('is refused when the passkey was flagged after the signature was verified', async () => {
    const person = await world.newOwner({ signCount: 1 })
    const verified = await approve(person, { counter: 2 })
    await expect(approve(person, { counter: 1 })).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    expect(await record(person, verified)).toBe(false)
    expect(await countApprovals(person)).toBe(0)
  })

  it('is refused for another customer than the one who signed', async () => {
    const person = await world.newOwner()
    const other = await world.newOwner({ merchantId: person.scope.merchantId })
    expect(await record(other, await approve(person))).toBe(false)
  })

  it('gives a session one approval', async () => {
    const person = await world.newOwner()
    const mandateId = await world.newMandate(person)
    const [first, second] = [await approve(person), await approve(person)]
    expect(await record(person, first, mandateId)).toBe(true)
    expect(await record(person, second, mandateId)).toBe(false)
    expect(await countApprovals(person)).toBe(1)
  })

  it('leaves nothing behind when the caller rolls back', async () => {
    const person = await world.newOwner({ signCount: 1 })
    const mandateId = await world.newMandate(person)
    const verified = await approve(person, { counter: 2 })
    const failing = transaction(database.pool, async (tx) => {
      expect(await world.service.recordApproval(tx, person.scope, verified, mandateId)).toBe(true)
      throw new Error('The caller failed.')
    })
    await expect(failing).rejects.toThrow('The caller failed.')
    expect(await signCount(person)).toBe(1n)
    expect(await countApprovals(person)).toBe(0)
  })
})

describe('after a flag', () => {
  it('neither the old passkey nor a new one opens the saved cards: who copied a key may hold a launch link too', async () => {
    const person = await world.newOwner({ signCount: 5 })
    await expect(approve(person, { counter: 5 })).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    const register = world.service.registrationOptions(person.scope, { embedded: false, userLabel: '' })
    await expect(register).rejects.toMatchObject({ code: 'INVALID_STATE' })
    await expect(ask(person)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
  })
})

function ask(person: Person) {
  return world.service.approvalOptions(person.scope, { embedded: false, cardId: person.cardId, statement: STATEMENT })
}

async function approve(person: Person, overrides: AuthenticatorOverrides = {}) {
  const { options } = await ask(person)
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

async function signCount(person: Person): Promise<bigint> {
  return (await storedPasskey(person)).sign_count
}

async function countApprovals({ scope }: Person): Promise<number> {
  const { rowCount } = await database.pool.query('select from approvals where merchant_id = $1', [scope.merchantId])
  return rowCount ?? 0
}
