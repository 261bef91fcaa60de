import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { keepLog } from '../../test/logged.ts'
import { createApproving } from '../approvals/testing/approving.ts'
import { nextVersion } from '../customers/service.ts'
import { createEventSink } from '../events/service.ts'
import { createPasskeyRecovery } from './release.ts'
import { createWorld, type Person, type World } from './testing/world.ts'

// Guarantee: a passkey is released and unflagged on record; an honest one is not flagged because answers came out of order,
// and a copy is found all the same.

let database: TestDatabase
let world: World
let approving: ReturnType<typeof createApproving>
const { log, lines, entries: written } = keepLog('info')

beforeAll(async () => {
  database = await createTestDatabase()
  world = createWorld(database.pool)
  approving = createApproving(world)
})
afterAll(() => database.close())

/** The service of an operator, whose log is read. */
function operator() {
  lines.length = 0
  const events = createEventSink({ environment: 'sandbox', log })
  return createPasskeyRecovery({ pool: database.pool, clock: world.clock, events, log, nextVersion })
}

/** The fixture names a customer by its id. */
const userOf = ({ scope }: Person) => ({ merchantId: scope.merchantId, userId: scope.customerId })

describe('answers out of order', () => {
  test('of one authenticator: the late one is refused, and nothing is flagged', async () => {
    const first = await world.newOwner({ signCount: 1 })
    const second = await world.newSession(first)
    const [askedFirst, askedSecond] = [await approving.ask(first), await approving.ask(second)]
    const early = first.authenticator.authenticate(askedFirst.options, { counter: 2 })
    const late = second.authenticator.authenticate(askedSecond.options, { counter: 3 })
    const verified = await approving.approvals.verify(second.scope, late)
    expect(await approving.record(second, verified)).toBe(true)
    await expect(approving.approvals.verify(first.scope, early)).rejects.toMatchObject({
      code: 'PASSKEY_FAILED',
      cause: { message: expect.stringContaining('a later signature came first') },
    })
    expect(await approving.flaggedAt(first)).toBeNull()
    const third = await world.newSession(first)
    expect(await approving.record(third, await approving.approve(third, { counter: 4 }))).toBe(true)
  })

  test('a copy cannot hide behind them: at its next own challenge it is flagged', async () => {
    const owner = await world.newOwner({ signCount: 5 })
    const copy = await world.newSession(owner)
    expect(await approving.record(owner, await approving.approve(owner, { counter: 9 }))).toBe(true)
    await expect(approving.approve(copy, { counter: 7 })).rejects.toMatchObject({
      details: { reason: 'PASSKEY_BLOCKED' },
    })
    expect(await approving.flaggedAt(owner)).not.toBeNull()
  })
})

describe('an operator', () => {
  test('lifts a flag, on record, and the passkey approves again', async () => {
    const person = await world.newOwner({ signCount: 5 })
    await expect(approving.approve(person, { counter: 5 })).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    expect(await operator().unflag(userOf(person), 'operator')).toEqual({ count: 1 })
    expect(written()).toMatchObject([
      { audit: 'passkey_unflag', actor: 'operator', merchant_id: person.scope.merchantId },
    ])
    await approving.approve(await world.newSession(person), { counter: 6 })
    await expect(operator().unflag(userOf(person), 'operator')).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })

  test('lifts no flag of a passkey that was replaced', async () => {
    const person = await world.newOwner({ signCount: 5 })
    await expect(approving.approve(person, { counter: 5 })).rejects.toMatchObject({ code: 'PASSKEY_FAILED' })
    await database.pool.query('update passkeys set retired_at = flagged_at where id = $1', [
      person.authenticator.credentialId,
    ])
    await expect(operator().unflag(userOf(person), 'operator')).rejects.toMatchObject({ code: 'INVALID_STATE' })
    expect(written()).toEqual([])
  })

  test('releases a passkey, on record, for a day', async () => {
    const person = await world.newOwner()
    const { releasedAt, expiresAt } = await operator().release(userOf(person), 'operator')
    expect(expiresAt.getTime() - releasedAt.getTime()).toBe(24 * 3600 * 1000)
    expect(written()).toMatchObject([{ audit: 'passkey_release', actor: 'operator' }])
    expect(await world.service.findOwn(person.scope)).toMatchObject({ released: true })
    world.clock.advance(24 * 3600)
    expect(await world.service.findOwn(person.scope)).toMatchObject({ released: false })
  })
})

test('a release alone replaces nothing', async () => {
  const person = await world.newOwner()
  await operator().release(userOf(person), 'operator')
  const options = await world.service.registrationOptions(person.scope, { embedded: false, userLabel: '' })
  const fresh = (await world.newPerson()).authenticator
  await expect(world.register(person.scope, fresh.register(options))).rejects.toMatchObject({ code: 'INVALID_STATE' })
  expect(await world.service.findOwn(person.scope)).toMatchObject({ id: person.authenticator.credentialId })
})
