import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import {
  CARDS,
  complete,
  createSession,
  dbRow,
  newUser,
  paymentResult,
  report,
  waitingSession,
} from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'

// Guarantee: what is minted is what was signed. Rows that an attacker edited in the database, without the root key, lead to an
// alarm and an error, never to a payment.

let service: TestService
let merchant: TestMerchant
const { log, lines, alarms: allAlarms } = keepLog('warn')

beforeAll(async () => {
  service = await startTestService({ log })
})
afterAll(() => service?.close())
// Each test has its own merchant: a row that a test before has edited and left in work must raise no alarm here.
beforeEach(async () => {
  lines.length = 0
  merchant = await service.addMerchant()
})

const sql = (text: string, values: unknown[]) => service.pool.query(text, values)
const alarms = () => allAlarms().filter(({ merchant_id }) => merchant_id === merchant.merchantId)

/** A session that has its card and its passkey, and the terms to sign. */
async function readyToApprove(user = newUser(), number: string = CARDS.success) {
  const { session_id: id, session_token: token } = await createSession(merchant, { user_id: user })
  const authenticator = newAuthenticator(service)
  const visitor = cardholder(service, token, authenticator)
  await visitor.enterCard(number)
  await visitor.registerPasskey()
  const { body } = await visitor.post('/api/approval-options', { frame: { embedded: false } })
  const approve = () => visitor.post('/api/approvals', { response: authenticator.authenticate(body.options) })
  const card = await dbRow(service, 'select c.* from cards c join sessions s on s.card_id = c.id where s.id = $1', [id])
  return { id, approve, authenticator, options: body.options, visitor, card }
}

test.each<[string, string]>([
  ['amount', 'update charges set amount_minor = 99999 where opened_by = $1'],
  ['currency', "update charges set currency = 'EUR' where opened_by = $1"],
  ['payee', "update charges set payee_url = 'https://evil.example' where opened_by = $1"],
  ['name of the payee', "update charges set payee_name = 'Tea Hous' where opened_by = $1"],
  ['products', "update charges set products = jsonb_set(products, '{0,name}', '\"Gold\"') where opened_by = $1"],
  ['life of the approval', 'update sessions set effective_minutes = 527040 where id = $1'],
])('an edited %s is not approved', async (_name, edit) => {
  const { id, approve } = await readyToApprove()
  await sql(edit, [id])
  expect((await approve()).status).toBe(500)
  expect((await paymentResult(merchant, id)).body.status).toBe('pending')
  expect(alarms()).toMatchObject([{ table: 'sessions', row_id: id }])
})

test('what the network is told the merchant is called follows from the name that was signed', async () => {
  const { id, approve } = await readyToApprove()
  await sql("update charges set payee_network_name = 'ANOTHER SHOP' where opened_by = $1", [id])
  expect((await approve()).body).toMatchObject({ step: 'done', outcome: 'approved' })
  const mandate = await dbRow(
    service,
    'select payee_name, payee_network_name from mandates where id = (select mandate_id from charges where opened_by = $1)',
    [id],
  )
  expect(mandate).toEqual({ payee_name: 'Tea House', payee_network_name: 'Tea House' })
})

test('a setup whose merchant the network would be told another name of is not registered', async () => {
  const { session_id: id } = await createSession(merchant, {
    mandate_setup: { recurring_frequency: 'monthly' },
  })
  await complete(merchant, id, { stop_after: 'passkey' })
  await sql("update mandates set payee_network_name = 'ANOTHER SHOP' where session_id = $1", [id])
  expect((await complete(merchant, id)).body).toMatchObject({ status: 'failed' })
  expect(alarms()).toMatchObject([{ table: 'mandates' }])
})

test('the public key of another customer signs nothing', async () => {
  const victim = await readyToApprove()
  const thief = await readyToApprove()
  await sql('update passkeys set public_key = t.public_key from passkeys t where passkeys.id = $1 and t.id = $2', [
    victim.authenticator.credentialId,
    thief.authenticator.credentialId,
  ])
  const forged = {
    ...thief.authenticator.authenticate({ ...victim.options, allowCredentials: [] }),
    id: victim.authenticator.credentialId,
  }
  const answer = await victim.visitor.post('/api/approvals', { response: { ...forged, rawId: forged.id } })
  expect(answer.status).toBe(500)
  expect((await paymentResult(merchant, victim.id)).body.status).toBe('pending')
  expect(alarms()).toMatchObject([{ table: 'passkeys' }])
})

test('a passkey that was moved to another customer signs nothing there', async () => {
  const victim = await readyToApprove()
  const thief = await readyToApprove()
  await sql('delete from passkeys where id = $1', [victim.authenticator.credentialId])
  await sql('update passkeys set customer_id = $2 where id = $1', [
    thief.authenticator.credentialId,
    victim.card.customer_id,
  ])
  const response = thief.authenticator.authenticate({ ...victim.options, allowCredentials: [] })
  const { userHandle: _, ...signed } = response.response
  const answer = await victim.visitor.post('/api/approvals', { response: { ...response, response: signed } })
  expect(answer.status).toBe(500)
  expect(alarms()).toMatchObject([{ table: 'passkeys' }])
})

test('the network token of another card pays nothing', async () => {
  const victim = await readyToApprove()
  const thief = await readyToApprove(newUser(), '5555555555554444')
  await sql('update cards set network_token_ref = $1 where id = $2', [victim.card.network_token_ref, thief.card.id])
  expect((await thief.approve()).status).toBe(500)
  expect((await paymentResult(merchant, thief.id)).body.status).toBe('pending')
  expect(alarms()).toMatchObject([{ table: 'cards', row_id: thief.card.id }])
})

test.each<[string, string, string]>([
  ['amount of the charge', 'update charges set amount_minor = 3999 where opened_by = $1', 'charges'],
  ['payee of the charge', "update charges set payee_url = 'https://evil.example' where opened_by = $1", 'charges'],
  [
    'limit of the mandate',
    'update mandates set approved_minor = 99999 where id = (select mandate_id from charges where opened_by = $1)',
    'mandates',
  ],
  [
    'token behind the mandate',
    `update cards set network_token_ref = 'ntk_other' where id = (select card_id from charges where opened_by = $1)`,
    'mandates',
  ],
])('after the approval, an edited %s is not minted', async (_name, edit, table) => {
  const { id, approve } = await readyToApprove(newUser(), CARDS.mintRequestLost)
  expect((await approve()).body.step).toBe('processing')
  await sql(edit, [id])
  // Registered instructions are taken from the row: what was not registered yet is registered from it.
  await sql(
    'update mandates set instruction_ref = null where id = (select mandate_id from charges where opened_by = $1)',
    [id],
  )
  await service.clock.advance(120)
  await service.runJobs()
  const { body } = await paymentResult(merchant, id)
  expect(body).toMatchObject({ status: 'failed', error: { code: 'PAYMENT_FAILED' } })
  expect(body.transactions[0].line_items[0].token).toBeNull()
  expect(alarms()).toMatchObject([{ table }])
})

const EDITED_CHARGES: [string, string][] = [
  ['amount', 'update charges set amount_minor = 3999 where opened_by = $1'],
  ['currency', "update charges set currency = 'EUR' where opened_by = $1"],
  ['payee', "update charges set payee_url = 'https://evil.example' where opened_by = $1"],
  [
    'mandate',
    `update charges set mandate_id = (
       select id from mandates m where m.merchant_id = charges.merchant_id and m.charge_id <> charges.id) where opened_by = $1`,
  ],
]
test.each(EDITED_CHARGES)('of a charge with an edited %s no report is taken, and it lapses', async (_name, edit) => {
  await waitingSession(merchant)
  const { id, approved } = await waitingSession(merchant)
  const read = () =>
    dbRow(
      service,
      `select c.status, c.reported_outcome, c.credential_sealed, m.confirmed_outcome, c.attempts
       from charges c join simnet.mints m on m.charge_id = c.id
       where c.opened_by = $1`,
      [id],
    )
  const before = await read()
  await sql(edit, [id])
  for (let times = 0; times < 2; times += 1) expect((await report(merchant, id, approved)).status).toBe(500)
  expect(alarms()).toMatchObject([{ table: 'charges' }, { table: 'charges' }])
  expect(await read()).toEqual(before)
  await service.clock.advance(901)
  await service.runJobs()
  expect(await read()).toMatchObject({ status: 'failed', reported_outcome: null, confirmed_outcome: null })
})

test('the session of a merchant that was made an agent’s: nothing of it is claimed by a report', async () => {
  const { id, approved } = await waitingSession(merchant)
  const edit = `update sessions set agent_id = 'aa_1', agent_name = 'Atlas', agent_seal = '\\x00' where id = $1`
  await sql(edit, [id])
  expect((await report(merchant, id, approved)).status).toBe(404)
  const { reported_outcome, credential_sealed } = await dbRow(service, 'select * from charges where opened_by = $1', [
    id,
  ])
  expect({ reported_outcome, credential_sealed }).toEqual({
    reported_outcome: null,
    credential_sealed: expect.anything(),
  })
})

test('a key of another merchant opens nothing', async () => {
  const other = await service.addMerchant()
  const { session_id } = await createSession(service.merchant)
  await sql('update api_keys set merchant_id = $1 where merchant_id = $2', [merchant.merchantId, other.merchantId])
  expect((await other.get(`/v1/sessions/${session_id}/payment-result`)).status).toBe(401)
  expect((await complete(other, session_id)).status).toBe(401)
  expect(alarms()[0]).toMatchObject({ table: 'api_keys' })
})

test.each([0, 86_400])(
  'nothing was edited where a card is deleted and enrolled anew while the network is asked about a payment with it, %i seconds later',
  async (seconds) => {
    const user = newUser()
    const pay = async () => {
      const { session_id } = await createSession(merchant, { user_id: user })
      await complete(merchant, session_id, { card_number: CARDS.mintRequestLost })
      return session_id
    }
    const id = await pay()
    const { card_id } = await dbRow(service, 'select card_id from charges where opened_by = $1', [id])
    await service.clock.advance(seconds)
    expect((await merchant.post('/v1/deleteCard', { customer_id: user, card_id })).status).toBe(200)
    const again = await pay()
    await service.clock.advance(60)
    await service.runJobs()
    const ends = await Promise.all(
      [id, again].map(async (session) => (await paymentResult(merchant, session)).body.status),
    )
    expect(ends).toEqual(['failed', 'awaiting_result'])
    expect(alarms()).toEqual([])
  },
)

test('a session that was made to lead to another one’s charge shows no credential of it, and reports nothing', async () => {
  const victim = await waitingSession(merchant)
  const { id, item } = await waitingSession(merchant)
  await sql('update sessions set charge_id = v.charge_id from sessions v where sessions.id = $1 and v.id = $2', [
    id,
    victim.id,
  ])
  const result = await paymentResult(merchant, id)
  expect(result.status).toBe(500)
  const body = { txn_ref_id: victim.item.txn_ref_id, txn_status: 'DECLINED' }
  expect((await report(merchant, id, body)).status).toBe(500)
  expect(new Set(alarms().map(({ table }) => table))).toEqual(new Set(['charges']))
  expect((await report(merchant, id, { ...body, txn_ref_id: item.txn_ref_id })).status).toBe(404)
  // It is its own session's, as ever.
  const own = await paymentResult(merchant, victim.id)
  expect(own.body.transactions[0].line_items[0].token).toBe(victim.item.token)
  await sql('update charges set opened_by = $2 where opened_by = $1', [victim.id, id])
  expect((await paymentResult(merchant, id)).status).toBe(500)
  // Where the row of the charge names that session too, its report is the other one's no more than its credential.
  expect((await report(merchant, id, body)).status).toBe(500)
  await sql('update charges set opened_by = $1 where id = (select charge_id from sessions where id = $1)', [victim.id])
  expect((await report(merchant, victim.id, victim.approved)).status).toBe(200)
})

test.each(['APPROVED', 'DECLINED'])(
  'a payment whose charge was made one of a standing mandate is not reported: %s',
  async (txn_status) => {
    const { id, approved } = await waitingSession(merchant)
    const give = (standing: string) =>
      sql(`update charges set standing_mandate_id = ${standing} where opened_by = $1`, [id])
    await give('mandate_id')
    expect((await report(merchant, id, { ...approved, txn_status })).status).toBe(500)
    expect(alarms()).toMatchObject([{ table: 'charges' }])
    await give('null')
    expect((await report(merchant, id, { ...approved, txn_status })).status).toBe(200)
    const ended = await dbRow(
      service,
      'select status from mandates where id = (select mandate_id from charges where opened_by = $1)',
      [id],
    )
    expect(ended.status).toBe(txn_status === 'APPROVED' ? 'consumed' : 'cancelled')
  },
)
