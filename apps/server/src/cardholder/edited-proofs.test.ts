import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cardholder, launch, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createSession, dbRow, expectError, newUser, paymentResult } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestService } from '../../test/service.ts'

// Guarantee: a card is spent by who proved it, or by the passkey that it belongs to. An attacker who can write to the database, without
// the root key, and has a link and a passkey of their own, makes themselves neither by editing rows: an alarm and an error, never a payment.

let service: TestService
const { log, alarms, lines } = keepLog('warn')

beforeAll(async () => {
  service = await startTestService({ log })
})
afterAll(() => service?.close())
beforeEach(() => {
  lines.length = 0
})

const THIEFS_CARD = '5555555555554444'
const sql = (text: string, values: unknown[]) => service.pool.query(text, values)

/** A customer who has paid once: their card belongs to their passkey. */
async function newVictim() {
  const user_id = newUser()
  const { session_id, session_token } = await createSession(service.merchant, { user_id })
  await cardholder(service, session_token).pay(CARDS.success)
  const { card_id, customer_id } = await dbRow(service, 'select * from sessions where id = $1', [session_id])
  return { cardId: card_id as string, customerId: customer_id as string }
}
type Victim = Awaited<ReturnType<typeof newVictim>>

/** The thief's own link, made to lead to the victim; the victim's passkey is out of the way. */
async function moved({ customerId }: Victim) {
  const { session_id: id, iframe_url } = await createSession(service.merchant, { user_id: newUser() })
  await sql('update sessions set customer_id = $2 where id = $1', [id, customerId])
  await sql('update passkeys set retired_at = $2 where customer_id = $1', [customerId, service.clock.now()])
  const { body } = await launch(service, iframe_url)
  return { id, token: body.session_token as string }
}

/** Notes in a session that the victim's card was proven there. */
const note = (session: string, { cardId }: Victim, proof: string) =>
  sql('update sessions set card_id = $2, proven_card_id = $2, proof = $3 where id = $1', [session, cardId, proof])

async function expectUnpaid(session: string) {
  const { body } = await paymentResult(service.merchant, session)
  expect(body).toMatchObject({ status: 'pending' })
}

test.each(['entered', 'code'])('a proof that was noted by hand (%s) makes no passkey', async (proof) => {
  const victim = await newVictim()
  const { id, token } = await moved(victim)
  await note(id, victim, proof)
  const thief = cardholder(service, token)
  expectError(await thief.registerPasskey(), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'sessions', row_id: id }])
  const { count } = await dbRow(
    service,
    'select count(*)::int from passkeys where customer_id = $1 and retired_at is null',
    [victim.customerId],
  )
  expect(count).toBe(0)
})

/** As above, and the thief has proven a card of their own there: the passkey that they made is the customer's now. */
async function withPasskey(victim: Victim) {
  const { token } = await moved(victim)
  const authenticator = newAuthenticator(service)
  const thief = cardholder(service, token, authenticator)
  await thief.enterCard(THIEFS_CARD)
  expect((await thief.registerPasskey()).status).toBe(200)
  return { thief, authenticator }
}

/** Another link of the customer that the victim was. */
async function next(victim: Victim) {
  const { session_id: id, iframe_url } = await createSession(service.merchant, { user_id: newUser() })
  await sql('update sessions set customer_id = $2 where id = $1', [id, victim.customerId])
  const { body } = await launch(service, iframe_url)
  return { id, token: body.session_token as string }
}

test.each(['entered', 'code'])('nor is a card approved with it (%s)', async (proof) => {
  const victim = await newVictim()
  const { authenticator } = await withPasskey(victim)
  const { id, token } = await next(victim)
  await note(id, victim, proof)
  expectError(await cardholder(service, token, authenticator).approve(), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'sessions', row_id: id }])
  await expectUnpaid(id)
})

test('nor where no word says how it was proven', async () => {
  const user_id = newUser()
  const authenticator = newAuthenticator(service)
  const { session_id, session_token } = await createSession(service.merchant, { user_id })
  await cardholder(service, session_token, authenticator).pay(CARDS.success)
  const { session_id: id, session_token: token } = await createSession(service.merchant, { user_id })
  const { card_id } = await dbRow(service, 'select card_id from sessions where id = $1', [session_id])
  await sql('update sessions set card_id = $2, proven_card_id = $2 where id = $1', [id, card_id])
  expectError(await cardholder(service, token, authenticator).approve(), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'sessions', row_id: id }])
  await expectUnpaid(id)
  await sql('update sessions set proven_card_id = null where id = $1', [id])
})

test('nor with the proof of another session', async () => {
  const victim = await newVictim()
  const { authenticator } = await withPasskey(victim)
  const { id, token } = await next(victim)
  await sql(
    `update sessions set card_id = s.card_id, proven_card_id = s.proven_card_id, proof = s.proof, proof_seal = s.proof_seal
     from (select * from sessions where card_id = $2 and proven_card_id = $2) s where sessions.id = $1`,
    [id, victim.cardId],
  )
  expectError(await cardholder(service, token, authenticator).approve(), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'sessions', row_id: id }])
})

test.each<[string, string]>([
  ['that was given to another passkey', 'update cards set passkey_id = $2 where id = $1'],
  [
    'that was given to it with the seal of another card',
    'update cards set passkey_id = c.passkey_id, passkey_seal = c.passkey_seal from cards c where cards.id = $1 and c.passkey_id = $2',
  ],
])('a card %s is not approved with it', async (_how, edit) => {
  const victim = await newVictim()
  const { authenticator } = await withPasskey(victim)
  const { id, token } = await next(victim)
  await sql(edit, [victim.cardId, authenticator.credentialId])
  const thief = cardholder(service, token, authenticator)
  expect((await thief.post('/api/cards/select', { card_id: victim.cardId })).status).toBe(200)
  expectError(await thief.approve(), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'cards', row_id: victim.cardId }])
  await expectUnpaid(id)
})

test('cards and proofs of their own are used as ever, also after another entry of the card', async () => {
  const user_id = newUser()
  const authenticator = newAuthenticator(service)
  const visit = async () => {
    const { session_id: id, session_token } = await createSession(service.merchant, { user_id })
    return { id, visitor: cardholder(service, session_token, authenticator) }
  }
  const first = await visit()
  expect((await first.visitor.pay(CARDS.success)).body).toMatchObject({ step: 'done' })
  const second = await visit()
  const { card_id } = await dbRow(service, 'select card_id from sessions where id = $1', [first.id])
  await second.visitor.post('/api/cards/select', { card_id })
  expect((await second.visitor.approve()).body).toMatchObject({ step: 'done', outcome: 'approved' })
  const third = await visit()
  await third.visitor.enterCard(THIEFS_CARD)
  expect((await third.visitor.approve()).body).toMatchObject({ step: 'done', outcome: 'approved' })
  expect(alarms()).toEqual([])
})
