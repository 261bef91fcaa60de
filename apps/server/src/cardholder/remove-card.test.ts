// Guarantee: a customer removes a card of theirs by their passkey alone, over a statement that names it, which is kept;
// it ends as a card that its merchant deletes. A signature is good once, for its card, in its session; of any number of
// removals one takes effect.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cardholder, cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { atOnce, CARDS, countBy, createSession, dbRow, expectError, newUser } from '../../test/flows.ts'
import { MANDATES } from '../../test/rows/mandates.ts'
import { type Answer, startTestService, type TestService } from '../../test/service.ts'
import { cardsOf, deleteCard, eventsAbout } from '../cards/testing/enrolled.ts'
import { type Owner, standingMandate } from '../mandates/testing/standing.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { createSoftwareAuthenticator } from '../passkeys/software-authenticator.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { NETWORK_TIMEOUT_MS: '10000' } })
})
afterAll(() => service?.close())

const MASTERCARD = '5555555555554444'

type Authenticator = ReturnType<typeof newAuthenticator>
interface Person {
  user: string
  seed: Buffer
  authenticator: Authenticator
  /** In the order in which they were entered. */
  cards: string[]
}
const authenticatorAt = (origin: string, seed: Buffer) =>
  createSoftwareAuthenticator({ seed, rpId: 'localhost', origin })

type Visit = Cardholder & { sessionId: string }

async function visit({ user, authenticator }: Pick<Person, 'user' | 'authenticator'>, at = service): Promise<Visit> {
  const session = await createSession(service.merchant, { user_id: user })
  return { ...cardholder(at, session.session_token, authenticator), sessionId: session.session_id }
}

/** A customer who has paid with each of these cards, and has a passkey. */
async function personWith(...numbers: string[]): Promise<Person> {
  const seed = randomBytes(32)
  const person = { user: newUser(), seed, authenticator: authenticatorAt(service.surfaceUrl, seed) }
  const cards: string[] = []
  for (const number of numbers) {
    const page = await visit(person)
    const { body } = await page.enterCard(number)
    cards.push(body.card.card_id)
    if (body.step === 'passkey_registration') await page.registerPasskey()
    await page.approve()
  }
  return { ...person, cards }
}

const FRAME = { frame: { embedded: false } }
const ask = (page: Cardholder, card_id: string) => page.post('/api/cards/removal-options', { card_id, ...FRAME })
const answer = (page: Cardholder, { body }: Answer, authenticator: Authenticator, removal_id = body.terms.removal_id) =>
  page.post('/api/cards/remove', { removal_id, response: authenticator.authenticate(body.options) })
const remove = async (page: Cardholder, card: string, { authenticator }: Pick<Person, 'authenticator'>) =>
  answer(page, await ask(page, card), authenticator)
const listed = ({ body }: Answer) => body.cards.map(({ card_id }: { card_id: string }) => card_id)
const evidence = async (removalId: string) =>
  (await service.pool.query('select terms::jsonb as terms from approvals where subject_id = $1', [removalId])).rows
const statusOf = async (id: string) => (await dbRow(service, 'select status from cards where id = $1', [id])).status

describe('a card that its customer removes', () => {
  test('is named by what is signed and kept, and ends at the network, in the vault and in every list', async () => {
    const person = await personWith(CARDS.success, MASTERCARD)
    const [first = '', second = ''] = person.cards
    const page = await visit(person)
    const asked = await ask(page, first)
    const removed = await answer(page, asked, person.authenticator)
    expect(removed).toMatchObject({ status: 200, body: { step: 'card' } })
    expect(listed(removed)).toEqual([second])
    const { terms } = asked.body
    expect(terms).toMatchObject({
      ...{ type: 'card_removal', session_id: page.sessionId },
      card: { id: first, brand: 'visa', last4: '4242', enrolment: 1 },
    })
    expect(await evidence(terms.removal_id)).toEqual([{ terms }])
    expect(await cardsOf(service.merchant, person.user)).toEqual([`${second} active*`, `${first} deleted`])
    expect(await dbRow(service, 'select state from simnet.tokens where card_id = $1', [first])).toEqual({
      state: 'deleted',
    })
    expect(await eventsAbout(service, first)).toMatchObject([
      { type: 'card.deleted', data: { reason: 'CUSTOMER_CONFIRMED', was_default: true } },
    ])
  })

  test('takes the permissions that it pays with it', async () => {
    const person = await personWith(CARDS.success)
    const [only = ''] = person.cards
    const checkout = await dbRow(
      service,
      `select m.customer_id as "customerId", m.id as "mandateId", c.id as "chargeId" from charges c
       join ${MANDATES} m on m.id = c.mandate_id where m.card_id = $1`,
      [only],
    )
    const owner = { merchant: service.merchant, userId: person.user, ...checkout } as Owner
    const mandate = await standingMandate(service, owner)
    expect((await remove(await visit(person), only, person)).status).toBe(200)
    expect((await eventsAbout(service, mandate)).map(({ type }) => type)).toEqual(['mandate.cancelled'])
  })

  test('and was the last one leaves the fields for another, also where it was chosen', async () => {
    const person = await personWith(CARDS.success)
    const [only = ''] = person.cards
    const page = await visit(person)
    await page.post('/api/cards/select', { card_id: only })
    expect((await remove(page, only, person)).body).toMatchObject({ step: 'card', card: null, cards: [] })
    expect((await page.enterCard(MASTERCARD)).body.step).toBe('approval')
  })

  test('stays chosen elsewhere for nothing: another page of its customer is told', async () => {
    const person = await personWith(CARDS.success)
    const [only = ''] = person.cards
    const [page, elsewhere] = [await visit(person), await visit(person)]
    await elsewhere.post('/api/cards/select', { card_id: only })
    const { body } = await elsewhere.post('/api/approval-options', FRAME)
    await remove(page, only, person)
    const approved = await elsewhere.post('/api/approvals', {
      response: person.authenticator.authenticate(body.options),
    })
    expectError(approved, 400, 'INVALID_STATE')
  })

  test.each(['deletion_fails_once', 'deletion_answer_lost'] as const)(
    'is as it was where the network does not answer, and another signature removes it: %s',
    async (behaviour) => {
      const quick = await startTestService({ env: { NETWORK_TIMEOUT_MS: '1500' }, database: service.database })
      try {
        const person = await personWith(numberOf(behaviour))
        const [only = ''] = person.cards
        const page = await visit(person, quick)
        const authenticator = authenticatorAt(quick.surfaceUrl, person.seed)
        expectError(await remove(page, only, { authenticator }), 503, 'NETWORK_UNAVAILABLE')
        expect(listed(await page.get('/api/session'))).toEqual([only])
        expect(listed(await remove(page, only, { authenticator }))).toEqual([])
        expect(await statusOf(only)).toBe('deleted')
      } finally {
        await quick.close()
      }
    },
  )
})

describe('no caller removes', () => {
  test('a card of another customer, one that the session may not use, or one without a passkey', async () => {
    const [ann, bob] = [await personWith(CARDS.success), await personWith(CARDS.success)]
    const page = await visit(ann)
    for (const card of [bob.cards[0] ?? '', 'card_nobodys']) {
      expectError(await ask(page, card), 400, 'CARD_NOT_FOUND')
    }
    const user = newUser()
    const left = await (await visit({ user, authenticator: newAuthenticator(service) })).enterCard(CARDS.success)
    const stranger = await visit({ user, authenticator: newAuthenticator(service) })
    expectError(await ask(stranger, left.body.card.card_id), 400, 'CARD_NOT_FOUND')
    const own = await stranger.enterCard(MASTERCARD)
    expectError(await ask(stranger, own.body.card.card_id), 400, 'PASSKEY_REQUIRED')
  })

  test('by a session that is over, or that ended while the passkey was asked for', async () => {
    const person = await personWith(CARDS.success)
    const [only = ''] = person.cards
    const page = await visit(person)
    const asked = await ask(page, only)
    await page.post('/api/cancel')
    expectError(await answer(page, asked, person.authenticator), 401, 'AUTH_1003')
    expectError(await ask(page, only), 401, 'AUTH_1003')
    expect(await statusOf(only)).toBe('active')
  })
})

describe('a signature', () => {
  test('is good once, for its own card and session, in its time', async () => {
    const person = await personWith(CARDS.success, MASTERCARD)
    const [first = '', second = ''] = person.cards
    const [page, elsewhere] = [await visit(person), await visit(person)]
    const [used, moved, crossed, late] = await Promise.all([
      ask(page, first),
      ask(page, second),
      ask(page, second),
      ask(page, second),
    ])
    expect((await answer(page, used, person.authenticator)).status).toBe(200)
    expectError(await answer(page, used, person.authenticator), 400, 'PASSKEY_FAILED')
    expectError(await answer(elsewhere, moved, person.authenticator), 400, 'INVALID_STATE')
    expectError(await answer(page, crossed, person.authenticator, moved.body.terms.removal_id), 400, 'PASSKEY_FAILED')
    await service.clock.advance(6 * 60)
    expectError(await answer(page, late, person.authenticator), 400, 'PASSKEY_FAILED')
    expect(await statusOf(second)).toBe('active')
  })

  test('is refused of another passkey, and from a page that only looks like this one', async () => {
    const person = await personWith(CARDS.success)
    const [only = ''] = person.cards
    const page = await visit(person)
    const { body } = await ask(page, only)
    const theirs = newAuthenticator(service).authenticate({ ...body.options, allowCredentials: [] })
    const sent = { removal_id: body.terms.removal_id, response: theirs }
    expectError(await page.post('/api/cards/remove', sent), 400, 'PASSKEY_FAILED')
    const elsewhere = authenticatorAt('http://localhost:1', person.seed)
    expectError(await answer(page, await ask(page, only), elsewhere), 400, 'PASSKEY_FAILED')
    expect(await statusOf(only)).toBe('active')
    expect((await remove(page, only, person)).status).toBe(200)
  })

  test('over a card that was removed and entered again since is none over the new one', async () => {
    const person = await personWith(CARDS.success)
    const [only = ''] = person.cards
    const page = await visit(person)
    const asked = await ask(page, only)
    await deleteCard(service.merchant, person.user, only)
    expect((await (await visit(person)).enterCard(CARDS.success)).body.card.card_id).toBe(only)
    expectError(await answer(page, asked, person.authenticator), 400, 'INVALID_STATE')
    expect(await statusOf(only)).toBe('active')
  })
})

test('of 24 callers with one signature one removes it; of 24 signatures each is told the same, and one takes effect', async () => {
  const person = await personWith(CARDS.success, MASTERCARD)
  const [first = '', second = ''] = person.cards
  const page = await visit(person)
  const one = await ask(page, first)
  const sent = { removal_id: one.body.terms.removal_id, response: person.authenticator.authenticate(one.body.options) }
  const same = await atOnce(24, () => page.post('/api/cards/remove', sent))
  expect(countBy(same, ({ body }) => body.error?.code ?? 'removed')).toEqual({ removed: 1, PASSKEY_FAILED: 23 })
  const asked = await Promise.all(Array.from({ length: 24 }, () => ask(page, second)))
  const many = await atOnce(24, (index) => answer(page, asked[index] ?? one, person.authenticator))
  expect(countBy(many, ({ body }) => body.error?.code ?? 'removed')).toEqual({ removed: 24 })
  for (const card of [first, second]) {
    expect((await eventsAbout(service, card)).map(({ type }) => type)).toEqual(['card.deleted'])
  }
})
