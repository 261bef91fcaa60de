// Guarantee: a developer at the console sees which API keys the account has, whether each works and when it was used,
// and of no key what it opens; none of another account's, and none to who may less.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { becomeAtConsole, demoAccount, signInToConsole, type TestPerson } from '../../test/console.ts'
import { expectError } from '../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'

let service: TestService
let demo: TestMerchant
let person: TestPerson
beforeAll(async () => {
  service = await startTestService()
  demo = await demoAccount(service)
  person = await signInToConsole(service)
})
afterAll(() => service?.close())

test('lists keys by their public beginning, the newest first, and never what they open', async () => {
  const { merchants } = service.app
  const { keyId, key } = await merchants.createKey(demo.merchantId, 'secret', 'control_plane')
  await merchants.revokeKey(keyId)
  const other = await service.addMerchant()
  const { status, body } = await person.get('/api/keys')
  expect(status).toBe(200)
  expect(body.keys[0]).toEqual({
    ...{ label: `sk_test_${keyId}`, kind: 'secret', role: 'control_plane', created_at: expect.any(String) },
    ...{ last_used_at: null, revoked_at: expect.any(String), works: false },
  })
  const working = body.keys.filter(({ revoked_at }: { revoked_at: string | null }) => revoked_at === null)
  expect(working.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(
    expect.arrayContaining(['publishable', 'secret']),
  )
  const text = JSON.stringify(body)
  for (const opens of [key.reveal(), demo.secretKey]) {
    expect(text).toContain(opens.slice(0, 24))
    expect(text).not.toContain(opens.slice(24))
  }
  expect(text).not.toContain(other.secretKey.slice(0, 24))
})

test('shows them to developers and above alone', async () => {
  await becomeAtConsole(service, demo.merchantId, 'support')
  expectError(await person.get('/api/keys'), 403, 'FORBIDDEN')
  await becomeAtConsole(service, demo.merchantId, 'developer')
  expect((await person.get('/api/keys')).status).toBe(200)
})
