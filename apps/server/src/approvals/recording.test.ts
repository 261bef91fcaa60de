import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { transaction } from '../db/transaction.ts'
import { createWorld, type World } from '../passkeys/testing/world.ts'
import { createApproving } from './testing/approving.ts'

// Guarantee: a copied passkey is found by its counter and approves nothing more, and of several signatures for one use
// one is recorded, with the caller's transaction or not at all.

let database: TestDatabase
let world: World
let approving: ReturnType<typeof createApproving>

beforeAll(async () => {
  database = await createTestDatabase()
  world = createWorld(database.pool)
  approving = createApproving(world)
})
afterAll(() => database.close())

describe('the signature counter', () => {
  it('rises with each recorded use', async () => {
    const person = await world.newOwner({ signCount: 3 })
    const verified = await approving.approve(person, { counter: 9 })
    expect(verified.assertion).toMatchObject({ oldSignCount: 3, newSignCount: 9 })
    expect(await approving.record(person, verified)).toBe(true)
    expect(await approving.signCount(person)).toBe(9n)
  })

  it.each([9, 8, 0])('that was 9 and is %i flags the passkey: it approves nothing any more', async (counter) => {
    const person = await world.newOwner({ signCount: 9 })
    const parallel = await approving.ask(person)
    await expect(approving.approve(person, { counter })).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
      message: 'This passkey can no longer be used.',
      details: { reason: 'PASSKEY_BLOCKED' },
    })
    expect(await approving.flaggedAt(person)).toEqual(world.clock.now())
    expect(await world.hasPasskey(person.scope)).toBe(true)
    const later = person.authenticator.authenticate(parallel.options, { counter: 10 })
    await expect(approving.approvals.verify(person.scope, later)).rejects.toMatchObject({
      message: 'This passkey can no longer be used.',
    })
    await expect(approving.ask(person)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
  })

  it('does not flag on unsigned bytes: else a launch link alone would replace the passkey', async () => {
    const person = await world.newOwner({ signCount: 9 })
    await expect(approving.approve(person, { counter: 1, tamperSignature: true })).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
    })
    expect(await approving.flaggedAt(person)).toBeNull()
    await approving.approve(person, { counter: 10 })
  })

  it('counts one of two uses with the same value', async () => {
    const first = await world.newOwner({ signCount: 1 })
    const second = await world.newSession(first)
    const both = [
      await approving.approve(first, { counter: 2 }),
      await approving.approve(second, { counter: 2 }),
    ] as const
    const outcomes = await Promise.all([approving.record(first, both[0]), approving.record(second, both[1])])
    expect(outcomes.sort()).toEqual([false, true])
    expect(await approving.countApprovals(first)).toBe(1)
  })

  it('of a synced passkey stays at zero, and each use counts', async () => {
    const first = await world.newOwner()
    const second = await world.newSession(first)
    expect(await approving.record(first, await approving.approve(first))).toBe(true)
    expect(await approving.record(second, await approving.approve(second))).toBe(true)
  })
})

describe('recording', () => {
  it('is refused when the passkey was flagged after the signature was verified', async () => {
    const person = await world.newOwner({ signCount: 1 })
    const verified = await approving.approve(person, { counter: 2 })
    await expect(approving.approve(person, { counter: 1 })).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    expect(await approving.record(person, verified)).toBe(false)
    expect(await approving.countApprovals(person)).toBe(0)
  })

  it('is refused for another customer than the one who signed', async () => {
    const person = await world.newOwner()
    const other = await world.newOwner({ merchantId: person.scope.merchantId })
    expect(await approving.record(other, await approving.approve(person))).toBe(false)
  })

  it('gives a session one approval', async () => {
    const person = await world.newOwner()
    const [first, second] = [await approving.approve(person), await approving.approve(person)]
    expect(await approving.record(person, first)).toBe(true)
    expect(await approving.record(person, second)).toBe(false)
    expect(await approving.countApprovals(person)).toBe(1)
  })

  it('leaves nothing behind when the caller rolls back', async () => {
    const person = await world.newOwner({ signCount: 1 })
    const verified = await approving.approve(person, { counter: 2 })
    const failing = transaction(database.pool, async (tx) => {
      const change = { tx, at: world.clock.now() }
      expect(await approving.approvals.record(change, person.scope, verified)).toBe(true)
      throw new Error('The caller failed.')
    })
    await expect(failing).rejects.toThrow('The caller failed.')
    expect(await approving.signCount(person)).toBe(1n)
    expect(await approving.countApprovals(person)).toBe(0)
  })
})

describe('after a flag', () => {
  it('neither the old passkey nor a new one opens the saved cards: who copied a key may hold a launch link too', async () => {
    const person = await world.newOwner({ signCount: 5 })
    await expect(approving.approve(person, { counter: 5 })).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    const register = world.service.registrationOptions(person.scope, { embedded: false, userLabel: '' })
    await expect(register).rejects.toMatchObject({ code: 'INVALID_STATE' })
    await expect(approving.ask(person)).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
  })
})
