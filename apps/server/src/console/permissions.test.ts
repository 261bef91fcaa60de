// Guarantee: the console shows the standing permissions of the account, and no other one's, with how much of the
// window is taken, held and left at the environment's time; a list of one state is looked for, and goes on.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoAccount, signInToConsole, type TestPerson } from '../../test/console.ts'
import { approvedSession, complete, createSession, expectError, newUser } from '../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { charge, reportCharge } from '../charges/testing/standing.ts'
import { newOwner, type Owner, standingMandate } from '../mandates/testing/standing.ts'

const DAY = 24 * 60 * 60
let service: TestService
let demo: TestMerchant
let person: TestPerson
let owner: Owner
beforeAll(async () => {
  service = await startTestService({ env: { RATE_LIMIT_CONSOLE: '100000' } })
  demo = await demoAccount(service)
  person = await signInToConsole(service)
  owner = await newOwner(service, demo)
})
afterAll(() => service?.close())

const list = async (query = '') => (await person.get(`/api/permissions${query}`)).body
const view = async (id: string) => (await person.get(`/api/permissions/${id}`)).body
const idsOf = ({ permissions }: { permissions: { mandate_id: string }[] }) => permissions.map((each) => each.mandate_id)
const found = async (text: string) => (await person.get(`/api/find?q=${text}`)).body.found

/** A permission as a customer gives it, of 40.00 a month. */
async function given(user_id = newUser()): Promise<string> {
  const session = await createSession(demo, { user_id, mandate_setup: { recurring_frequency: 'monthly' } })
  await complete(demo, session.session_id)
  await service.runJobs()
  return (session as typeof session & { mandate_id: string }).mandate_id
}

describe('a permission', () => {
  test('shows what its window has taken, what of it is held, what is left, and what was signed', async () => {
    const user_id = newUser()
    const id = await given(user_id)
    const paid = await charge(demo, id, { amount: '12.00' })
    await reportCharge(demo, id, paid.body.transactionId)
    const held = await charge(demo, id, { amount: '5.00', reference: 'r-held' })
    const seen = await view(id)
    expect(seen).toMatchObject({
      permission: {
        ...{ mandate_id: id, state: 'available', status: 'active', frequency: 'monthly', customer: user_id },
        ...{ amount: '40.00', spent: '17.00', left: '23.00', currency: 'USD', charge_count: 2, ended_at: null },
      },
      ...{ used: '12.00', held: '5.00' },
      sentence: { locale: 'en', text: expect.stringContaining('40.00') },
      payments: [
        { charge_id: held.body.transactionId, mandate_id: id, amount: '5.00', money: 'held', customer: user_id },
        { charge_id: paid.body.transactionId, mandate_id: id, amount: '12.00', money: 'charged', customer: user_id },
      ],
    })
    const { renewsAt, validUntil } = (await demo.get(`/v1/mandates/${id}`)).body
    expect(seen.permission).toMatchObject({ renews_at: renewsAt, valid_until: validUntil })
    expect((await list()).permissions[0]).toEqual(seen.permission)
    expect(await found(id)).toEqual([{ kind: 'permission', id }])

    await service.clock.advance(32 * DAY)
    const later = await view(id)
    expect(later).toMatchObject({ permission: { spent: '0.00', left: '40.00' }, used: '0.00', held: '0.00' })
    expect(Date.parse(later.permission.renews_at)).toBeGreaterThan(Date.parse(renewsAt))
  })

  test('that waits for its cardholder has no end yet, and nothing that was signed', async () => {
    const session = await createSession(demo, { mandate_setup: { recurring_frequency: 'one_time' } })
    const { mandate_id: id } = session as typeof session & { mandate_id: string }
    expect(await view(id)).toMatchObject({
      permission: { state: 'pending', is_approved: false, valid_until: null, renews_at: null },
      ...{ held: '0.00', sentence: null, payments: [] },
    })
  })

  test('of another account is none, by its id, in the list and for the finder', async () => {
    const other = await service.addMerchant()
    const session = await createSession(other, { mandate_setup: { recurring_frequency: 'monthly' } })
    const { mandate_id: id } = session as typeof session & { mandate_id: string }
    const none = await person.get('/api/permissions/mdt_none')
    const theirs = await person.get(`/api/permissions/${id}`)
    expectError(theirs, 404, 'NOT_FOUND')
    expect(theirs.body.error.message).toBe(none.body.error.message)
    expect(await found(id)).toEqual([])
    expect(idsOf(await list())).not.toContain(id)
  })

  test('of one purchase is no permission, and the finder leads to its payment', async () => {
    await approvedSession(demo)
    const { mandates } = (await demo.get('/v1/mandates?limit=1')).body
    const [{ id }] = mandates
    expect(idsOf(await list())).not.toContain(id)
    expectError(await person.get(`/api/permissions/${id}`), 404, 'NOT_FOUND')
    expect(await found(id)).toEqual([{ kind: 'payment', id: expect.stringMatching(/^txn_/) }])
  })
})

test('the list goes on behind its last one, and a list of one state has no other one', async () => {
  for (let count = 0; count < 52; count += 1) await standingMandate(service, owner)
  const paused = [await standingMandate(service, owner, { status: 'paused' })]
  const first = await list()
  expect(first.permissions).toHaveLength(50)
  expect(idsOf(first)).toEqual(idsOf(first).toSorted().toReversed())
  const second = await list(`?before=${first.next_before}`)
  expect(idsOf(second).filter((id) => idsOf(first).includes(id))).toEqual([])
  expect(second).toMatchObject({ next_before: null })

  expect(idsOf(await list('?state=paused'))).toEqual(paused)
  const available = await list('?state=available')
  expect(available.permissions).toHaveLength(50)
  expect(idsOf(await list(`?state=available&before=${available.next_before}`)).length).toBeGreaterThan(0)
  expect((await person.get('/api/permissions?state=nothing')).status).toBe(400)
})
