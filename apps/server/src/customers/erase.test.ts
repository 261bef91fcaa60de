// Guarantee: what is personal of a customer who was erased is in no table any more, of either API; what is owed, paid and proven stays, a
// customer of whom something is open is left as they are, and the line of the audit names ids alone.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { blocked, CARDS, complete, createSession, newUser, paymentResult, report, revoke } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { newWalletCustomer, stockUp } from '../../test/wallet-customers.ts'
import { deleteCard } from '../cards/testing/enrolled.ts'
import { createCustomer, expectWalletError } from '../wallets/testing/customers.ts'

let service: TestService
let merchant: TestMerchant
const { log, entries, lines } = keepLog('warn')
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true, log })
  merchant = service.merchant
})
afterAll(() => service?.close())
beforeEach(() => {
  lines.length = 0
})

const audited = () => entries().filter(({ audit }) => audit !== undefined)

/** Does something while a row is held. */
async function holding(sql: string, values: unknown[], work: () => Promise<void>): Promise<void> {
  const client = await service.pool.connect()
  try {
    await client.query('begin')
    await client.query(sql, values)
    await work()
    await client.query('commit')
  } finally {
    client.release(true)
  }
}

/** The tables that have one of these texts in a row. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const { rows } = await service.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('public', 'simnet') and table_type = 'BASE TABLE' order by 1`,
  )
  const found: string[] = []
  for (const { name } of rows) {
    const { rowCount } = await service.pool.query(
      `select 1 from ${name} t where t::text ilike any (select '%' || text || '%' from unnest($1::text[]) text) limit 1`,
      [texts],
    )
    if (rowCount !== 0) found.push(name)
  }
  return found
}

test('a customer of the main API: refused while something is open, and then forgotten', async () => {
  const person = { user_id: 'ann@planted.example', user_email: 'mail@planted.example', user_phone: '+12125550177' }
  const { session_id } = await createSession(merchant, person)
  const erase = (name = person.user_id) => service.app.customers.erase(merchant.merchantId, name)
  await expect(erase()).rejects.toThrow(/^The customer has an open session: .+ Nothing was changed\.$/)
  await complete(merchant, session_id, { card_number: CARDS.success })
  const [{ line_items }] = (await paymentResult(merchant, session_id)).body.transactions
  await report(merchant, session_id, { txn_ref_id: line_items[0].txn_ref_id, txn_status: 'APPROVED' })
  await expect(erase()).rejects.toThrow(/^The customer has a card: delete it \(POST \/v1\/deleteCard\)\. /)
  const before = await tablesWith(['planted.example', '2125550177'])
  expect(before).toEqual(expect.arrayContaining(['public.customers']))
  expect(audited()).toEqual([])

  const { body } = await merchant.get(`/v1/listCards?customer_id=${encodeURIComponent(person.user_id)}`)
  await deleteCard(merchant, person.user_id, body.cards[0].card_id)
  await service.runJobs()
  const { customerId } = await erase()
  expect(await tablesWith(['planted.example', '2125550177'])).toEqual([])
  expect((await paymentResult(merchant, session_id)).body).toMatchObject({ status: 'completed' })
  expect(audited()).toEqual([
    expect.objectContaining({
      ...{ audit: 'customer_erased', actor: 'operator', merchant_id: merchant.merchantId, customer_id: customerId },
    }),
  ])
  expect(lines.join('')).not.toContain('planted')
  // Again, after a restore for instance, by the name that is left; the merchant's own leads to no customer.
  expect(await erase(customerId)).toEqual({ merchantId: merchant.merchantId, customerId })
  await expect(erase()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(service.app.customers.erase('ma_none', customerId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  // A customer who comes back is a new one.
  await createSession(merchant, person)
  const { rows } = await service.pool.query<{ id: string }>(
    'select id from customers where merchant_id = $1 and external_user_id = $2',
    [merchant.merchantId, person.user_id],
  )
  expect(rows).toEqual([{ id: expect.not.stringContaining(customerId) }])
})

test('what a merchant says of a customer at the moment in which they are erased is not written', async () => {
  const { merchantId } = merchant
  const user_id = newUser()
  const { session_id } = await createSession(merchant, { user_id, user_email: 'mail@before.example' })
  await revoke(merchant, session_id)
  const customer = 'select 1 from customers where merchant_id = $1 and external_user_id = $2 for update'
  let erasing: Promise<unknown> | undefined
  let creating: Promise<unknown> | undefined
  await holding(customer, [merchantId, user_id], async () => {
    erasing = service.app.customers.erase(merchantId, user_id).catch(String)
    await expect.poll(() => blocked(service)).toBe(1)
    creating = createSession(merchant, { user_id, user_email: 'mail@after.example', user_phone: '+12125550188' })
    await expect.poll(() => blocked(service)).toBe(2)
  })
  await creating
  expect(await erasing).toContain('At that moment somebody began something of theirs: an open session')
  expect(await tablesWith(['@before.example', '@after.example', '2125550188'])).toEqual([])
})

test('what was on its way while a customer was erased is told, and they are erased again when it has ended', async () => {
  const limited = await service.addMerchant({ sessionAllowance: 10 })
  const { merchantId } = limited
  const user_id = newUser()
  const customerId = await customerOfRevoked(user_id, {}, limited)
  const erase = (name: string) => service.app.customers.erase(merchantId, name)
  const nameOf = async () =>
    (await service.pool.query('select external_user_id as name from customers where id = $1', [customerId])).rows[0]
      .name
  let creating: ReturnType<typeof createSession> | undefined
  let erasing: Promise<unknown> | undefined
  await holding('select 1 from session_allowances where merchant_id = $1 for update', [merchantId], async () => {
    creating = createSession(limited, { user_id })
    await expect.poll(() => blocked(service)).toBe(1)
    erasing = erase(user_id).catch(String)
    await expect.poll(nameOf).toBe(`erased:${customerId}`)
  })
  const { session_id = '' } = (await creating) ?? {}
  expect(await erasing).toMatch(
    new RegExp(
      `were erased. At that moment .+: an open session: revoke it, .+ Erase ${customerId} when that has ended.$`,
    ),
  )
  expect(audited()).toMatchObject([{ audit: 'customer_erased', customer_id: customerId }])
  await expect(erase(customerId)).rejects.toThrow('Nothing was changed.')
  await revoke(limited, session_id)
  expect(await erase(customerId)).toEqual({ merchantId, customerId })
})

test('of many who begin something at that moment: who is erased without a word has nothing open', async () => {
  const { merchantId } = merchant
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, async (_, place) => {
      const user_id = newUser()
      const customerId = await customerOfRevoked(user_id)
      const creating = Array.from({ length: 3 }, () => createSession(merchant, { user_id }))
      // So that they meet at different steps, mostly; no verdict hangs on where.
      await delay(place % 8)
      const said = await service.app.customers.erase(merchantId, user_id).then(() => 'erased', String)
      await Promise.all(creating)
      const open = 'select 1 from sessions where customer_id = $1 and closed_at is null'
      const { rowCount } = await service.pool.query(open, [customerId])
      return `${said === 'erased' ? said : 'told'}, ${rowCount === 0 ? 'nothing' : 'something'} open`
    }),
  )
  expect(outcomes).not.toContain('erased, something open')
})

test('a customer of the wallet API, with addresses and an order', async () => {
  const { tea = '' } = await stockUp(service, merchant, { tea: { price: '12.50', inventory: 9 } })
  const customer = await newWalletCustomer(service, merchant, '100')
  expect((await customer.order(await customer.cart({ [tea]: 2 }))).status).toBe(201)
  const email = 'mail@forgotten.example'
  const body = { first_name: 'Zenobia', last_name: 'Plantagenet', email, signed_agreement_id: 'signed-forgotten' }
  const customerId = await createCustomer(merchant.wallet, body)
  const path = `/v1/customers/${customerId}`
  const address = { name: 'Zenobia Plantagenet', address: '9 Forgotten Lane', city: 'Forgottenville', state: 'NY' }
  const contact = { phone: '+12125550188', email }
  const added = { ...address, postal_code: '10999-4477', country: 'US', contact_information: contact }
  expect((await merchant.wallet.post(`${path}/address`, added)).status).toBe(201)
  const planted = ['zenobia', 'plantagenet', 'forgotten', '2125550188', '10999-4477']
  expect(await tablesWith(planted)).toEqual(['public.wallet_addresses', 'public.wallet_customers'])

  const { merchantId } = merchant
  const ref = { merchantId, customerId }
  expect(await service.app.walletErasure.erase({ merchantId, customerId: customerId.toUpperCase() })).toEqual(ref)
  expect(await tablesWith(planted)).toEqual([])
  expect(audited()).toMatchObject([{ audit: 'customer_erased', merchant_id: merchantId, customer_id: customerId }])
  const erased = { first_name: 'erased', last_name: 'erased', email: `${customerId}@erased.invalid` }
  expect((await merchant.wallet.get(path)).body.data).toMatchObject({ id: customerId, status: 'pending', ...erased })
  const { data } = (await merchant.wallet.get(`${path}/address`)).body
  expect(data).toMatchObject([{ name: 'erased', country: 'US', contact_information: {} }])
  expect((await merchant.wallet.get(`${path}/wallets`)).body.data.data).toHaveLength(1)
  // The address is free, and everybody else is as they were.
  await createCustomer(merchant.wallet, body)
  expect((await merchant.wallet.get(customer.path)).body.data.first_name).not.toBe('erased')
  expect(await service.app.walletErasure.erase(ref)).toEqual(ref)
})

test('nobody of the wallet API: another merchant’s, none, no id', async () => {
  const other = await service.addMerchant()
  const theirs = await createCustomer(other.wallet)
  for (const customerId of [theirs, '00000000-0000-7000-8000-000000000000', 'ann']) {
    await expect(
      service.app.walletErasure.erase({ merchantId: merchant.merchantId, customerId }),
    ).rejects.toMatchObject({ code: 'CUSTOMER_NOT_FOUND' })
  }
  expectWalletError(await merchant.wallet.get(`/v1/customers/${theirs}`), 404, 'CUSTOMER_NOT_FOUND')
  expect((await other.wallet.get(`/v1/customers/${theirs}`)).body.data.first_name).toBe('Ann')
})

/** Ends by the merchant's hand, and says whose it was. */
async function customerOfRevoked(user_id: string, changes: object = {}, of = merchant): Promise<string> {
  const { session_id } = await createSession(of, { user_id, ...changes })
  await revoke(of, session_id)
  const { rows } = await service.pool.query('select customer_id from sessions where id = $1', [session_id])
  return rows[0].customer_id
}

test('a user_id that is the id of another customer: nobody is forgotten in place of somebody else', async () => {
  const { merchantId } = merchant
  const first = await customerOfRevoked('first@mistaken.example')
  const second = await customerOfRevoked('second', { user_email: 'second@mistaken.example' })
  // Such a name is refused today; rows of before may have it.
  await service.pool.query('update customers set external_user_id = $2 where id = $1', [second, first])
  const erase = (name: string) => service.app.customers.erase(merchantId, name)
  await expect(erase(first)).rejects.toThrow(
    `${first} is a customer's id, and the user_id of another one, ${second}. Name the first by its user_id`,
  )
  expect(await tablesWith(['first@mistaken', 'second@mistaken'])).toEqual(['public.customers'])
  expect(await erase('first@mistaken.example')).toEqual({ merchantId, customerId: first })
  expect(await tablesWith(['first@mistaken'])).toEqual([])
  expect(await erase(second)).toEqual({ merchantId, customerId: second })
  expect(await tablesWith(['second@mistaken'])).toEqual([])
  expect(await erase(first)).toEqual({ merchantId, customerId: first })
})

test('what no call of a merchant ends is waited for: a card that was not accepted, a mandate that is not set up', async () => {
  const entered = await createSession(merchant, { user_id: 'entered' })
  await complete(merchant, entered.session_id, { card_number: CARDS.provisionAnswerLost })
  await merchant.post(`/v1/sessions/${entered.session_id}/revoke`)
  const erase = (name: string) => service.app.customers.erase(merchant.merchantId, name)
  await expect(erase('entered')).rejects.toThrow(
    /^The customer has a card that the network has not accepted yet: wait[^;]+$/,
  )
  const mandate_setup = { recurring_frequency: 'monthly' }
  const setup = await createSession(merchant, { user_id: 'setup', mandate_setup })
  await complete(merchant, setup.session_id, { card_number: CARDS.instructionAnswerLost })
  await expect(erase('setup')).rejects.toThrow(
    /^The customer has a card: [^;]+; a standing mandate that is not set up yet: wait[^;]+$/,
  )
})
