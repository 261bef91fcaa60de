import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { askFor, completeFor, linkedAgent } from '../../test/agents.ts'
import { type Cardholder, cardholder, launch, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createEnrollment, createSession, newUser } from '../../test/flows.ts'
import { type Answer, startTestService, type TestService } from '../../test/service.ts'
import { namesTogether } from '../../test/waits.ts'
import { deleteCard } from '../cards/testing/enrolled.ts'
import { Together } from '../db/prepared.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'

// Guarantee: what a cardholder waits for, most of all, is the database. The questions of a card entry are counted here by
// name, and a new one has to be worth its wait.

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  // The first of each kind opens connections.
  await (await visit()).enterCard(CARDS.success)
})
afterAll(() => service.close())

async function visit(user = newUser()): Promise<Cardholder & { link: string }> {
  const { session_token, iframe_url } = await createSession(service.merchant, { user_id: user })
  return { ...cardholder(service, session_token), link: iframe_url }
}

/** What the database is asked meanwhile, in order. BEGIN, COMMIT and ROLLBACK are questions too. */
async function questions(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(Client.prototype, 'query')
  try {
    await work()
    // What has no name and ends no transaction opens a connection; clock and keys are read by themselves now and then.
    const asked = query.mock.calls.map(([sent]) => nameOf(sent))
    return asked.flatMap((name) =>
      name !== undefined && /^(?:(?!clock\.|keys\.)[a-z_]+\.[a-z_]+[,; ]*|begin|commit|rollback)+$/.test(name)
        ? [name]
        : [],
    )
  } finally {
    query.mockRestore()
  }
}

/** What is sent together is one question. */
function nameOf(sent: unknown): string | undefined {
  if (sent instanceof Together) return sent.isBehind ? undefined : namesTogether(sent)
  return typeof sent === 'string' ? sent : (sent as { name?: string }).name
}

/** What the page shows is read behind what changes it, in the same question; a card that was changed there is not read. */
const SHOWN = 'sessions.find_payment, sessions.find_passkey, sessions.list_usable_cards'

const CARD = { card_number: CARDS.success, expiry_month: '12', expiry_year: '2040', cvv: '123' }

const ofService = (names: string[]) => names.filter((name) => !name.startsWith('simnet.'))

test('a card is entered in three questions, and one of the network', async () => {
  const visitor = await visit()
  expect(await questions(() => visitor.enterCard(CARDS.success))).toEqual([
    'limits.take_points',
    'sessions.insert_entered_card',
    'simnet.claim_token',
    `sessions.update_accepted; ${SHOWN}`,
  ])
})

test('a card that the network asks a code for, and its code', async () => {
  const visitor = await visit()
  expect(ofService(await questions(() => visitor.enterCard(CARDS.stepUp)))).toEqual([
    'limits.take_points',
    'sessions.insert_entered_card',
    `sessions.update_awaited; ${SHOWN}`,
  ])
  const code = { code: STEP_UP_CODE }
  expect(ofService(await questions(() => visitor.post('/api/cards/verify', code)))).toEqual([
    'limits.take_points',
    'sessions.find_payment',
    'cards.find_begun',
    `sessions.update_verified, sessions.open_deletion_after, cards.delete_work_of_kept; ${SHOWN}`,
  ])
})

test('what few entries need is sent with them, and asked of no other', async () => {
  const user = newUser()
  const entry = async (visitor: Cardholder, body: object = {}) =>
    withoutLimits(await questions(() => visitor.post('/api/cards', { ...CARD, ...body })))
  const written = (statements: string) => `${statements}; ${SHOWN}`
  const first = await visit(user)
  // For this once, and then to be kept, of a card that is active by then.
  expect(await entry(first, { once: true })).toEqual([
    'sessions.find_payment',
    'sessions.insert_entered_card, sessions.open_deletion',
    written('sessions.update_accepted, sessions.open_deletion_after'),
  ])
  expect(await entry(first)).toEqual([
    'sessions.insert_entered_card',
    written('sessions.update_renewed, cards.update_record, cards.delete_work_of_kept'),
  ])
  const { body } = await first.registerPasskey()
  expect((await deleteCard(service.merchant, user, body.card.card_id)).status).toBe(200)
  expect(await entry(await visit(user))).toEqual([
    'sessions.insert_entered_card',
    'sessions.revive_entered_card',
    written('sessions.update_accepted'),
  ])
})

test('a try of an enrollment begins and ends with its entry', async () => {
  const { session_token } = await createEnrollment(service.merchant, { user_id: newUser() })
  const visitor = cardholder(service, session_token)
  expect(withoutLimits(await questions(() => visitor.enterCard(CARDS.success)))).toEqual([
    'sessions.begin_try, sessions.insert_entered_card',
    'sessions.end_try, sessions.update_accepted, sessions.update_late; sessions.find_enrollment, sessions.find_passkey, sessions.list_usable_cards',
  ])
})

test('a refused card is ended, and counted for all that it tells of, in one question each', async () => {
  const visitor = await visit()
  expect(await questions(() => visitor.enterCard(CARDS.refused))).toEqual([
    'limits.take_points',
    'sessions.insert_entered_card',
    'cards.update_deleted',
    'limits.take_points',
  ])
})

const CHOSEN =
  'sessions.update_card, sessions.find_payment, sessions.find_chosen_card, sessions.find_passkey, sessions.list_usable_cards'

test('a saved card is chosen in one', async () => {
  const user = newUser()
  const first = await visit(user)
  await first.enterCard(CARDS.success)
  const { body } = await first.registerPasskey()
  const again = await visit(user)
  // The first call of a session that enters no card asks for its block of calls.
  await again.get('/api/session')
  const choice = { card_id: body.card.card_id }
  expect(await questions(() => again.post('/api/cards/select', choice))).toEqual([CHOSEN])
})

const withoutLimits = (names: string[]) => ofService(names).filter((name) => !name.startsWith('limits.'))

test('a launch asks for cards only where there may be some, and chooses the usual one', async () => {
  const user = newUser()
  const first = await visit(user)
  const LAUNCHED = 'sessions.find_payment, sessions.find_passkey'
  expect(withoutLimits(await questions(() => launch(service, first.link)))).toEqual([LAUNCHED])
  await first.enterCard(CARDS.success)
  const CARDS_OF_SESSION = 'cards.find, sessions.list_usable_cards'
  expect(withoutLimits(await questions(() => launch(service, first.link)))).toEqual([LAUNCHED, CARDS_OF_SESSION])
  await first.registerPasskey()
  const again = await visit(user)
  const asked = await questions(() => launch(service, again.link))
  expect(withoutLimits(asked)).toEqual([LAUNCHED, 'sessions.list_usable_cards', CHOSEN])
})

test('a new passkey is asked for without its session, and what a signature is judged by comes in one trip', async () => {
  const authenticator = newAuthenticator(service)
  const { session_token } = await createSession(service.merchant, { user_id: newUser() })
  const visitor = cardholder(service, session_token, authenticator)
  await visitor.enterCard(CARDS.success)
  const frame = { embedded: false }
  const bodies: Record<string, Answer['body']> = {}
  const asked = async (path: string, body: object) =>
    withoutLimits(
      await questions(async () => {
        bodies[path] = (await visitor.post(path, body)).body
      }),
    )
  expect(await asked('/api/passkeys/registration-options', { frame })).toEqual(['sessions.issue_challenge'])
  const response = authenticator.register(bodies['/api/passkeys/registration-options'])
  expect(await asked('/api/passkeys/registrations', { response, frame })).toEqual([
    'passkeys.claim_challenge, sessions.find_payment, sessions.find_chosen_card',
    'sessions.insert_passkey, passkeys.insert_first_challenge',
  ])
  const { options } = bodies['/api/passkeys/registrations'].approval
  expect(await asked('/api/approvals', { response: authenticator.authenticate(options) })).toEqual([
    'passkeys.claim_challenge, sessions.find_payment, sessions.find_chosen_card, sessions.find_passkey',
    'sessions.approve_payment, sessions.insert_evidence',
    'charges.update_minted',
  ])
})

test('the limits of a whole payment are one question for the launch at most, and one for the card', async () => {
  const visitor = await visit()
  const asked = await questions(async () => {
    await launch(service, visitor.link)
    expect((await visitor.pay(CARDS.success)).body.step).toBe('done')
    await visitor.get('/api/session')
  })
  const ofLimits = asked.filter((name) => name.startsWith('limits.'))
  expect(ofLimits.length).toBeGreaterThanOrEqual(1)
  expect(ofLimits.length).toBeLessThanOrEqual(2)
})

test('what the approval is asked with comes with the passkey where the page says its frame, and is good for it', async () => {
  const authenticator = newAuthenticator(service)
  const { session_token } = await createSession(service.merchant, { user_id: newUser() })
  const visitor = cardholder(service, session_token, authenticator)
  await visitor.enterCard(CARDS.success)
  const frame = { embedded: false }
  const creation = await visitor.post('/api/passkeys/registration-options', { frame })
  const response = authenticator.register(creation.body)
  const { body } = await visitor.post('/api/passkeys/registrations', { response, frame })
  expect(body.view.step).toBe('approval')
  const asked = await visitor.post('/api/approval-options', { frame })
  expect(body.approval.terms).toEqual(asked.body.terms)
  expect(body.approval.options.challenge).not.toBe(asked.body.options.challenge)
  const approved = await visitor.post('/api/approvals', { response: authenticator.authenticate(body.approval.options) })
  expect(approved.body).toMatchObject({ step: 'done', outcome: 'approved' })
})

test('it does not come to who does not ask for it', async () => {
  const authenticator = newAuthenticator(service)
  const { session_token } = await createSession(service.merchant, { user_id: newUser() })
  const visitor = cardholder(service, session_token, authenticator)
  await visitor.enterCard(CARDS.success)
  const creation = await visitor.post('/api/passkeys/registration-options', { frame: { embedded: false } })
  const { body } = await visitor.post('/api/passkeys/registrations', {
    response: authenticator.register(creation.body),
  })
  expect(body).toMatchObject({ view: { step: 'approval' }, approval: null })
})

test('what an agent has asked for is approved in three questions, behind a lock of the agent', async () => {
  const { session_id } = (await askFor(await linkedAgent(service))).body
  const asked = await questions(() => completeFor(service, session_id))
  const from = asked.findIndex((names) => names.includes('agents.lock_active'))
  expect(asked.slice(from, from + 3)).toEqual([
    'transaction.begin, agents.lock_active',
    // The card was entered here, and is not the owner's passkey's yet.
    'sessions.approve_payment, sessions.insert_evidence, sessions.update_card_given',
    'transaction.commit',
  ])
})

test('what an agent has asked for says so in no more questions than what a merchant has', async () => {
  const user = newUser()
  await (await visit(user)).pay(CARDS.success)
  const agent = await linkedAgent(service, {}, { name: 'Atlas' })
  for (const changes of [{}, { mandate_setup: { recurring_frequency: 'monthly' } }]) {
    const { payment_url } = (await askFor(agent, changes)).body
    const { iframe_url } = await createSession(service.merchant, { user_id: user, ...changes })
    const views: { agent: unknown }[] = []
    const shown = async (link: string) => {
      views.push((await launch(service, link)).body.view)
    }
    const asked = withoutLimits(await questions(() => shown(payment_url)))
    const ofMerchant = withoutLimits(await questions(() => shown(iframe_url)))
    expect(views.map(({ agent: named }) => named)).toEqual([{ name: 'Atlas', owner_url: service.ownerUrl }, null])
    expect(asked).toEqual(ofMerchant)
  }
})
