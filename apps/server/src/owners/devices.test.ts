// Guarantee: an owner has as many passkeys as devices, each let in by one that was there, by name; the last one stays;
// if many do the same at the same moment, one does it, and no other person lets a device in.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approveLink, askForLink, newAgent } from '../../test/agents.ts'
import {
  allowDevice,
  secondDevice as anotherDevice,
  askDevice,
  deviceRegistration,
  joinDevice,
  typedDevice,
} from '../../test/devices.ts'
import { atOnce, countBy, expectError, expectInvalid } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { cookieOf, fromPage, newOwner, signIn, type TestOwner } from '../../test/owners.ts'
import { waiting as waitingForLocks } from '../../test/races.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
let node: TestService
beforeAll(async () => {
  service = await startTestService()
  node = await startTestService({ database: service.database })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

const join = (code: string) => joinDevice(service, code)
const waiting = async (visit: string) => (await fromPage(service, '/api/new-device/standing', { visit })).body.status
const seen = async (owner: TestOwner, id: string) => (await owner.get(`/api/devices/${id}`)).body
const passkeysOf = async (owner: TestOwner) => (await owner.get('/api/passkeys')).body.passkeys
const typed = (owner: TestOwner) => typedDevice(service, owner)
const register = (visit: string) => deviceRegistration(service, visit)
const secondDevice = (owner: TestOwner) => anotherDevice(service, owner)

test('a second device is let in by the first: a code that is shown, typed, and answered with the passkey', async () => {
  const ann = await newOwner(service)
  const { device_id: id, code } = await askDevice(ann)
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
  expect(await seen(ann, id)).toMatchObject({ status: 'shown', device: null })
  expectInvalid(await join('short'), 'code')
  expectError(await join('AAAA-AAAA'), 400, 'INVALID_STATE')
  // As people type it.
  const joined = await join(code.toLowerCase().replace('-', ' '))
  expect(joined.status).toBe(200)
  const { visit } = joined.body
  expectError(await join(code), 400, 'INVALID_STATE')
  expect(await waiting(visit)).toBe('typed')
  expectError(await fromPage(service, '/api/new-device/options', { visit }), 400, 'INVALID_STATE')
  const phone = { browser: 'Firefox', system: 'Android', place: '127.0.0.0/24' }
  expect(await seen(ann, id)).toMatchObject({ status: 'typed', device: phone })
  const { terms, options } = (await ann.post(`/api/devices/${id}/approval-options`)).body
  expect(terms).toEqual({
    ...{ type: 'owner_device', device_id: id, ...phone },
    text: 'Firefox on Android, from 127.0.0.0/24, may sign in as you, and approve all that you approve.',
  })
  const before = ann.cookie
  const allowed = await ann.post(`/api/devices/${id}/allow`, { response: ann.authenticator.authenticate(options) })
  expect(allowed.status).toBe(200)
  expect(ann.cookie).not.toBe(before)
  const { rows } = await service.pool.query('select terms from approvals where subject_id = $1', [id])
  expect(JSON.parse(rows[0].terms)).toEqual(terms)
  expect(await waiting(visit)).toBe('allowed')
  const { authenticator, send } = await register(visit)
  const made = await send()
  expect(made).toMatchObject({ status: 200, body: { name: 'Ann' } })
  expect(cookieOf(made)).toMatch(/^mintmark_owner=/)
  expect(await waiting(visit)).toBe('made')

  const second = await signIn(service, authenticator)
  expect(await passkeysOf(second)).toMatchObject([
    { name: null, browser: null, current: false, blocked: false },
    { name: null, browser: 'Firefox', system: 'Android', current: true },
  ])
})

test('each passkey of an owner approves, and a card or an agent of one is of all', async () => {
  const ann = await newOwner(service)
  const second = await secondDevice(ann)
  for (const owner of [ann, second]) {
    const linkId = await askForLink(newAgent(service))
    const { options } = (await owner.post(`/api/links/${linkId}/approval-options`, { limits: NARROW })).body
    expect(options.allowCredentials).toHaveLength(2)
    const response = owner.authenticator.authenticate(options)
    expect((await owner.post(`/api/links/${linkId}/approve`, { response })).status).toBe(200)
  }
  expect((await ann.get('/api/home')).body.agents).toHaveLength(2)
})

describe('a passkey', () => {
  test('is named, and ended with the sessions that it began; the last one cannot be', async () => {
    const ann = await newOwner(service)
    const [only] = await passkeysOf(ann)
    expectError(await ann.post(`/api/passkeys/${only.passkey_id}/end`), 400, 'INVALID_STATE')
    const second = await secondDevice(ann)
    const [first, own] = await passkeysOf(second)
    expect((await second.post(`/api/passkeys/${own.passkey_id}/name`, { name: 'My  phone' })).status).toBe(200)
    expect((await passkeysOf(ann))[1]).toMatchObject({ name: 'My phone', current: false })
    expect((await second.post(`/api/passkeys/${first.passkey_id}/end`)).status).toBe(200)
    expectError(await ann.get('/api/session'), 401, 'AUTH_1002')
    expect(await passkeysOf(second)).toMatchObject([{ name: 'My phone' }])
    expectError(await second.post(`/api/passkeys/${first.passkey_id}/end`), 404, 'NOT_FOUND')
    expectError(await second.post(`/api/passkeys/${own.passkey_id}/end`), 400, 'INVALID_STATE')
    // What is left signs by itself.
    const linkId = await askForLink(newAgent(service))
    const { options } = (await second.post(`/api/links/${linkId}/approval-options`, { limits: NARROW })).body
    const response = second.authenticator.authenticate(options)
    expect((await second.post(`/api/links/${linkId}/approve`, { response })).status).toBe(200)
  })

  test('that is ended where it is used signs out, and another one that is flagged is none that is left', async () => {
    const ann = await newOwner(service)
    const second = await secondDevice(ann)
    const [first, own] = await passkeysOf(second)
    await service.pool.query('update passkeys set flagged_at = now() where id = $1', [ann.authenticator.credentialId])
    expect((await passkeysOf(second))[0]).toMatchObject({ blocked: true })
    expectError(await second.post(`/api/passkeys/${own.passkey_id}/end`), 400, 'INVALID_STATE')
    expect((await second.post(`/api/passkeys/${first.passkey_id}/end`)).status).toBe(200)
    const third = await secondDevice(second)
    const ended = await second.post(`/api/passkeys/${own.passkey_id}/end`)
    expect(ended.headers.getSetCookie()[0]).toMatch(/^mintmark_owner=; .*Max-Age=0/)
    expect(await passkeysOf(third)).toHaveLength(1)
  })

  test('that two presses end at the same moment is ended by one; the other is told that it is gone', async () => {
    const ann = await newOwner(service)
    const second = await secondDevice(ann)
    const [first] = await passkeysOf(second)
    const client = await service.pool.connect()
    try {
      await client.query('begin')
      await client.query('select 1 from passkeys where id = $1 for update', [ann.authenticator.credentialId])
      const sent = [1, 2].map(() => second.post(`/api/passkeys/${first.passkey_id}/end`))
      // Both have read it by then.
      await expect.poll(() => waitingForLocks(service), { interval: 5 }).toBe(2)
      await client.query('commit')
      const answers = await Promise.all(sent)
      expect(countBy(answers, ({ status, body }) => body?.error?.code ?? status)).toEqual({ 200: 1, NOT_FOUND: 1 })
    } finally {
      client.release()
    }
  })

  test('of two that are ended at the same moment one stays, however often they are', async () => {
    for (let round = 0; round < 6; round += 1) {
      const ann = await newOwner(service)
      const second = await secondDevice(ann)
      const [first, own] = await passkeysOf(second)
      const answers = await Promise.all(
        [first, own, first, own].map(({ passkey_id: id }, index) =>
          (index % 2 ? ann : second).post(`/api/passkeys/${id}/end`),
        ),
      )
      expect(countBy(answers, ({ status }) => status)[200]).toBe(1)
      const { rowCount } = await service.pool.query(
        `select 1 from passkeys where retired_at is null and id in ($1, $2)`,
        [ann.authenticator.credentialId, second.authenticator.credentialId],
      )
      expect(rowCount).toBe(1)
    }
  })
})

describe('of many at the same moment', () => {
  test('one types the code, and one passkey is made of it', async () => {
    const ann = await newOwner(service)
    const { device_id: id, code } = await askDevice(ann)
    const joined = await atOnce(12, () => join(code))
    expect(countBy(joined, ({ status }) => status)).toEqual({ 200: 1, 400: 11 })
    const visit = joined.find(({ status }) => status === 200)?.body.visit
    expect((await allowDevice(ann, id)).status).toBe(200)
    const rivals = await Promise.all(Array.from({ length: 6 }, () => register(visit)))
    const made = await Promise.all(rivals.map(({ send }) => send()))
    expect(countBy(made, ({ status }) => status)).toEqual({ 200: 1, 400: 5 })
    expect(await passkeysOf(ann)).toHaveLength(2)
  })

  test('an owner lets in one device at a time, and the code before is over', async () => {
    const ann = await newOwner(service)
    const asked = await atOnce(6, () => askDevice(ann))
    const joined = await Promise.all(asked.map(({ code }) => join(code)))
    expect(countBy(joined, ({ status }) => status)).toEqual({ 200: 1, 400: 5 })
  })

  test('the word of the owner counts once, allowed or refused, and what was refused makes no passkey', async () => {
    for (let round = 0; round < 4; round += 1) {
      const ann = await newOwner(service)
      const { id, visit } = await typed(ann)
      const { options } = (await ann.post(`/api/devices/${id}/approval-options`)).body
      const response = ann.authenticator.authenticate(options)
      const [allowed, refused] = await Promise.all([
        ann.post(`/api/devices/${id}/allow`, { response }),
        ann.post(`/api/devices/${id}/refuse`),
      ])
      // To allow changes the cookie: a refusal that comes behind it with the one before is pressed again.
      const isLate = refused.status === 401 && allowed.status === 200
      const last = isLate ? await ann.post(`/api/devices/${id}/refuse`) : refused
      expect(last.status, JSON.stringify([allowed.body, refused.body, last.body])).toBe(200)
      expect(await waiting(visit)).toBe('refused')
      expectError(await fromPage(service, '/api/new-device/options', { visit }), 400, 'INVALID_STATE')
    }
  })
})

/** Ends a passkey of an owner, as another device of theirs. */
async function endFirst(by: TestOwner): Promise<void> {
  const [first] = await passkeysOf(by)
  expect((await by.post(`/api/passkeys/${first.passkey_id}/end`)).status).toBe(200)
}

describe('a device that a passkey has let in which ends before it comes', () => {
  test('makes no passkey', async () => {
    const ann = await newOwner(service)
    const second = await secondDevice(ann)
    const { id, visit } = await typed(ann)
    expect((await allowDevice(ann, id)).status).toBe(200)
    const { send } = await register(visit)
    await endFirst(second)
    expectError(await send(), 400, 'INVALID_STATE')
    expect(await passkeysOf(second)).toHaveLength(1)
  })

  test('comes before that, or not at all, where both are at the same moment', async () => {
    for (let round = 0; round < 4; round += 1) {
      const ann = await newOwner(service)
      const second = await secondDevice(ann)
      const { id, visit } = await typed(ann)
      expect((await allowDevice(ann, id)).status).toBe(200)
      const { send } = await register(visit)
      // The end of the passkey is held open, so that the device comes in the middle of it.
      const client = await service.pool.connect()
      try {
        await client.query('begin')
        const end = 'update passkeys set retired_at = now() where id = $1'
        await client.query(end, [ann.authenticator.credentialId])
        const sent = send()
        await new Promise((resolve) => setTimeout(resolve, 100))
        await client.query('commit')
        expectError(await sent, 400, 'INVALID_STATE')
      } finally {
        client.release()
      }
      expect(await passkeysOf(second)).toHaveLength(1)
    }
  })
})

describe('refused is', () => {
  test('a signature for one device at another, of another owner, and of a device that has changed meanwhile', async () => {
    const [ann, bob] = [await newOwner(service), await newOwner(service)]
    const { id, visit } = await typed(ann)
    const { id: other } = await typed(bob)
    const sign = async (owner: TestOwner, deviceId: string) =>
      owner.authenticator.authenticate((await owner.post(`/api/devices/${deviceId}/approval-options`)).body.options)
    expectError(await bob.post(`/api/devices/${other}/allow`, { response: await sign(ann, id) }), 400, 'PASSKEY_FAILED')
    expectError(await bob.post(`/api/devices/${id}/approval-options`), 404, 'NOT_FOUND')
    const response = await sign(ann, id)
    const again = await typed(ann)
    expectError(await ann.post(`/api/devices/${id}/allow`, { response }), 404, 'NOT_FOUND')
    expectError(await fromPage(service, '/api/new-device/standing', { visit }), 400, 'INVALID_STATE')
    expect(await waiting(again.visit)).toBe('typed')
  })

  test('a code after ten minutes, and a device that waits as long', async () => {
    const ann = await newOwner(service)
    const { code } = await askDevice(ann)
    await service.clock.advance(10 * 60 + 1)
    expectError(await join(code), 400, 'INVALID_STATE')
    const { id, visit } = await typed(ann)
    expect((await allowDevice(ann, id)).status).toBe(200)
    await service.clock.advance(10 * 60 + 1)
    expect(await waiting(visit)).toBe('over')
    expectError(await fromPage(service, '/api/new-device/options', { visit }), 400, 'INVALID_STATE')
    await service.runJobs()
    expect((await service.pool.query('select 1 from owner_devices where id = $1', [id])).rowCount).toBe(0)
  })

  test('an eleventh passkey', async () => {
    const ann = await newOwner(service)
    for (let made = 1; made < 10; made += 1) await secondDevice(ann)
    const { id, visit } = await typed(ann)
    expect((await allowDevice(ann, id)).status).toBe(200)
    expectError(await (await register(visit)).send(), 400, 'INVALID_STATE')
    expect(await passkeysOf(ann)).toHaveLength(10)
  })

  test('what an editor of the database allows', async () => {
    const ann = await newOwner(service)
    const { id, visit } = await typed(ann)
    await service.pool.query(`update owner_devices set allowed_at = now(), seal = '' where id = $1`, [id])
    expectError(await fromPage(service, '/api/new-device/options', { visit }), 500, 'INTERNAL_ERROR')
  })
})

test('an owner of the sandbox, who signs by themselves, is asked as before', async () => {
  const linkId = await askForLink(newAgent(service))
  expect((await approveLink(service, linkId)).status).toBe(200)
})
