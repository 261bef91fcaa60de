// Guarantee: which words about keeping it a cardholder read, and what they answered, is kept with their card when the
// network has accepted that entry, and not before; an editor of the database cannot change it.
import { KEEPING_WORDS_VERSION } from '@mintmark/contract/keeping'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CARDS, dbRow, expectError, expectInvalid, newUser } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'
import { cardOf, visit } from './testing/once.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { NETWORK_TIMEOUT_MS: '1500', RATE_LIMIT_ENROLLMENT: '100000' } })
})
afterAll(() => service?.close())

const SAID = { keeping_words: KEEPING_WORDS_VERSION }
const toldOf = (customer: string) =>
  service.app.cardOperations.told({ merchantId: service.merchant.merchantId, customer })
const storedOf = async (id: string) => (await dbRow(service, 'select keeping from cards where id = $1', [id])).keeping

test('the answer of an accepted entry is kept, and a later one takes its place', async () => {
  const visitor = await visit(service)
  await visitor.enter(CARDS.success, { ...SAID, once: true })
  const id = await cardOf(service, visitor.sessionId)
  expect(await storedOf(id)).toMatch(/^1:once:/)
  // A later answer counts when its entry is accepted.
  expectError(await visitor.enter(CARDS.success, { ...SAID, cvv: '000' }), 400, 'CARD_REFUSED')
  expect(await storedOf(id)).toMatch(/^1:once:/)
  await visitor.enter(CARDS.success, SAID)
  expect(await toldOf(visitor.user)).toMatchObject([{ card_id: id, keeping: { words: 1, answer: 'keep' } }])
  // A page that does not say what it showed changes nothing of what is known.
  await visitor.enter(CARDS.success, {})
  expect(await toldOf(visitor.user)).toMatchObject([{ keeping: { words: 1, answer: 'keep' } }])
})

test('with a code, it is the answer of the entry whose code was right', async () => {
  const visitor = await visit(service)
  expect((await visitor.enter(CARDS.stepUp, { ...SAID, once: true })).body.step).toBe('card_verification')
  await visitor.enter(CARDS.stepUp, SAID)
  await visitor.page.post('/api/cards/verify', { code: STEP_UP_CODE })
  expect(await toldOf(visitor.user)).toMatchObject([{ status: 'active', keeping: { words: 1, answer: 'keep' } }])
})

test('a card of a page that did not say has none, and an edited one is shown as none, with an alarm', async () => {
  const visitor = await visit(service)
  await visitor.enter(CARDS.success, {})
  expect(await toldOf(visitor.user)).toMatchObject([{ keeping: null }])
  await visitor.enter(CARDS.success, SAID)
  const id = await cardOf(service, visitor.sessionId)
  await service.pool.query(`update cards set keeping = replace(keeping, '1:', '2:') where id = $1`, [id])
  expect(await toldOf(visitor.user)).toMatchObject([{ card_id: id, keeping: null }])
  await service.pool.query(`update cards set keeping = null where id = $1`, [id])
})

test('a version that this page has never said is refused, and stores nothing', async () => {
  const visitor = await visit(service, { user: newUser() })
  const refused = await visitor.enter(CARDS.success, { keeping_words: KEEPING_WORDS_VERSION + 1 })
  expectInvalid(refused, 'keeping_words')
  expect(refused.body.error.details.keeping_words).toContain('load the page again')
  expect((await visitor.page.get('/api/session')).body.card).toBeNull()
})
