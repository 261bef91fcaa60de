// Guarantee: an owner sees where they are signed in and ends each of those, and every node refuses it from the next
// request on; a session goes on under another token once the passkey was used in it, and the one before
// opens nothing; an owner neither ends nor sees a session of another owner.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askForLink, newAgent } from '../../test/agents.ts'
import { expectError } from '../../test/flows.ts'
import { NARROW, sessionOf } from '../../test/owner-examples.ts'
import { cookieOf, fromPage, newOwner, pageHeaders, signIn, type TestOwner } from '../../test/owners.ts'
import { call, startTestService, type TestService } from '../../test/service.ts'
import { placeOf } from '../http/place.ts'
import { deviceOf } from '../platform/device.ts'

const DAY = 24 * 60 * 60

let service: TestService
let node: TestService
beforeAll(async () => {
  const env = { RATE_LIMIT_OWNER_SIGN_IN: '100000', RATE_LIMIT_FAILED_AUTHENTICATION: '100000' }
  service = await startTestService({ env })
  node = await startTestService({ database: service.database, env })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

const asks = ({ ownerUrl }: TestService, cookie: string) => call(`${ownerUrl}/api/session`, { headers: { cookie } })
const statuses = (cookie: string) =>
  Promise.all([service, node].map(async (where) => (await asks(where, cookie)).status))
const listed = async (owner: TestOwner) => (await owner.get('/api/sessions')).body.sessions

/** An approval with the passkey, at their page. */
async function stepUp(owner: TestOwner, cookie = owner.cookie) {
  const linkId = await askForLink(newAgent(service))
  const headers = pageHeaders(cookie)
  const { options } = (await fromPage(service, `/api/links/${linkId}/approval-options`, { limits: NARROW }, headers))
    .body
  const response = owner.authenticator.authenticate(options)
  return () => owner.post(`/api/links/${linkId}/approve`, { response }, headers)
}

describe('ended', () => {
  test('one by one: every node refuses it at once, the others go on, and of many who end it one has done it', async () => {
    const ann = await newOwner(service)
    const [phone, laptop] = [await signIn(service, ann.authenticator), await signIn(service, ann.authenticator)]
    const named = await sessionOf(phone)
    expect(await listed(ann)).toHaveLength(3)
    const answers = await Promise.all(Array.from({ length: 12 }, () => ann.post(`/api/sessions/${named}/end`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(11)
    expect(await statuses(phone.cookie)).toEqual([401, 401])
    expect(await statuses(laptop.cookie)).toEqual([200, 200])
    expect(await statuses(ann.cookie)).toEqual([200, 200])
    expect(await listed(ann)).toHaveLength(2)
  })

  test('all at once, this one too, and the browser is told to forget it', async () => {
    const ann = await newOwner(service)
    const bob = await newOwner(service)
    const others = await Promise.all([signIn(service, ann.authenticator), signIn(service, ann.authenticator)])
    const answer = await ann.post('/api/sessions/end-all')
    expect(answer.headers.getSetCookie()[0]).toMatch(/^mintmark_owner=; .*Max-Age=0/)
    for (const { cookie } of [ann, ...others]) expect(await statuses(cookie)).toEqual([401, 401])
    expect(await statuses(bob.cookie)).toEqual([200, 200])
  })

  test('its own: as signing out does', async () => {
    const ann = await newOwner(service)
    const answer = await ann.post(`/api/sessions/${await sessionOf(ann)}/end`)
    expect(answer.headers.getSetCookie()[0]).toMatch(/^mintmark_owner=; .*Max-Age=0/)
    expect(await statuses(ann.cookie)).toEqual([401, 401])
  })

  test('by its owner alone: the name of another owner’s session is the name of none', async () => {
    const [ann, mallory] = [await newOwner(service), await newOwner(service)]
    const named = await sessionOf(ann)
    const [theirs, none] = [
      await mallory.post(`/api/sessions/${named}/end`),
      await mallory.post('/api/sessions/ows_none/end'),
    ]
    expectError(theirs, 404, 'NOT_FOUND')
    expect({ ...theirs.body.error, response_id: '' }).toEqual({ ...none.body.error, response_id: '' })
    expect(await statuses(ann.cookie)).toEqual([200, 200])
    expect(JSON.stringify(await listed(mallory))).not.toContain(named)
  })

  test('for good: a session that ends while its passkey is used does not go on under another token', async () => {
    for (let round = 0; round < 6; round += 1) {
      const ann = await newOwner(service)
      const other = await signIn(service, ann.authenticator)
      const named = await sessionOf(ann)
      const approve = await stepUp(ann)
      const [approved] = await Promise.all([approve(), other.post(`/api/sessions/${named}/end`)])
      for (const cookie of [ann.cookie, cookieOf(approved)]) expect(await statuses(cookie)).toEqual([401, 401])
      expect(await listed(other)).toHaveLength(1)
    }
  })
})

describe('the token', () => {
  test('changes when the passkey is used, and the one before opens nothing on any node', async () => {
    const ann = await newOwner(service)
    const named = await sessionOf(ann)
    const stolen = ann.cookie
    const approved = await (await stepUp(ann))()
    expect(approved.status).toBe(200)
    expect(approved.headers.get('x-page-token')).toBe(pageHeaders(ann.cookie)['x-page-token'])
    expect(ann.cookie).not.toBe(stolen)
    expect(await statuses(stolen)).toEqual([401, 401])
    expect(await statuses(ann.cookie)).toEqual([200, 200])
    const late = await fromPage(service, '/api/sessions/end-all', undefined, pageHeaders(stolen))
    expectError(late, 401, 'AUTH_1002')
    // It is the same session to its owner.
    expect(await listed(ann)).toMatchObject([{ session_id: named, current: true }])
  })

  test('is given once: of two uses of the passkey at the same moment one has a session that goes on', async () => {
    const ann = await newOwner(service)
    const cookie = ann.cookie
    const approvals = [await stepUp(ann, cookie), await stepUp(ann, cookie)]
    const answers = await Promise.all(approvals.map((approve) => approve()))
    const given = answers.map(cookieOf).filter((one) => one !== '')
    expect(given).toHaveLength(1)
    expect(await statuses(given[0] ?? '')).toEqual([200, 200])
    expect(await statuses(cookie)).toEqual([401, 401])
  })

  test('is another one at each sign-in, and the session that the browser had is over', async () => {
    const ann = await newOwner(service)
    const { visit, options } = (await fromPage(service, '/api/sign-in/options')).body
    const response = ann.authenticator.authenticate(options)
    const answer = await fromPage(service, '/api/sign-in', { visit, response }, { cookie: ann.cookie })
    expect(await statuses(cookieOf(answer))).toEqual([200, 200])
    expect(await statuses(ann.cookie)).toEqual([401, 401])
    // A sign-in that fails ends nothing.
    const failed = await fromPage(service, '/api/sign-in', { visit, response }, { cookie: cookieOf(answer) })
    expectError(failed, 400, 'PASSKEY_FAILED')
    expect(await statuses(cookieOf(answer))).toEqual([200, 200])
  })
})

test('what changes something carries the token of the session’s page, on every route, and no other one', async () => {
  const [ann, bob] = [await newOwner(service), await newOwner(service)]
  const told = (await ann.get('/api/session')).body.page_token
  expect(told).toBe(pageHeaders(ann.cookie)['x-page-token'])
  const { cookie } = ann
  const origin = service.ownerUrl
  const others = [{}, { 'x-page-token': '' }, { 'x-page-token': pageHeaders(bob.cookie)['x-page-token'] }]
  const changing = service.app.ownerRoutes.filter(({ method, auth }) => method !== 'GET' && Array.isArray(auth))
  expect(changing.length).toBeGreaterThan(15)
  for (const { path } of changing) {
    for (const given of others) {
      const headers = { ...given, cookie, origin }
      const answer = await call(origin + path.replaceAll(/:\w+/g, 'none'), { method: 'POST', headers } as RequestInit)
      expectError(answer, 403, 'FORBIDDEN')
    }
    const foreign = { 'x-page-token': told, cookie, origin: 'https://evil.example' }
    const answer = await call(origin + path.replaceAll(/:\w+/g, 'none'), { method: 'POST', headers: foreign })
    expectError(answer, 403, 'FORBIDDEN')
  }
  expect(await statuses(cookie)).toEqual([200, 200])
})

test('a session ends thirty days after its last use, and ninety days after it began', async () => {
  const started = await startTestService({ env: { RATE_LIMIT_OWNER_SIGN_IN: '100000' } })
  try {
    const ann = await newOwner(started)
    const idle = await signIn(started, ann.authenticator)
    for (let month = 0; month < 3; month += 1) {
      await started.clock.advance(29 * DAY)
      expect((await ann.get('/api/session')).status).toBe(200)
      if (month === 0) expect((await ann.get('/api/sessions')).body.sessions).toHaveLength(2)
    }
    expectError(await idle.get('/api/session'), 401, 'AUTH_1003')
    expect((await ann.get('/api/sessions')).body.sessions).toHaveLength(1)
    await started.clock.advance(3 * DAY + 1)
    expectError(await ann.get('/api/session'), 401, 'AUTH_1003')
    await started.runJobs()
    expectError(await ann.get('/api/session'), 401, 'AUTH_1002')
    expect((await started.pool.query('select 1 from owner_sessions')).rowCount).toBe(0)
  } finally {
    await started.close()
  }
})

test('each is listed with its device, and with the network that it was used from, not with an address', async () => {
  const ann = await newOwner(service)
  const { visit, options } = (await fromPage(service, '/api/sign-in/options')).body
  const agent =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Mobile Safari/604.1'
  const response = ann.authenticator.authenticate(options)
  await fromPage(service, '/api/sign-in', { visit, response }, { 'user-agent': agent })
  const [first, second] = await listed(ann)
  expect(first).toMatchObject({ browser: 'Safari', system: 'iPhone', place: '127.0.0.0/24', current: false })
  expect(second).toMatchObject({ browser: null, system: null, current: true })
  expect(Date.parse(first.ends_at) - Date.parse(first.last_used_at)).toBe(30 * DAY * 1000)
})

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36', 'Chrome', 'Linux'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge', 'Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'macOS'],
  ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome', 'Android'],
  ['<script>alert(1)</script>', null, null],
])('%s is a known name or none', (text, browser, system) => {
  expect(deviceOf(text, '203.0.113.0/24')).toEqual({
    ...{ browser, system, place: '203.0.113.0/24' },
  })
})

test.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['nowhere', ''],
])('of the address %s its network is kept: %s', (address, place) => expect(placeOf(address)).toBe(place))
