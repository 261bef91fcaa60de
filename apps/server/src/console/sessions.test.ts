// Guarantee: whoever is at the console has a session of this host that no other site can use, which its end, its time
// and an editor of the database end on every node; a person does what their role may and no more; and production, or a
// sandbox without its demo account, opens to no one.
import { randomBytes } from 'node:crypto'
import { CONSOLE_ROLES, type ConsoleRole } from '@mintmark/contract/console'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  becomeAtConsole,
  consoleHeaders,
  demoAccount,
  personWith,
  pressDemo,
  signInToConsole,
} from '../../test/console.ts'
import { expectError } from '../../test/flows.ts'
import { cookieOf } from '../../test/owners.ts'
import { call, PRODUCTION, startTestService, type TestService } from '../../test/service.ts'
import { readConfig } from '../config.ts'

const env = { RATE_LIMIT_FAILED_AUTHENTICATION: '100000' }
let service: TestService
let node: TestService
let merchantId: string
beforeAll(async () => {
  service = await startTestService({ env })
  node = await startTestService({ database: service.database, env })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

test('without the demo account the console opens to no one, and says so', async () => {
  expect((await call(`${service.consoleUrl}/api/entrance`)).body).toEqual({ demo: null })
  expectError(await pressDemo(service), 404, 'NOT_FOUND')
  merchantId = (await demoAccount(service)).merchantId
  expect((await call(`${service.consoleUrl}/api/entrance`)).body).toEqual({ demo: { account: 'Demo Shop' } })
})

test('one press opens it, for everybody who presses at the same moment', async () => {
  const answers = await Promise.all(Array.from({ length: 16 }, () => pressDemo(service)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(cookieOf)).size).toBe(16)
  expect(answers[0]?.body).toMatchObject({
    account: { id: merchantId, name: 'Demo Shop', environment: 'sandbox' },
    person: { name: 'Demo developer', role: 'owner' },
  })
  const { rows } = await service.pool.query('select role from account_members where account_id = $1', [merchantId])
  expect(rows).toEqual([{ role: 'owner' }])
  expect(answers[0]?.headers.getSetCookie()[0]).toMatch(
    /^mintmark_console=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Strict$/,
  )
})

describe('a session', () => {
  const statusesOf = (cookie: string) =>
    Promise.all([service, node].map(async (at) => (await personWith(at, cookie).get('/api/session')).status))

  test('is ended by its end, on every node, and the browser forgets it', async () => {
    const person = await signInToConsole(service)
    expect(await statusesOf(person.cookie)).toEqual([200, 200])
    const answer = await person.post('/api/sign-out')
    expect(answer.headers.getSetCookie()[0]).toMatch(/^mintmark_console=; .*Max-Age=0/)
    expect(await statusesOf(person.cookie)).toEqual([401, 401])
  })

  test('takes the place of the one that the browser had', async () => {
    const { cookie } = await signInToConsole(service)
    const next = cookieOf(await pressDemo(service, { cookie }))
    expect([await statusesOf(cookie), await statusesOf(next)]).toEqual([
      [401, 401],
      [200, 200],
    ])
  })

  test('changes nothing for a page of another site', async () => {
    const { cookie, post } = await signInToConsole(service)
    const { 'x-page-token': _, ...without } = consoleHeaders(service, cookie)
    expectError(await post('/api/sign-out', undefined, without), 403, 'FORBIDDEN')
    const foreign = { ...consoleHeaders(service, cookie), origin: 'https://shop.example' }
    expect((await post('/api/sign-out', undefined, foreign)).status).toBe(403)
    expect(await statusesOf(cookie)).toEqual([200, 200])
  })

  test('that an editor of the database has moved to another person, or given more, opens nothing', async () => {
    const { cookie, get } = await signInToConsole(service)
    const edited = async (table: string, set: string, back: string) => {
      await service.pool.query(`update ${table} set ${set}`)
      const { status } = await get('/api/session')
      await service.pool.query(`update ${table} set ${back}`)
      return status
    }
    expect(await edited('people', `name = 'Mallory'`, `name = 'Demo developer'`)).toBe(500)
    expect(await edited('account_members', `role = 'admin'`, `role = 'owner'`)).toBe(500)
    await service.pool.query(`update people_sessions set expires_at = expires_at + interval '1 year'`)
    expect(await statusesOf(cookie)).toEqual([500, 500])
  })

  test('ends by itself when it is not used, and its row goes', async () => {
    const { cookie, get } = await signInToConsole(service)
    await service.pool.query('update people_sessions set idle_at = $1', [service.clock.now()])
    expectError(await get('/api/session'), 401, 'AUTH_1003')
    await service.job('console.delete_sessions').run()
    const { rows } = await service.pool.query('select 1 from people_sessions')
    expect(rows).toEqual([])
    expect(await statusesOf(cookie)).toEqual([401, 401])
  })

  test('stays when the clock of the sandbox is moved, and its row with it', async () => {
    const { cookie, get } = await signInToConsole(service)
    await service.clock.advance(40 * 24 * 60 * 60)
    await service.job('console.delete_sessions').run()
    await expect.poll(() => statusesOf(cookie)).toEqual([200, 200])
    expect(Date.parse((await get('/api/session')).body.expires_at)).toBeLessThan(service.clock.now().getTime())
  })

  test('that was never given opens nothing', async () => {
    const made = `mintmark_console=${randomBytes(32).toString('base64url')}`
    for (const cookie of [made, 'mintmark_console=', `${made}; ${made}`]) {
      expectError(await personWith(service, cookie).get('/api/home'), 401, 'AUTH_1002')
    }
  })
})

const become = (role: ConsoleRole) => becomeAtConsole(service, merchantId, role)

test.each(CONSOLE_ROLES)('a %s is let in where their role may, and nowhere else', async (role) => {
  const person = await signInToConsole(service)
  await become(role)
  const ending = new Set(['signOutOfConsole', 'endConsoleSessions'])
  const rows = service.app.consoleRoutes.filter(({ operationId }) => !ending.has(operationId))
  expect(rows.length).toBeGreaterThan(10)
  const walked = new Set<string>()
  for (const { auth, method, path } of rows) {
    if ('reason' in auth) continue
    walked.add(path)
    const wanted = CONSOLE_ROLES.find((one) => auth.some(({ name }) => name === `console_${one}`)) ?? 'none'
    const url = path.replaceAll(/:\w+/g, 'whd_nobodys')
    const answer = method === 'GET' ? await person.get(url) : await person.post(url, { key: 'a-key-of-sixteen-' })
    const mayNot = CONSOLE_ROLES.indexOf(role) < CONSOLE_ROLES.indexOf(wanted as typeof role)
    expect([path, answer.status === 403]).toEqual([path, mayNot])
  }
  expect(walked.size).toBeGreaterThan(25)
  await become('owner')
})

test('a person at an address that gives no page reads why, here and at the page of owners; a program gets an error', async () => {
  for (const url of [service.consoleUrl, service.ownerUrl]) {
    const page = await fetch(`${url}/nothing`, { headers: { accept: 'text/html' } })
    expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('This address leads nowhere')])
    expectError(await call(`${url}/api/nothing`, { headers: { accept: 'text/html' } }), 404, 'NOT_FOUND')
    expectError(await call(`${url}/nothing`), 404, 'NOT_FOUND')
  }
})

test('production has a console where its address is said, and none otherwise', () => {
  const production = { ...PRODUCTION, MINTMARK_HOME: '/nonexistent', DATABASE_URL: 'postgres://localhost/none' }
  expect(readConfig(production).consoleUrl).toBeNull()
  const below = readConfig({ ...production, CONSOLE_URL: 'https://console.pay.example' })
  expect([below.rpId, below.relatedOrigins]).toEqual(['pay.example', []])
  // Passkeys are made for the party of the surface, which tells browsers who else may use them.
  const beside = readConfig({ ...production, CONSOLE_URL: 'https://console.example' })
  expect([beside.rpId, beside.relatedOrigins]).toEqual(['pay.example', ['https://console.example']])
  const apart = { ...production, RP_ID: 'example', CONSOLE_URL: 'https://console.other' }
  expect(() => readConfig(apart)).toThrow(/CONSOLE_URL must be at example or below it/)
})
