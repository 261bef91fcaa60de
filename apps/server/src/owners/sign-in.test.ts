// Guarantee: only the owner who has the passkey is signed in at the page of owners, as long as the session lasts and no longer;
// no other page, no other site, no answer of before and no editor of the database acts in their name.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approveLink, askForLink, newAgent } from '../../test/agents.ts'
import { expectError } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { cookieOf, fromPage, newAuthenticator, newOwner, signIn } from '../../test/owners.ts'
import { call, startTestService, type TestService } from '../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

describe('a session', () => {
  test('begins with a passkey, is of the host alone, and another one begins each time', async () => {
    const ann = await newOwner(service)
    const again = await signIn(service, ann.authenticator)
    expect(again.cookie).not.toBe(ann.cookie)
    for (const each of [ann, again]) {
      expect(await each.get('/api/session')).toMatchObject({ status: 200, body: { name: 'Ann' } })
    }
    const { visit, options } = (await fromPage(service, '/api/sign-in/options')).body
    const response = ann.authenticator.authenticate(options)
    // A cookie that an attacker has set is not taken over.
    const planted = await fromPage(service, '/api/sign-in', { visit, response }, { cookie: again.cookie })
    expect(planted.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^mintmark_owner=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/),
    ])
    expect(cookieOf(planted)).not.toBe(again.cookie)
    expect(planted.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('ends by signing out, by itself, and with the passkey', async () => {
    const ann = await newOwner(service)
    const out = await ann.post('/api/sign-out')
    expect(out).toMatchObject({ status: 200, body: { done: true } })
    expect(out.headers.getSetCookie()[0]).toMatch(/^mintmark_owner=; .*Max-Age=0/)
    expectError(await ann.get('/api/session'), 401, 'AUTH_1002')
    const bob = await newOwner(service)
    await service.pool.query('update passkeys set flagged_at = now() where id = $1', [bob.authenticator.credentialId])
    expectError(await bob.get('/api/session'), 401, 'AUTH_1002')
    const eve = await newOwner(service)
    await service.clock.advance(12 * 60 * 60 + 1)
    expectError(await eve.get('/api/session'), 401, 'AUTH_1003')
    await service.runJobs()
    expectError(await eve.get('/api/session'), 401, 'AUTH_1002')
  })

  test('is nobody’s to make up: an edited row, and one for another owner, open nothing', async () => {
    const [ann, bob] = [await newOwner(service), await newOwner(service)]
    const { rows } = await service.pool.query('select customer_id from passkeys where id = $1', [
      ann.authenticator.credentialId,
    ])
    await service.pool.query('update owner_sessions set customer_id = $2 where passkey_id = $1', [
      bob.authenticator.credentialId,
      rows[0].customer_id,
    ])
    expectError(await bob.get('/api/session'), 500, 'INTERNAL_ERROR')
  })

  test('is none by a cookie that comes twice, of which nobody knows which is ours, or under another name', async () => {
    const { cookie } = await newOwner(service)
    const seen = async (given: string) =>
      (await call(`${service.ownerUrl}/api/session`, { headers: { cookie: given } })).status
    expect(await seen(cookie)).toBe(200)
    for (const given of [`${cookie}; ${cookie}`, `other_${cookie}`, `x=1; ${cookie}x`])
      expect([given, await seen(given)]).toEqual([given, 401])
  })
})

test('an owner who is forgotten has no name here, and is signed out', async () => {
  const ann = await newOwner(service, 'Zenobia Plantagenet')
  const named = () => service.pool.query(`select name from owners where name = 'Zenobia Plantagenet'`)
  expect((await named()).rowCount).toBe(1)
  const { rows } = await service.pool.query('select merchant_id, customer_id from passkeys where id = $1', [
    ann.authenticator.credentialId,
  ])
  await service.app.customers.erase(rows[0].merchant_id, rows[0].customer_id)
  expect((await named()).rowCount).toBe(0)
  expectError(await ann.get('/api/session'), 401, 'AUTH_1002')
})

describe('refused is', () => {
  test('what another page asks for: every write says which page it comes from', async () => {
    const ann = await newOwner(service)
    const agent = newAgent(service)
    const linkId = await askForLink(agent)
    const writes = ['/api/sign-in/options', '/api/owners/options', `/api/links/${linkId}/deny`, '/api/sign-out']
    for (const origin of ['https://evil.example', service.surfaceUrl, 'null', `${service.ownerUrl}.evil.example`]) {
      for (const path of writes) expectError(await ann.post(path, undefined, { origin }), 403, 'FORBIDDEN')
    }
    const { cookie } = ann
    const unsaid = await call(`${service.ownerUrl}/api/links/${linkId}/deny`, { method: 'POST', headers: { cookie } })
    expectError(unsaid, 403, 'FORBIDDEN')
    // A form of another site can send no JSON; a script of one may not ask.
    const asked = await fetch(`${service.ownerUrl}/api/session`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    })
    expect(asked.status).toBe(404)
    expect((await agent.send('GET', `/v1/agents/links/${linkId}`)).body).toEqual({ status: 'pending' })
  })

  test('an answer that was given before, that is for another visit, of another origin, or of nobody', async () => {
    const ann = await newOwner(service)
    const begin = async () => (await fromPage(service, '/api/sign-in/options')).body
    const [first, second] = [await begin(), await begin()]
    const response = ann.authenticator.authenticate(first.options)
    const refused = async (visit: string, given: unknown) =>
      expectError(await fromPage(service, '/api/sign-in', { visit, response: given }), 400, 'PASSKEY_FAILED')
    await refused(second.visit, response)
    expect((await fromPage(service, '/api/sign-in', { visit: first.visit, response })).status).toBe(200)
    await refused(first.visit, response)
    await refused(second.visit, newAuthenticator(service).authenticate(second.options))
    const elsewhere = await begin()
    const foreign = newAuthenticator({ ownerUrl: service.surfaceUrl })
    await refused(elsewhere.visit, foreign.authenticate(elsewhere.options))
    const visit = (await fromPage(service, '/api/owners/options', { name: 'Eve' })).body
    const made = foreign.register(visit.options)
    const answer = await fromPage(service, '/api/owners', { visit: visit.visit, name: 'Eve', response: made })
    expectError(answer, 400, 'PASSKEY_FAILED')
  })

  test('a signature for one link at another, by another owner, and with limits that were not signed', async () => {
    const [ann, bob] = [await newOwner(service), await newOwner(service)]
    const [one, other] = [await askForLink(newAgent(service)), await askForLink(newAgent(service))]
    const ask = async (who: typeof ann, linkId: string) =>
      (await who.post(`/api/links/${linkId}/approval-options`, { limits: NARROW })).body.options
    const response = ann.authenticator.authenticate(await ask(ann, one))
    expectError(await ann.post(`/api/links/${other}/approve`, { response }), 400, 'PASSKEY_FAILED')
    const again = ann.authenticator.authenticate(await ask(ann, one))
    expectError(await bob.post(`/api/links/${one}/approve`, { response: again }), 400, 'PASSKEY_FAILED')
    const last = ann.authenticator.authenticate(await ask(ann, one))
    expect((await ann.post(`/api/links/${one}/approve`, { response: last })).status).toBe(200)
    expectError(await ann.post(`/api/links/${one}/approve`, { response: last }), 400, 'PASSKEY_FAILED')
    expect((await bob.get(`/api/links/${one}`)).body).toMatchObject({ status: 'taken', agent: null, limits: null })
    expectError(await bob.post(`/api/links/${one}/deny`), 400, 'INVALID_STATE')
  })
})

test('of a denial and an approval at the same moment one counts, and the agent is told that one', async () => {
  const ann = await newOwner(service)
  for (let round = 0; round < 4; round += 1) {
    const agent = newAgent(service)
    const linkId = await askForLink(agent)
    const { options } = (await ann.post(`/api/links/${linkId}/approval-options`, { limits: NARROW })).body
    const response = ann.authenticator.authenticate(options)
    const answers = await Promise.all([
      ann.post(`/api/links/${linkId}/approve`, { response }),
      ann.post(`/api/links/${linkId}/deny`),
      approveLink(service, linkId),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const said = answers[1]?.status === 200 ? 'denied' : 'approved'
    expect((await agent.send('GET', `/v1/agents/links/${linkId}`)).body.status).toBe(said)
  }
})

test('the page stands in no frame, runs its own script alone, and keeps nothing', async () => {
  for (const path of ['/', '/links/lk_1', '/escalations/esc_1']) {
    const { status, headers } = await fetch(service.ownerUrl + path)
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'; script-src 'sha256-[^;]+; .*frame-ancestors 'none'$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  }
  const lost = await fetch(`${service.ownerUrl}/nowhere`, { headers: { accept: 'text/html' } })
  expect(lost.status).toBe(404)
  expect(await lost.text()).toContain('This address leads nowhere')
})

test.each([
  ['hours.zone', { hours: { from: '08:00', to: '10:00', zone: 'Mars/Olympus' } }],
  ['merchants.1', { merchants: ['shop.example', 'https://shop.example/'] }],
  ['charge', { charge: '0' }],
])('limits that can never be kept are refused at %s', async (field, limits) => {
  const ann = await newOwner(service)
  const linkId = await askForLink(newAgent(service))
  const answer = await ann.post(`/api/links/${linkId}/approval-options`, { limits: { ...NARROW, ...limits } })
  expectError(answer, 400, 'VAL_2001')
  expect(Object.keys(answer.body.error.details)).toEqual([`limits.${field}`])
})
