// Guarantee: an admin at the console makes, rolls and revokes API keys of the account with the passkey, and none of
// another account's; what a key opens is in the one answer to the press that made it, and in no other page, log or row;
// a rolled key works until its moment and not longer, on every node.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount, signInToConsole } from '../../test/console.ts'
import { atOnce, countBy, expectError } from '../../test/flows.ts'
import { LeakScan, needle } from '../../test/leak-scan.ts'
import { newColleague, type TestColleague } from '../../test/people.ts'
import { call, startTestService, type TestService } from '../../test/service.ts'
import { createLog } from '../platform/log.ts'

const logged: string[] = []
let service: TestService
let node: TestService
let admin: TestColleague
beforeAll(async () => {
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } })
  service = await startTestService({ log })
  node = await startTestService({ log, env: { CONSOLE_URL: service.consoleUrl }, database: service.database })
  admin = await newColleague(service, { accountId: service.merchant.merchantId, role: 'admin', name: 'Ada' })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

const SECRET = { kind: 'secret', role: 'merchant' } as const
async function make() {
  const answer = await admin.confirm({ act: 'make_key', ...SECRET })
  const made = await admin.post('/api/keys/make', { ...SECRET, answer })
  expect(made.status).toBe(200)
  return made.body as { label: string; key: string }
}
async function roll(label: string, hours: number, at = admin) {
  const answer = await admin.confirm({ act: 'roll_key', key: label, hours })
  return at.post(`/api/keys/${label}/roll`, { hours, answer })
}
const statusOf = (key: string, on = service) =>
  call(`${on.apiUrl}/v1/events`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status)
const lines = async () => (await admin.get('/api/keys')).body.keys as { label: string; works: boolean }[]

test('a key that was made works, and what it opens is in that one answer alone', async () => {
  const { label, key } = await make()
  expect(key.startsWith(label)).toBe(true)
  expect(await statusOf(key)).toBe(200)
  const secret = key.slice(label.length)
  const answers = new LeakScan([needle('key', secret)])
  for (const path of ['keys', 'acts', 'me', 'team', 'home', 'session', 'events', `find?q=${label}`]) {
    const { body, headers } = await admin.get(`/api/${path}`)
    answers.text(path, JSON.stringify([body, ...headers]))
  }
  for (const line of logged) answers.text('log', line)
  await answers.database(service.pool)
  expect([...answers.found]).toEqual([])
  expect((await admin.get('/api/acts')).body.acts[0]).toMatchObject({ act: 'key_made', person: 'Ada', subject: label })
})

test('is made by the passkey alone, of an admin, who signs for which key', async () => {
  expectError(await admin.post('/api/keys/make', { ...SECRET, answer: null }), 400, 'PASSKEY_REQUIRED')
  const answer = await admin.confirm({ act: 'make_key', kind: 'publishable', role: 'merchant' })
  expectError(await admin.post('/api/keys/make', { ...SECRET, answer }), 400, 'PASSKEY_REQUIRED')
  const developer = await newColleague(service, { accountId: service.merchant.merchantId, role: 'developer' })
  expectError(await developer.post('/api/keys/make', { ...SECRET, answer: null }), 403, 'FORBIDDEN')
  await demoAccount(service)
  const demo = await signInToConsole(service)
  expectError(await demo.post('/api/keys/make', { ...SECRET, answer: null }), 400, 'PASSKEY_REQUIRED')
})

test('a rolled key works for its hours, and is refused on every node after them', async () => {
  const before = await make()
  const rolled = await roll(before.label, 2)
  expect(rolled.status).toBe(200)
  expect([await statusOf(before.key), await statusOf(rolled.body.key)]).toEqual([200, 200])
  expect((await lines()).find(({ label }) => label === before.label)).toMatchObject({ works: true })
  await service.clock.advance(2 * 60 * 60)
  await expect.poll(() => Promise.all([statusOf(before.key), statusOf(before.key, node)])).toEqual([401, 401])
  expect([await statusOf(rolled.body.key), await statusOf(rolled.body.key, node)]).toEqual([200, 200])
  expect((await lines()).find(({ label }) => label === before.label)).toMatchObject({ works: false })
})

test('a revoked key is refused on every node, and is neither rolled nor revoked again', async () => {
  const { label, key } = await make()
  expect((await admin.post(`/api/keys/${label}/revoke`)).status).toBe(200)
  await expect.poll(() => Promise.all([statusOf(key), statusOf(key, node)])).toEqual([401, 401])
  expectError(await admin.post(`/api/keys/${label}/revoke`), 404, 'NOT_FOUND')
  expectError(await roll(label, 1), 404, 'NOT_FOUND')
})

test('of many presses that revoke a key one does', async () => {
  const { label } = await make()
  const answers = await atOnce(12, (index) =>
    admin.at(index % 2 === 0 ? service : node).post(`/api/keys/${label}/revoke`),
  )
  expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 404: 11 })
})

test('a key of another account is not there', async () => {
  const other = await service.addMerchant()
  const label = other.secretKey.slice(0, 24)
  expectError(await admin.post(`/api/keys/${label}/revoke`), 404, 'NOT_FOUND')
  expectError(await roll(label, 0), 404, 'NOT_FOUND')
  expect((await other.get('/v1/events')).status).toBe(200)
})
