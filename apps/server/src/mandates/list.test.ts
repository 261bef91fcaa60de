// Guarantee: a list shows each mandate of the caller once, newest first, also while others are made, and nothing of another
// caller.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession, dbRow, expectError, expectInvalid } from '../../test/flows.ts'
import { call, type TestMerchant } from '../../test/service.ts'
import { newOwner, type Owner, standingMandate, startWithOwner } from './testing/standing.ts'

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)
beforeAll(() => standingMandate(service, owner))

const read = (id: string, as = merchant) => as.get(`/v1/mandates/${id}`)
const list = (query = '', as = merchant) => as.get(`/v1/mandates${query}`)
const idsOf = (answer: { body: { mandates: { id: string }[] } }) => answer.body.mandates.map(({ id }) => id)

describe('lists', () => {
  let shop: TestMerchant
  let one: Owner
  let two: Owner
  let standing: string[]
  beforeAll(async () => {
    shop = await service.addMerchant()
    one = await newOwner(service, shop)
    two = await newOwner(service, shop)
    standing = []
    for (const whose of [one, two, one]) standing.push(await standingMandate(service, whose))
  })

  test('all of the merchant, newest first, each once', async () => {
    const answer = await list('', shop)
    expect(idsOf(answer)).toEqual([...standing.toReversed(), two.mandateId, one.mandateId])
    expect(Object.keys(answer.body)).toEqual(['mandates'])
    expect(idsOf(await list('?standing_only=false', shop))).toEqual(idsOf(answer))
  })

  test('only standing ones', async () => {
    expect(idsOf(await list('?standing_only=true', shop))).toEqual(standing.toReversed())
  })

  test('of one customer, by your own id or ours', async () => {
    for (const customer of [one.userId, one.customerId]) {
      expect(idsOf(await list(`?customer_id=${customer}`, shop))).toEqual([standing[2], standing[0], one.mandateId])
      const both = await list(`?customer_id=${customer}&standing_only=true`, shop)
      expect(idsOf(both)).toEqual([standing[2], standing[0]])
    }
  })

  test("of one customer's id that is another's name: nobody is guessed, and both are named otherwise", async () => {
    const shop = await service.addMerchant()
    const owner = await newOwner(service, shop)
    await createSession(shop, { user_id: owner.customerId })
    expectInvalid(await list(`?customer_id=${owner.customerId}`, shop), 'customer_id')
    expect(idsOf(await list(`?customer_id=${owner.userId}`, shop))).toEqual([owner.mandateId])
    const { id } = await dbRow(service, 'select id from customers where external_user_id = $1', [owner.customerId])
    expect(idsOf(await list(`?customer_id=${id}`, shop))).toEqual([])
  })

  test('of an unknown customer, or of another merchant’s: nothing', async () => {
    for (const customer of ['nobody', 'cus_nobody', owner.userId, owner.customerId]) {
      expect((await list(`?customer_id=${customer}`, shop)).body).toEqual({ mandates: [] })
    }
  })

  test.each(['', '&standing_only=true'])('page by page, also while new ones are made (%s)', async (filter) => {
    const all = idsOf(await list(`?limit=500${filter}`, shop))
    const seen: string[] = []
    let cursor = ''
    let pages = 0
    do {
      const page = await list(`?limit=2${filter}${cursor}`, shop)
      expect(page.body.mandates.length).toBeLessThanOrEqual(2)
      seen.push(...idsOf(page))
      await standingMandate(service, one)
      cursor = page.body.next_cursor === undefined ? '' : `&cursor=${page.body.next_cursor}`
      pages += 1
    } while (cursor !== '')
    expect(seen).toEqual(all)
    expect(pages).toBe(Math.ceil(all.length / 2))
  })

  test('the last page that is full has no cursor', async () => {
    const count = idsOf(await list('', shop)).length
    expect((await list(`?limit=${count}`, shop)).body.next_cursor).toBeUndefined()
    expect((await list(`?limit=${count - 1}`, shop)).body.next_cursor).toEqual(expect.any(String))
  })

  test('a cursor of another merchant is a place in time and no more', async () => {
    const { body } = await list('?limit=1')
    const ids = idsOf(await list(`?cursor=${body.next_cursor}`, shop))
    const own = idsOf(await list('?limit=500', shop))
    expect(ids.filter((id) => !own.includes(id))).toEqual([])
  })

  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  test.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=007', 'limit'],
    ['limit=', 'limit'],
    ['limit=2&limit=3', 'limit'],
    ['standing_only=yes', 'standing_only'],
    ['standing_only=', 'standing_only'],
    ['customer_id=', 'customer_id'],
    [`customer_id=${'x'.repeat(256)}`, 'customer_id'],
    ['cursor=', 'cursor'],
    ['cursor=garbage', 'cursor'],
    ['cursor=-1', 'cursor'],
    ['cursor=9223372036854775808', 'cursor'],
    [`cursor=${encoded('mdt_')}`, 'cursor'],
    [`cursor=${encoded(`sess_${'0'.repeat(26)}`)}`, 'cursor'],
    [`cursor=${encoded(`mdt_${'0'.repeat(26)}`)}=`, 'cursor'],
    ['customerId=user-1', 'customerId'],
    ['standingOnly=true', 'standingOnly'],
  ])('refuses %s', async (query, field) => {
    expectInvalid(await list(`?${query}`), field)
  })
})

// With a million rows of one merchant, an ordinary index over the id alone was taken for lists. The plan stays when others
// come, and a list of theirs then walks the mandates of all.
test('no index but those of the merchant or the customer serves the order of a list', async () => {
  const { rows } = await service.pool.query(
    `select i.indexrelid::regclass::text as name, o.opcname::text as operators
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     join pg_opclass o on o.oid = i.indclass[0]
     where i.indrelid = 'mandates'::regclass and a.attname not in ('merchant_id', 'customer_id')`,
  )
  expect(rows).toEqual([{ name: 'mandates_id_idx', operators: 'text_pattern_ops' }])
})

describe('others', () => {
  test('another merchant is told that a mandate is not theirs, and nothing else', async () => {
    const other = await service.addMerchant()
    const answer = await read(owner.mandateId, other)
    expectError(answer, 403, 'MANDATE_FORBIDDEN')
    expect(JSON.stringify(answer.body)).not.toContain(owner.customerId)
    expectError(await read('mdt_nobodys', other), 404, 'MANDATE_NOT_FOUND')
    expect((await list('', other)).body).toEqual({ mandates: [] })
  })

  test.each(['/v1/mandates', '/v1/mandates/mdt_1'])('without a good key %s is AUTH_REQUIRED', async (path) => {
    const keys = ['', 'Basic dXNlcjpwYXNz', 'Bearer ', 'Bearer nonsense', `Bearer ${merchant.publishableKey}`]
    for (const authorization of [...keys, `Bearer ${merchant.secretKey.slice(0, -4)}0000`]) {
      expectError(await call(service.apiUrl + path, { headers: { authorization } }), 401, 'AUTH_REQUIRED')
    }
    expectError(await call(service.apiUrl + path), 401, 'AUTH_REQUIRED')
  })

  test('a suspended merchant reads on', async () => {
    const shop = await service.addMerchant()
    const suspended = await newOwner(service, shop)
    await service.app.merchants.updateMerchant(shop.merchantId, { status: 'suspended' })
    expect((await read(suspended.mandateId, shop)).status).toBe(200)
    expect(idsOf(await list('', shop))).toEqual([suspended.mandateId])
  })
})
