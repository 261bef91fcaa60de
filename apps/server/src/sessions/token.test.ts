import { createHmac, randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { secret } from '../platform/secret.ts'
import { createSessionTokens } from './token.ts'

// Guarantee: a token opens the session it was signed for, and no other; nothing that was not signed here, letter for letter, is one.

const bytes = randomBytes(32)
const key = secret(bytes)
const tokens = createSessionTokens({ key, environment: 'sandbox' })
const caller = { merchantId: 'ma_one', sessionId: 'cs_one', customerId: 'cus_one', enrolls: false }
const times = { issuedAt: new Date('2026-01-01'), expiresAt: new Date('2026-01-02') }
const invalid = { code: 'AUTH_1001', status: 401 }
const good = await tokens.sign({ ...caller, orderId: 'ord_one', ...times })
const [head = '', claims = '', signature = ''] = good.split('.')

test('it names the session it was signed for, and any library reads it', async () => {
  expect(await tokens.verify(good)).toEqual(caller)
  const { payload, protectedHeader } = await jwtVerify(good, bytes, { currentDate: times.issuedAt })
  expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'mintmark-session+jwt' })
  expect(payload).toEqual({
    ...{
      iss: 'mintmark:sandbox',
      aud: 'mintmark-surface',
      sub: 'cs_one',
      mid: 'ma_one',
      cus: 'cus_one',
      ord: 'ord_one',
    },
    ...{ iat: times.issuedAt.getTime() / 1000, exp: times.expiresAt.getTime() / 1000 },
  })
})

test('one that names no order is of a session that enrolls a card', async () => {
  const token = await tokens.sign({ ...caller, orderId: null, ...times })
  expect(await tokens.verify(token)).toEqual({ ...caller, enrolls: true })
})

test('of another key or environment it opens nothing', async () => {
  const strangers = [
    createSessionTokens({ key: secret(randomBytes(32)), environment: 'sandbox' }),
    createSessionTokens({ key, environment: 'production' }),
  ]
  for (const stranger of strangers) await expect(stranger.verify(good)).rejects.toMatchObject(invalid)
})

test('with any letter changed, left out, added or in another case it opens nothing', async () => {
  const changed = new Set<string>()
  for (let at = 0; at < good.length; at += 1) {
    const [before, letter = '', after] = [good.slice(0, at), good[at], good.slice(at + 1)]
    for (const put of ['', letter === 'A' ? 'B' : 'A', letter.toUpperCase(), letter.toLowerCase(), `${letter}A`]) {
      changed.add(before + put + after)
    }
  }
  changed.delete(good)
  expect(changed.size).toBeGreaterThan(3 * good.length)
  for (const bad of changed) await expect(tokens.verify(bad), bad).rejects.toMatchObject(invalid)
})

test.each([
  ['nothing', ''],
  ['no token', 'token'],
  ['two parts', `${head}.${claims}`],
  ['no signature', `${head}.${claims}.`],
  ['four parts', `${good}.`],
  ['no algorithm', `${encode({ alg: 'none', typ: 'mintmark-session+jwt' })}.${claims}.`],
  ['the same bytes of the signature in another spelling', `${head}.${claims}.${otherSpelling(signature)}`],
  ['the signature with padding', `${good}=`],
])('with %s it opens nothing', async (_, bad) => {
  await expect(tokens.verify(bad)).rejects.toMatchObject(invalid)
})

const SAID = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>

test.each([
  ['another issuer', { iss: 'mintmark:production' }],
  ['another audience', { aud: 'mintmark-owner' }],
  ['several audiences', { aud: ['mintmark-surface', 'other'] }],
  ['no end', { exp: undefined }],
  ['no session', { sub: undefined }],
  ['a merchant that is a number', { mid: 7 }],
  ['no customer', { cus: undefined }],
])('signed by the right key with %s it opens nothing', async (_, change) => {
  await expect(tokens.verify(signed(encode({ ...SAID, ...change })))).rejects.toMatchObject(invalid)
})

test.each([
  ['of another type', { alg: 'HS256', typ: 'JWT' }],
  ['with critical extensions', { alg: 'HS256', typ: 'mintmark-session+jwt', crit: ['x'], x: 1 }],
])('signed by the right key %s it opens nothing', async (_, header) => {
  expect(await tokens.verify(signed(claims))).toEqual(caller)
  await expect(tokens.verify(signed(claims, encode(header)))).rejects.toMatchObject(invalid)
  const byLibrary = new SignJWT(SAID).setProtectedHeader({ alg: 'HS512', typ: 'mintmark-session+jwt' })
  await expect(tokens.verify(await byLibrary.sign(bytes))).rejects.toMatchObject(invalid)
})

function signed(claims: string, header = head): string {
  return `${header}.${claims}.${createHmac('sha256', bytes).update(`${header}.${claims}`).digest('base64url')}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** The last letter of 43 says four bits and carries two that mean nothing. */
function otherSpelling(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(text.at(-1) ?? '')
  return text.slice(0, -1) + alphabet[last ^ 1]
}
