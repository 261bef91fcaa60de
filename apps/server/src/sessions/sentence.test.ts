// Guarantee: what a cardholder signs says all of it in one sentence, in the language of the session or else of their browser, kept word for
// word; and what says it in no words of ours is not taken.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, launch, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createEnrollment, createSession, dbRow, expectError, expectInvalid, newUser } from '../../test/flows.ts'
import { sessionBody, startTestService, type TestService } from '../../test/service.ts'
import { bindChallenge } from '../passkeys/challenge.ts'
import { canonicalJson } from '../platform/canonical-json.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    env: { OPERATOR_NAME: 'Northpay', OPERATOR_SUPPORT_URL: 'https://northpay.example/help' },
  })
})
afterAll(() => service?.close())

const GERMAN = { locale: 'de-AT', time_zone: 'Europe/Vienna' }

/** A cardholder who has only to approve. */
async function ready(changes: object = {}) {
  const session = await createSession(service.merchant, changes as Record<string, unknown>)
  const authenticator = newAuthenticator(service)
  const visitor = cardholder(service, session.session_token, authenticator)
  await visitor.enterCard(CARDS.success)
  await visitor.registerPasskey()
  const ask = async (reader?: object) =>
    (await visitor.post('/api/approval-options', { frame: { embedded: false }, ...(reader && { reader }) })).body
  const sign = (options: Parameters<typeof authenticator.authenticate>[0]) =>
    visitor.post('/api/approvals', { response: authenticator.authenticate(options) })
  return { session, ask, sign }
}
const evidence = async (id: string) =>
  JSON.parse((await dbRow(service, 'select terms from approvals where subject_id = $1', [id])).terms)

describe('the sentence', () => {
  test('is in the language of the session, whatever the browser says, and kept word for word', async () => {
    const { session, ask, sign } = await ready({ locale: 'de-at' })
    const { terms, options } = await ask({ locale: 'fr', time_zone: 'Europe/Vienna' })
    expect(terms).toMatchObject({ operator: 'Northpay', sentence: { version: 4, language: 'de', ...GERMAN } })
    expect(terms.sentence.text).toMatch(
      / bekommt eine Einmalkarte über höchstens .+, einmal, für 15 Minuten ab Ihrer Freigabe\. Ihre echte Karte/,
    )
    expect((await sign(options)).status).toBe(200)
    expect((await evidence(session.session_id)).sentence).toEqual(terms.sentence)
  })

  test('is in that of the browser where the session names none, and English where that is none of ours', async () => {
    const { ask } = await ready()
    expect((await ask({ ...GERMAN })).terms.sentence).toMatchObject({ language: 'de', ...GERMAN })
    const unknown = await ask({ locale: 'tlh', time_zone: 'Mars/Olympus' })
    expect(unknown.terms.sentence).toMatchObject({ language: 'en', locale: 'en', time_zone: null })
  })

  test('counts from the approval, however long the terms were read: the approval ends when it says', async () => {
    const { session, ask, sign } = await ready()
    const { terms, options } = await ask()
    expect(terms.sentence.text).toContain(' within 15 minutes of your approval.')
    await service.clock.advance(240)
    expect((await sign(options)).status).toBe(200)
    const sql = `select valid_until, created_at from mandates where id = (select mandate_id from charges where opened_by = $1)`
    const { valid_until, created_at } = await dbRow(service, sql, [session.session_id])
    expect(valid_until.getTime() - created_at.getTime()).toBe(15 * 60_000)
    // The same terms again are the same text: no end moves with the time of the question.
    const again = await ready()
    const first = (await again.ask()).terms
    await service.clock.advance(90)
    expect((await again.ask()).terms).toEqual(first)
  })

  test.each([
    ['without one', (terms: object) => ({ ...terms, sentence: undefined })],
    [
      'of the first version',
      (terms: { sentence?: object }) => ({ ...terms, sentence: { ...terms.sentence, version: 1 } }),
    ],
    [
      'of before hosts were named',
      (terms: { sentence?: { text: string } }) => ({
        ...terms,
        sentence: { ...terms.sentence, version: 2, text: terms.sentence?.text.replace(' (tea.example)', '') },
      }),
    ],
    [
      'of before ends were counted from the approval',
      (terms: { sentence?: object }) => ({
        ...{ ...terms, valid_until: '2028-01-01T00:00:00.000Z' },
        sentence: { ...terms.sentence, version: 3 },
      }),
    ],
    ['of the operator’s former name', (terms: object) => ({ ...terms, operator: 'Oldpay' })],
  ])('a statement %s is asked for anew, and nothing is approved', async (_, before) => {
    const { session, ask, sign } = await ready()
    const { options } = await ask()
    // As a release before this one has issued it.
    const older = await issuedAs(session.session_id, before)
    expectError(await sign({ ...options, challenge: older }), 400, 'INVALID_STATE')
    expect(
      (await service.pool.query('select 1 from approvals where subject_id = $1', [session.session_id])).rowCount,
    ).toBe(0)
    expect((await sign((await ask()).options)).status).toBe(200)
  })
})

async function issuedAs(sessionId: string, change: (terms: object) => object): Promise<string> {
  const row = await dbRow(
    service,
    `select nonce, bound_text from passkey_challenges where subject_id = $1 and ceremony = 'assertion' and claimed_at is null`,
    [sessionId],
  )
  const text = canonicalJson(JSON.parse(JSON.stringify(change(JSON.parse(row.bound_text)))))
  const challenge = bindChallenge(row.nonce, text)
  await service.pool.query(
    `update passkey_challenges set bound_text = $2, challenge = $3 where subject_id = $1 and ceremony = 'assertion' and claimed_at is null`,
    [sessionId, text, challenge],
  )
  return challenge
}

describe('the page', () => {
  test('is told the locale in its one spelling, who keeps the card, and how the merchant looks', async () => {
    const { iframe_url } = await createSession(service.merchant, { locale: 'EN-gb' })
    expect((await launch(service, iframe_url)).body.view).toMatchObject({
      locale: 'en-GB',
      operator: { name: 'Northpay', support_url: 'https://northpay.example/help' },
      merchant: { brand: {} },
    })
  })

  test('is told null where the merchant names no locale, also of an enrollment that may', async () => {
    const of = async (body: Record<string, unknown>) => {
      const { iframe_url } = await createEnrollment(service.merchant, { user_id: newUser(), ...body })
      return (await launch(service, iframe_url)).body.view.locale
    }
    expect([await of({}), await of({ locale: 'ja' })]).toEqual([null, 'ja'])
  })

  test.each(['de_AT', '', 'x'.repeat(36)])('the locale %j is refused by its name', async (locale) => {
    expectInvalid(await service.merchant.post('/v1/sessions', sessionBody({ locale })), 'locale')
  })
})
