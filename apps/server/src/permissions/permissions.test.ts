// Guarantee: a cardholder sees and stops, with their passkey and without asking the merchant, what they allowed a
// merchant's account to charge again and again: only their own, only there, for some minutes. Pausing and ending are a
// press; to go on takes a signature that counts once.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, launch } from '../../test/cardholder.ts'
import { atOnce, CARDS, countBy, createSession, dbRow, expectError, newUser } from '../../test/flows.ts'
import { mandateOfSetup, mandateRow } from '../../test/rows/mandates.ts'
import {
  call,
  jsonRequest,
  PATIENT,
  startTestService,
  type TestMerchant,
  type TestService,
} from '../../test/service.ts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '../passkeys/software-authenticator.ts'
import { VISIT_SECONDS } from './service.ts'

let service: TestService
let second: TestService
let other: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  second = await startTestService({ database: service.database, env: PATIENT })
  other = await service.addMerchant()
})
afterAll(async () => {
  await second?.close()
  await service?.close()
})

interface Person {
  user: string
  authenticator: SoftwareAuthenticator
  mandateId: string
}

/** A cardholder with a passkey, who has allowed one thing. */
async function person(merchant = service.merchant, again?: Person): Promise<Person> {
  const user = again?.user ?? newUser()
  const authenticator =
    again?.authenticator ??
    createSoftwareAuthenticator({ seed: randomBytes(32), rpId: 'localhost', origin: service.surfaceUrl })
  const mandate_setup = { recurring_frequency: 'monthly' }
  const session = await createSession(merchant, { user_id: user, mandate_setup })
  const { body } = await launch(service, session.iframe_url)
  const page = cardholder(service, body.session_token, authenticator)
  const { body: entered } = await page.enterCard(again === undefined ? CARDS.success : '5555555555554444')
  if (entered.step === 'passkey_registration') await page.registerPasskey()
  const { body: view } = await page.approve()
  expect(view).toMatchObject({ outcome: 'approved' })
  const { id } = await mandateOfSetup(service.pool, session.session_id)
  return { user, authenticator, mandateId: id }
}

const optionsOf = (merchant: TestMerchant = service.merchant) =>
  post('sign-in/options', { merchant_id: merchant.merchantId })
const post = (path: string, body?: unknown, token = '') =>
  call(`${service.surfaceUrl}/api/permissions/${path}`, jsonRequest(token && `Bearer ${token}`, body))

async function signIn({ authenticator }: Pick<Person, 'authenticator'>, merchant: TestMerchant = service.merchant) {
  const { visit, options } = (await optionsOf(merchant)).body
  return post('sign-in', { merchant_id: merchant.merchantId, visit, response: authenticator.authenticate(options) })
}

async function visit(who: Person) {
  const { body } = await signIn(who)
  const token: string = body.token
  return {
    token,
    view: body.view,
    read: () => call(`${service.surfaceUrl}/api/permissions`, { headers: { authorization: `Bearer ${token}` } }),
    post: (path: string, sent?: unknown) => post(path, sent, token),
    async resume(mandateId: string, by = who.authenticator) {
      const { terms, options } = (await post(`${mandateId}/resume/options`, undefined, token)).body
      return post(
        `${mandateId}/resume`,
        { resume_id: terms.resume_id, response: by.authenticate({ ...options, allowCredentials: [] }) },
        token,
      )
    },
  }
}

const statusOf = async (id: string) => (await mandateRow(service.pool, id)).status

describe('a visit', () => {
  test('shows what its passkey allowed, newest first, and says what it costs at most', async () => {
    const ann = await person()
    const { mandateId: newer } = await person(service.merchant, ann)
    const { view } = await visit(ann)
    expect(view).toMatchObject({
      merchant: { name: 'Test Shop' },
      environment: 'sandbox',
      more: false,
      permissions: [
        { mandate_id: newer, status: 'active' },
        {
          mandate_id: ann.mandateId,
          ...{ merchant_name: 'Tea House', status: 'active', amount: '40.00', remaining: '40.00', spent: '0.00' },
          ...{ recurring_frequency: 'monthly', merchant_scope: 'listed', charge_count: 0, ended_at: null },
        },
      ],
    })
    expect(JSON.stringify(view)).not.toMatch(/4242|seal|email|user-/)
  })

  test('begins alike for everybody, with a challenge that names no passkey', async () => {
    const { body, status } = await optionsOf()
    expect({ status, allowed: body.options.allowCredentials ?? [] }).toEqual({ status: 200, allowed: [] })
    expectError(await post('sign-in/options', { merchant_id: 'ma_nobodys' }), 404, 'NOT_FOUND')
  })

  test('is refused to a passkey of another merchant, of no customer, and to an answer that came twice', async () => {
    const ann = await person()
    expectError(await signIn(ann, other), 400, 'PASSKEY_FAILED')
    const stranger = createSoftwareAuthenticator({
      seed: randomBytes(32),
      rpId: 'localhost',
      origin: service.surfaceUrl,
    })
    expectError(await signIn({ authenticator: stranger }), 400, 'PASSKEY_FAILED')
    const { visit: name, options } = (await optionsOf()).body
    const sent = {
      merchant_id: service.merchant.merchantId,
      visit: name,
      response: ann.authenticator.authenticate(options),
    }
    const answers = await atOnce(8, () => post('sign-in', sent))
    expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 400: 7 })
  })

  test('takes no challenge that is five minutes old', async () => {
    const ann = await person()
    const { visit: name, options } = (await optionsOf()).body
    await service.clock.advance(301)
    const response = ann.authenticator.authenticate(options)
    const { merchantId: merchant_id } = service.merchant
    expectError(await post('sign-in', { merchant_id, visit: name, response }), 400, 'PASSKEY_FAILED')
  })

  test('is over after ten minutes, on every node', async () => {
    const ann = await person()
    const { token, read } = await visit(ann)
    expect((await read()).status).toBe(200)
    const there = (path: string) => call(second.surfaceUrl + path, { headers: { authorization: `Bearer ${token}` } })
    expect((await there('/api/permissions')).status).toBe(200)
    await service.clock.advance(VISIT_SECONDS + 1)
    await second.clock.refresh()
    expectError(await read(), 401, 'AUTH_1003')
    expectError(await there('/api/permissions'), 401, 'AUTH_1003')
  })

  test('opens no session, and a session opens no visit', async () => {
    const ann = await person()
    const { token } = await visit(ann)
    const { session_token } = await createSession(service.merchant)
    const as = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } })
    expectError(await call(`${service.surfaceUrl}/api/session`, as(token)), 401, 'AUTH_1001')
    expectError(await call(`${service.surfaceUrl}/api/permissions`, as(session_token)), 401, 'AUTH_1001')
  })
})

describe('a press', () => {
  test('pauses and ends; what was moved elsewhere is refused', async () => {
    const ann = await person()
    const { mandateId } = ann
    const page = await visit(ann)
    const paused = await page.post(`${mandateId}/pause`)
    expect(paused).toMatchObject({ status: 200, body: { permissions: [{ mandate_id: mandateId, status: 'paused' }] } })
    const charge = await service.merchant.post(`/v1/mandates/${mandateId}/charge`, { amount: '1.00' })
    expect(charge.status).toBe(409)
    expectError(await page.post(`${mandateId}/pause`), 409, 'MANDATE_INVALID_TRANSITION')
    expect((await page.post(`${mandateId}/cancel`)).body.permissions[0]).toMatchObject({ status: 'cancelled' })
    expectError(await page.post(`${mandateId}/cancel`), 409, 'MANDATE_INVALID_TRANSITION')
  })

  test('of many at once moves it once', async () => {
    const ann = await person()
    const page = await visit(ann)
    const answers = await atOnce(16, () => page.post(`${ann.mandateId}/cancel`))
    expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 409: 15 })
  })

  test.each(['pause', 'cancel', 'resume/options'])('%s touches nothing of anybody else', async (act) => {
    const [ann, bea] = [await person(), await person()]
    const theirs = await person(other)
    const page = await visit(ann)
    for (const id of [bea.mandateId, theirs.mandateId]) {
      const { status } = await page.post(`${id}/${act}`)
      // What is asked to be signed says nothing of whether it is there.
      expect(status).toBe(act === 'resume/options' ? 200 : 403)
      expect(await statusOf(id)).toBe('active')
    }
    if (act !== 'resume/options') expectError(await page.post(`mdt_nobodys/${act}`), 404, 'MANDATE_NOT_FOUND')
  })
})

describe('to go on', () => {
  test('takes the passkey, and what was signed is kept', async () => {
    const ann = await person()
    const { mandateId } = ann
    const page = await visit(ann)
    await page.post(`${mandateId}/pause`)
    const resumed = await page.resume(mandateId)
    expect(resumed).toMatchObject({ status: 200, body: { permissions: [{ mandate_id: mandateId, status: 'active' }] } })
    const { terms } = await dbRow(
      service,
      `select terms from approvals where subject_type = 'permission' and terms::json ->> 'mandate_id' = $1`,
      [mandateId],
    )
    expect(JSON.parse(terms)).toMatchObject({ type: 'permission_resume', version: 1, mandate_id: mandateId })
  })

  test('a signature counts once, for its permission, by its own customer', async () => {
    const ann = await person()
    const { mandateId: second } = await person(service.merchant, ann)
    const bea = await person()
    const page = await visit(ann)
    for (const id of [ann.mandateId, second]) await page.post(`${id}/pause`)
    const { terms, options } = (await page.post(`${ann.mandateId}/resume/options`)).body
    const signed = { resume_id: terms.resume_id, response: ann.authenticator.authenticate(options) }
    expectError(await page.post(`${second}/resume`, signed), 400, 'INVALID_STATE')
    expect(await statusOf(second)).toBe('paused')
    expectError(await page.post(`${ann.mandateId}/resume`, signed), 400, 'PASSKEY_FAILED')
    expectError(await page.resume(ann.mandateId, bea.authenticator), 400, 'PASSKEY_FAILED')
    const again = (await page.post(`${ann.mandateId}/resume/options`)).body
    const sent = { resume_id: again.terms.resume_id, response: ann.authenticator.authenticate(again.options) }
    const answers = await atOnce(8, () => page.post(`${ann.mandateId}/resume`, sent))
    expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 400: 7 })
  })

  test('does not bring back what was ended meanwhile', async () => {
    const ann = await person()
    const page = await visit(ann)
    await page.post(`${ann.mandateId}/pause`)
    const { terms, options } = (await page.post(`${ann.mandateId}/resume/options`)).body
    await service.merchant.post(`/v1/mandates/${ann.mandateId}/cancel`)
    const signed = { resume_id: terms.resume_id, response: ann.authenticator.authenticate(options) }
    expectError(await page.post(`${ann.mandateId}/resume`, signed), 409, 'MANDATE_INVALID_TRANSITION')
    expect(await statusOf(ann.mandateId)).toBe('cancelled')
  })

  test('another’s permission does not, whatever was signed', async () => {
    const [ann, bea] = [await person(), await person()]
    await service.merchant.post(`/v1/mandates/${bea.mandateId}/pause`)
    const page = await visit(ann)
    expectError(await page.resume(bea.mandateId), 403, 'MANDATE_FORBIDDEN')
    expect(await statusOf(bea.mandateId)).toBe('paused')
  })
})
