// Guarantee: the passkeys of a database stay usable: a start for another relying party changes nothing and is refused,
// as long as there is one that signs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvedSession } from '../../test/flows.ts'
import { newOwner } from '../../test/owners.ts'
import { call, PRODUCTION, startTestService, type TestService } from '../../test/service.ts'
import { keepRelyingParty } from '../db/relying-party.ts'
import { refuseOtherRelyingParty } from './relying-party.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

test('the relying party changes while there is no passkey, and not while there is one', async () => {
  const { pool } = service
  const keep = (rpId: string) => keepRelyingParty(pool, rpId)
  const firsts = await Promise.all(['one.example', 'two.example', 'one.example', 'two.example'].map(keep))
  expect(firsts).toEqual([null, null, null, null])
  expect(await keep('localhost')).toBeNull()
  const ann = await newOwner(service)
  expect(await keep('localhost')).toBeNull()
  expect(await keep('pay.example')).toEqual({ passkeysAreFor: 'localhost' })
  const started = refuseOtherRelyingParty(pool, 'pay.example')
  await expect(started).rejects.toThrow(
    /were made for localhost, and this start is for pay\.example.*Set RP_ID=localhost/,
  )
  expect(await keep('localhost')).toBeNull()
  await pool.query('update passkeys set retired_at = now() where id = $1', [ann.authenticator.credentialId])
  expect(await keep('pay.example')).toBeNull()
})

test('a database from before is kept for the domain that its passkeys have signed for', async () => {
  const { pool } = service
  await approvedSession(service.merchant)
  await pool.query('delete from relying_party')
  const starts = await Promise.all(
    ['pay.example', 'localhost', 'pay.example', 'localhost'].map((name) => keepRelyingParty(pool, name)),
  )
  for (const at of [1, 3]) expect(starts[at]).toBeNull()
  for (const at of [0, 2]) expect([null, 'localhost']).toContain(starts[at]?.passkeysAreFor)
  await pool.query('delete from relying_party')
  await expect(refuseOtherRelyingParty(pool, 'pay.example')).rejects.toThrow(
    /made for another domain.*Set RP_ID to the host/,
  )
  expect((await pool.query('select 1 from relying_party')).rows).toEqual([])
})

test.each([
  ['https://owners.example', { origins: ['https://owners.example'] }],
  ['https://owners.pay.example', null],
])('with a page of owners at %s browsers are told of it where they need that', async (OWNER_URL, told) => {
  const elsewhere = await startTestService({ env: { ...PRODUCTION, OWNER_URL } })
  const surface = await elsewhere.app.buildSurfaceHost()
  try {
    const url = await surface.listen({ host: '127.0.0.1', port: 0 })
    const answer = await call(`${url}/.well-known/webauthn`)
    expect(answer.status, JSON.stringify(answer.body)).toBe(told === null ? 404 : 200)
    if (told !== null) expect(answer.body).toEqual(told)
  } finally {
    await surface.close()
    await elsewhere.close()
  }
})
