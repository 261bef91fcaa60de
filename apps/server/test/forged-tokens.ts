import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { deriveKeys } from '../src/platform/keys.ts'
import { type Secret, secret } from '../src/platform/secret.ts'
import { createSessionTokens, type TokenSubject } from '../src/sessions/token.ts'
import { createSession } from './flows.ts'
import { TEST_ROOT_KEY, type TestMerchant } from './service.ts'

export const tokensOf = (key: Secret<Buffer>, environment = 'sandbox') =>
  createSessionTokens({ key, environment, isPurchase: async () => true })

/** Tokens of a session that look right, and are none. */
export async function forgeries(
  token: string,
  [merchant, other]: readonly [TestMerchant, TestMerchant],
): Promise<Record<string, string>> {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const said = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const subject: TokenSubject = {
    ...{ merchantId: said.mid, sessionId: said.sub, customerId: said.cus, orderId: said.ord, isPurchase: said.pln },
    issuedAt: new Date(said.iat * 1000),
    expiresAt: new Date(said.exp * 1000),
  }
  const key = deriveKeys(TEST_ROOT_KEY).sessionTokens
  const theirs = await createSession(other)
  const rightKey = new Uint8Array(key.reveal())
  const signed = (typ: string, changes: object) =>
    new SignJWT({ ...said, ...changes }).setProtectedHeader({ alg: 'HS256', typ }).sign(rightKey)
  const forged = {
    'a secret key': merchant.secretKey,
    'a publishable key': merchant.publishableKey,
    'of the other environment': await tokensOf(key, 'production').sign(subject),
    'signed with another key': await tokensOf(secret(randomBytes(32))).sign(subject),
    unsigned: `${encode({ alg: 'none', typ: 'mintmark-session+jwt' })}.${claims}.`,
    'with another algorithm named': `${encode({ alg: 'HS512', typ: 'mintmark-session+jwt' })}.${claims}.${signature}`,
    'with a claim changed': `${header}.${encode({ ...said, sub: theirs.session_id })}.${signature}`,
    'of another type': await signed('JWT', {}),
    'for another audience': await signed('mintmark-session+jwt', { aud: 'mintmark-owner' }),
    'without its signature': `${header}.${claims}.`,
  }
  return Object.fromEntries(Object.entries(forged).map(([what, text]) => [what, `Bearer ${text}`]))
}
