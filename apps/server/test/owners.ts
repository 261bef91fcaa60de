import { createHmac, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { addressHash, codeOf, codeOfVisit } from '../src/mail/owner-code.ts'
import { pageTokenOf } from '../src/owners/token.ts'
import { SALT_BYTES } from '../src/passkeys/rules.ts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '../src/passkeys/software-authenticator.ts'
import { deriveKeys } from '../src/platform/keys.ts'
import { digestOf } from '../src/platform/page-session.ts'
import { withdrawCodes } from './rows/mails.ts'
import { type Answer, call, TEST_ROOT_KEY, type TestService } from './service.ts'

type Place = Pick<TestService, 'ownerUrl'>

/** An owner in a browser: a passkey, a cookie, and requests as pages of the host make them. */
export interface TestOwner {
  authenticator: SoftwareAuthenticator
  /** What the browser sends by itself; another one once a passkey was used. */
  readonly cookie: string
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export const newAuthenticator = ({ ownerUrl }: Place) =>
  createSoftwareAuthenticator({ seed: randomBytes(32), salt: randomBytes(16), rpId: 'localhost', origin: ownerUrl })

/** A request of a page of the host, unless `headers` says otherwise. */
export function fromPage({ ownerUrl }: Place, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const sent = { origin: ownerUrl, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
  return call(ownerUrl + path, {
    method: 'POST',
    headers: sent,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** `Set-Cookie` as a browser sends it back. */
export const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]?.split(';')[0] ?? ''

/** What a page that has read its session sends besides. */
export const pageHeaders = (cookie: string) => ({
  cookie,
  'x-page-token': pageTokenOf(digestOf(cookie.split('=')[1] ?? '')),
})

/** The newest code that was mailed to an address, or will be. */
export async function visitCode({ pool }: Pick<TestService, 'pool'>, email: string): Promise<string> {
  const key = deriveKeys(TEST_ROOT_KEY).contactLinks
  const hash = addressHash(key, email)
  const newest =
    'select merchant_id, id from address_visits where address_hash = $1 order by ends_at desc, id desc limit 1'
  const { rows } = await pool.query(newest, [hash])
  return codeOf(key, codeOfVisit({ merchantId: rows[0].merchant_id, visit: rows[0].id }, hash))
}

export const newAddress = () => `owner-${randomBytes(6).toString('hex')}@owners.example`

/** A visit that has proven an address, whose mail is not sent. */
export async function provenVisit(service: Place & Pick<TestService, 'pool'>, email = newAddress()): Promise<string> {
  const { visit } = (await fromPage(service, '/api/sign-up', { email })).body
  const code = await visitCode(service, email)
  await withdrawCodes(service.pool, addressHash(deriveKeys(TEST_ROOT_KEY).contactLinks, email))
  expect((await fromPage(service, '/api/sign-up/confirm', { visit, code })).status).toBe(200)
  return visit
}

/** A person who has come for the first time. */
export async function newOwner(
  service: Place & Pick<TestService, 'pool'>,
  name = 'Ann',
  email = newAddress(),
): Promise<TestOwner> {
  const authenticator = newAuthenticator(service)
  const visit = await provenVisit(service, email)
  const { options } = (await fromPage(service, '/api/owners/options', { visit, name })).body
  const made = await fromPage(service, '/api/owners', { visit, name, response: authenticator.register(options) })
  expect(made).toMatchObject({ status: 200, body: { name } })
  return signedIn(service, authenticator, cookieOf(made))
}

/** The same person, who has come back. */
export async function signIn(service: Place, authenticator: SoftwareAuthenticator): Promise<TestOwner> {
  const { visit, options } = (await fromPage(service, '/api/sign-in/options')).body
  const answer = await fromPage(service, '/api/sign-in', { visit, response: authenticator.authenticate(options) })
  expect(answer.status).toBe(200)
  return signedIn(service, authenticator, cookieOf(answer))
}

/** At the page, the owner of the sandbox who has linked an agent: the test helpers answer for the same person. */
export async function sandboxOwner(service: Place & Pick<TestService, 'pool'>, agentId: string): Promise<TestOwner> {
  const { rows } = await service.pool.query(
    `select passkeys.merchant_id, passkeys.customer_id, passkeys.id from agents join passkeys using (merchant_id, customer_id)
     where agents.id = $1 and retired_at is null`,
    [agentId],
  )
  const [{ merchant_id, customer_id, id }] = rows
  const seed = createHmac('sha256', deriveKeys(TEST_ROOT_KEY).softwareAuthenticator.reveal())
    .update(`${merchant_id}:${customer_id}`)
    .digest()
  const salt = Buffer.from(id, 'base64url').subarray(0, SALT_BYTES)
  const place = { rpId: 'localhost', origin: service.ownerUrl }
  return signIn(service, createSoftwareAuthenticator({ seed, salt, ...place }))
}

export function signedIn(service: Place, authenticator: SoftwareAuthenticator, begun: string): TestOwner {
  let cookie = begun
  return {
    authenticator,
    get cookie() {
      return cookie
    },
    get: (path) => call(service.ownerUrl + path, { headers: { cookie } }),
    async post(path, body, headers) {
      const answer = await fromPage(service, path, body, { ...pageHeaders(cookie), ...headers })
      const rotated = cookieOf(answer)
      // One that is taken away stays known: what comes with it is refused.
      if (!['', 'mintmark_owner='].includes(rotated)) cookie = rotated
      return answer
    },
  }
}
