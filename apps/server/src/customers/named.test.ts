// Guarantee: a `user_id` may be any text, also one that is written like our id of a customer. A person who has one is a customer of their own, told
// apart: none gets at what is another's by a name that they chose. For cards a `user_id` comes first; for mandates the service does not guess.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CARDS, createSession, dbRow, enroll, expectInvalid, newUser } from '../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { deleteCard, enrollCard, listCards } from '../cards/testing/enrolled.ts'
import { newOwner, standingMandate } from '../mandates/testing/standing.ts'
import { newId } from '../platform/ids.ts'
import { CREATE_EXAMPLE } from '../sessions/examples.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
})
afterAll(() => service?.close())

/** Both requests that make customers known. */
const BEGINNINGS = [
  ['POST /v1/sessions', (user_id: string) => merchant.post('/v1/sessions', { ...CREATE_EXAMPLE.body, user_id })],
  [
    'POST /v1/sessions/enroll-card',
    (user_id: string) =>
      enroll(merchant, { enrollment_mode: 'full_enrollment', user_id, user_email: 'ann@example.com' }),
  ],
] as const

const customerOf = async (user: string) =>
  (
    await dbRow(service, 'select id from customers where merchant_id = $1 and external_user_id = $2', [
      merchant.merchantId,
      user,
    ])
  ).id

test.each(BEGINNINGS)('%s: every form is taken, and each is a customer of its own', async (_name, begin) => {
  const user = newUser()
  await createSession(merchant, { user_id: user })
  const id = newId('customer')
  const names = [await customerOf(user), id, 'cus_ann', id.slice(0, -1), `${id}0`, `${id} `, id.toUpperCase(), `a${id}`]
  const ids: string[] = [names[0] ?? '']
  for (const name of names) {
    expect({ name, status: (await begin(name)).status }).toEqual({ name, status: 201 })
    ids.push(await customerOf(name))
  }
  expect(new Set(ids).size).toBe(names.length + 1)
})

describe('who takes the id of another for a name', () => {
  test('sees and deletes cards of their own alone, and the other keeps theirs under their own name', async () => {
    const [ann, card] = [newUser(), CARDS.amex]
    const hers = await enrollCard(service, merchant, ann)
    const thief = await customerOf(ann)
    const theirs = await enrollCard(service, merchant, thief, card)
    const idsOf = async (name: string) =>
      (await listCards(merchant, { customer_id: name })).body.cards.map((one: { card_id: string }) => one.card_id)
    expect(await idsOf(thief)).toEqual([theirs])
    expect(await idsOf(ann)).toEqual([hers])
    expect(await idsOf(await customerOf(thief))).toEqual([theirs])
    expect((await deleteCard(merchant, thief, hers)).status).toBe(404)
    expect((await deleteCard(merchant, ann, hers)).status).toBe(200)
  })

  test('is not shown the mandates of the other', async () => {
    const owner = await newOwner(service)
    const hers = await standingMandate(service, owner)
    const list = async (name: string) =>
      (await merchant.get(`/v1/mandates?customer_id=${name}&standing_only=true`)).body.mandates.map(
        ({ id }: { id: string }) => id,
      )
    expect(await list(owner.customerId)).toEqual([hers])
    await createSession(merchant, { user_id: owner.customerId })
    const named = await merchant.get(`/v1/mandates?customer_id=${owner.customerId}`)
    expectInvalid(named, 'customer_id')
    expect(named.body.error.details.customer_id).toMatch(/name the first by its user_id, the other by its id/)
    expect(await list(owner.userId)).toEqual([hers])
    expect(await list(await customerOf(owner.customerId))).toEqual([])
  })
})
