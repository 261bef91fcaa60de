// Guarantee: no customer is given a name that is written like our id of one. `customer_id` takes either, and the one
// with the name would be shown what is the other's.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, enroll, expectInvalid, newUser } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { newId } from '../platform/ids.ts'
import { CREATE_EXAMPLE } from '../sessions/examples.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

/** Both requests that make customers known. */
const BEGINNINGS = [
  [
    'POST /v1/sessions',
    (user_id: string) => service.merchant.post('/v1/sessions', { ...CREATE_EXAMPLE.body, user_id }),
  ],
  [
    'POST /v1/sessions/enroll-card',
    (user_id: string) =>
      enroll(service.merchant, { enrollment_mode: 'full_enrollment', user_id, user_email: 'ann@example.com' }),
  ],
] as const

test.each(BEGINNINGS)('%s', async (_name, begin) => {
  const { merchant, pool } = service
  const user = newUser()
  await createSession(merchant, { user_id: user })
  const { rows } = await pool.query('select id from customers where external_user_id = $1', [user])
  for (const name of [rows[0].id, newId('customer')]) {
    const answer = await begin(name)
    expectInvalid(answer, 'user_id')
    expect(answer.body.error.details.user_id).toMatch(/of the form of our ids of customers/)
    expect((await pool.query('select 1 from customers where external_user_id = $1', [name])).rowCount).toBe(0)
  }
  // Only what is an id of ours, and not what begins like one.
  const id = newId('customer')
  for (const name of ['cus_ann', id.slice(0, -1), `${id}0`, `${id} `, id.toUpperCase(), `a${id}`]) {
    expect({ name, status: (await begin(name)).status }).toEqual({ name, status: 201 })
  }
})
