// Guarantee: a dashboard sees and moves what its signed-in user gave, and nothing else; a merchant's own key cannot pass for a
// dashboard's, nor the other way round.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession, expectError, expectInvalid } from '../../test/flows.ts'
import { type Answer, call, jsonRequest, PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { charge, chargeable } from '../charges/testing/charge.ts'
import { newOwner, type Owner, standingMandate } from './testing/standing.ts'

let service: TestService
let ann: Owner
let ben: Owner
let anns: string
let anns2: string
let bens: string
let key: string
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  ann = await newOwner(service)
  ben = await newOwner(service)
  anns = await standingMandate(service, ann)
  anns2 = await standingMandate(service, ann, { agentId: 'aa_one' })
  bens = await standingMandate(service, ben, { agentId: 'aa_one' })
  key = await controlPlaneKey()
})
afterAll(() => service?.close())

async function controlPlaneKey(merchantId = service.merchant.merchantId): Promise<string> {
  return (await service.app.merchants.createKey(merchantId, 'secret', 'control_plane')).key.reveal()
}

const get = (path: string, as = key): Promise<Answer> =>
  call(service.apiUrl + path, { headers: { authorization: `Bearer ${as}` } })
const post = (path: string, as = key): Promise<Answer> => call(service.apiUrl + path, jsonRequest(`Bearer ${as}`))
const idsOf = (answer: Answer) => answer.body.mandates.map(({ id }: { id: string }) => id)

describe('a dashboard', () => {
  test('lists what its user gave, by either name of the user', async () => {
    for (const user of [ann.userId, ann.customerId]) {
      expect(idsOf(await get(`/v1/mandates?dashboard_user_id=${user}`))).toEqual([anns2, anns, ann.mandateId])
      expect(idsOf(await get(`/v1/mandates?dashboard_user_id=${user}&standing_only=true`))).toEqual([anns2, anns])
    }
  })

  test('lists what they gave to one agent', async () => {
    const user = `dashboard_user_id=${ann.userId}`
    for (const filter of ['', '&standing_only=true']) {
      expect(idsOf(await get(`/v1/mandates?${user}&agent_id=aa_one${filter}`))).toEqual([anns2])
      expect(idsOf(await get(`/v1/mandates?${user}&agent_id=aa_two${filter}`))).toEqual([])
    }
  })

  test('goes page by page within its user', async () => {
    const first = await get(`/v1/mandates?dashboard_user_id=${ann.userId}&limit=1`)
    const second = await get(`/v1/mandates?dashboard_user_id=${ann.userId}&limit=9&cursor=${first.body.next_cursor}`)
    expect([...idsOf(first), ...idsOf(second)]).toEqual([anns2, anns, ann.mandateId])
  })

  test('narrows by customer_id only to its own user', async () => {
    const of = (customer: string) => get(`/v1/mandates?dashboard_user_id=${ann.userId}&customer_id=${customer}`)
    expect(idsOf(await of(ann.customerId))).toEqual([anns2, anns, ann.mandateId])
    for (const customer of [ben.userId, ben.customerId, 'nobody']) expect(idsOf(await of(customer))).toEqual([])
  })

  test('of an unknown user, or one of another account: nothing', async () => {
    const other = await service.addMerchant()
    const theirs = await newOwner(service, other)
    for (const user of ['nobody', theirs.userId, theirs.customerId]) {
      expect((await get(`/v1/mandates?dashboard_user_id=${user}`)).body).toEqual({ mandates: [] })
    }
  })

  test('reads and moves a mandate of its user', async () => {
    const user = `?dashboard_user_id=${ann.userId}`
    expect((await get(`/v1/mandates/${anns}${user}`)).body).toMatchObject({ id: anns, agentId: null })
    expect((await get(`/v1/mandates/${anns2}${user}&agent_id=aa_one`)).body).toMatchObject({ agentId: 'aa_one' })
    expect((await post(`/v1/mandates/${anns}/pause${user}`)).body).toMatchObject({ status: 'paused' })
    expect((await post(`/v1/mandates/${anns}/resume${user}`)).body).toMatchObject({ status: 'active' })
  })

  test('neither reads nor moves one of another user, of another agent, or of another account', async () => {
    const other = await service.addMerchant()
    const theirs = await newOwner(service, other)
    const places = [
      [bens, `dashboard_user_id=${ann.userId}`],
      [anns, `dashboard_user_id=nobody`],
      [anns, `dashboard_user_id=${ann.userId}&agent_id=aa_one`],
      [theirs.mandateId, `dashboard_user_id=${theirs.userId}`],
    ] as const
    for (const [id, query] of places) {
      expectError(await get(`/v1/mandates/${id}?${query}`), 403, 'MANDATE_FORBIDDEN')
      for (const verb of ['pause', 'resume', 'cancel']) {
        expectError(await post(`/v1/mandates/${id}/${verb}?${query}`), 403, 'MANDATE_FORBIDDEN')
      }
    }
    const none = `/v1/mandates/mdt_none?dashboard_user_id=${ann.userId}`
    expectError(await get(none), 404, 'MANDATE_NOT_FOUND')
    expect((await get(`/v1/mandates/${bens}?dashboard_user_id=${ben.userId}`)).body).toMatchObject({ status: 'active' })
  })

  test('must say who is signed in', async () => {
    expectInvalid(await get('/v1/mandates'), 'dashboard_user_id')
    expectInvalid(await get('/v1/mandates?agent_id=aa_one'), 'dashboard_user_id')
    expectInvalid(await get('/v1/mandates?dashboard_user_id='), 'dashboard_user_id')
    expectInvalid(await get(`/v1/mandates/${anns}`), 'dashboard_user_id')
    expectInvalid(await post(`/v1/mandates/${anns}/cancel`), 'dashboard_user_id')
  })

  test('opens no other operation', async () => {
    const { session_id } = await createSession(service.merchant)
    expectError(await get(`/v1/sessions/${session_id}/payment-result`), 401, 'AUTH_1001')
    expectError(await post('/v1/sessions'), 401, 'AUTH_1001')
    expectError(await post(`/v1/test_helpers/sessions/${session_id}/complete`), 401, 'AUTH_1001')
  })

  test('neither charges nor reports, whoever it names; and a merchant names no user', async () => {
    const { merchant } = service
    const id = await chargeable(service, ann, { agentId: 'aa_1' })
    const path = `/v1/mandates/${id}/charge`
    const { transactionId } = (await charge(merchant, id)).body
    const ask = (at: string, body: object) => call(service.apiUrl + at, jsonRequest(`Bearer ${key}`, body))
    const report = { txn_status: 'APPROVED', txn_type: 'PURCHASE' }
    for (const query of ['?', `?dashboard_user_id=${ann.userId}`, `?dashboard_user_id=${ann.userId}&agent_id=aa_1`]) {
      expectError(await ask(path + query, { amount: '5.00' }), 403, 'FORBIDDEN')
      expectError(await ask(`${path}${query}&dry_run=true`, { amount: '5.00' }), 403, 'FORBIDDEN')
      expectError(await ask(`/v1/mandates/${id}/charges/${transactionId}/report${query}`, report), 403, 'FORBIDDEN')
    }
    expect((await merchant.get(`/v1/mandates/${id}`)).body.charges).toMatchObject([{ status: 'awaiting_result' }])
    expectError(await charge(merchant, id, {}, `?dashboard_user_id=${ann.userId}`), 403, 'FORBIDDEN')
  })

  test('is refused by name at what is for merchants alone, in the whole table', async () => {
    const rows = service.app.apiRoutes.filter(
      ({ auth }) => Array.isArray(auth) && auth.some(({ name }) => name === 'mandate_key'),
    )
    const refused: string[] = []
    for (const { method, path, operationId, example } of rows) {
      const address = path.replace(':mandateId', bens).replace(':txnId', 'txn_none')
      const request =
        method === 'GET' ? { headers: { authorization: `Bearer ${key}` } } : jsonRequest(`Bearer ${key}`, example?.body)
      // The mandate is another user's: whatever is open to dashboards finds that out.
      const { status, body } = await call(`${service.apiUrl}${address}?dashboard_user_id=${ann.userId}`, request)
      if (body.error?.code === 'FORBIDDEN') refused.push(operationId)
      else expect([operationId, status]).toEqual([operationId, path.includes(':') ? 403 : 200])
    }
    expect(rows).toHaveLength(7)
    expect(refused.sort()).toEqual(['chargeMandate', 'reportCharge'])
  })

  test('is nothing any more when its key is revoked', async () => {
    const { key: made, keyId } = await service.app.merchants.createKey(
      service.merchant.merchantId,
      'secret',
      'control_plane',
    )
    await service.app.merchants.revokeKey(keyId)
    expectError(await get(`/v1/mandates?dashboard_user_id=${ann.userId}`, made.reveal()), 401, 'AUTH_REQUIRED')
  })
})

test("a merchant's own key that names a user or an agent is refused, and nothing is done", async () => {
  const { merchant } = service
  for (const query of [`dashboard_user_id=${ann.userId}`, 'agent_id=aa_one', `dashboard_user_id=x&agent_id=y`]) {
    expectError(await merchant.get(`/v1/mandates?${query}`), 403, 'FORBIDDEN')
    expectError(await merchant.get(`/v1/mandates/${anns}?${query}`), 403, 'FORBIDDEN')
    for (const verb of ['pause', 'resume', 'cancel']) {
      expectError(await merchant.post(`/v1/mandates/${anns}/${verb}?${query}`), 403, 'FORBIDDEN')
    }
  }
  expect((await merchant.get(`/v1/mandates/${anns}`)).body).toMatchObject({ status: 'active' })
})

describe('the role of a key', () => {
  test('is sealed: a row that was given another one is no key', async () => {
    const made = await service.app.merchants.createKey(service.merchant.merchantId, 'secret')
    const text = made.key.reveal()
    expect((await get('/v1/mandates', text)).status).toBe(200)
    await service.pool.query(`update api_keys set role = 'control_plane' where id = $1`, [made.keyId])
    const asUser = () => get(`/v1/mandates?dashboard_user_id=${ann.userId}`, text)
    // What is remembered of a key ages within half a second.
    await expect.poll(async () => (await asUser()).status).toBe(401)
    expectError(await asUser(), 401, 'AUTH_REQUIRED')
    const raised = await service.app.merchants.createKey(service.merchant.merchantId, 'secret', 'control_plane')
    await service.pool.query(`update api_keys set role = 'merchant' where id = $1`, [raised.keyId])
    expectError(await get('/v1/mandates', raised.key.reveal()), 401, 'AUTH_REQUIRED')
  })

  test.each(['publishable', 'wallet'] as const)('control_plane is for secret keys: not for %s', async (kind) => {
    const { merchants } = service.app
    const { merchantId } = service.merchant
    await expect(merchants.createKey(merchantId, kind, 'control_plane')).rejects.toMatchObject({ code: 'VAL_2001' })
    const change = service.pool.query(`update api_keys set role = 'control_plane' where kind = $1`, [kind])
    await expect(change).rejects.toThrow('api_keys_role_kind_check')
  })

  test('is listed', async () => {
    const listed = await service.app.merchants.listKeys(service.merchant.merchantId)
    expect(listed.map(({ kind, role }) => `${kind} ${role}`)).toEqual(
      expect.arrayContaining(['secret merchant', 'secret control_plane', 'wallet merchant']),
    )
  })
})
