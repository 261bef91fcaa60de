import { createHmac, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { SALT_BYTES } from '../src/passkeys/rules.ts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '../src/passkeys/software-authenticator.ts'
import { deriveKeys } from '../src/platform/keys.ts'
import { askForLink, type LinkedAgent, newAgent } from './agents.ts'
import { type Answer, call, TEST_ROOT_KEY, type TestService } from './service.ts'

type Place = Pick<TestService, 'ownerUrl'>

/** An owner in a browser: a passkey, a cookie, and requests as pages of the host make them. */
export interface TestOwner {
  authenticator: SoftwareAuthenticator
  /** What the browser sends by itself. */
  cookie: string
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

/** An owner who has come for the first time. */
export async function newOwner(service: Place, name = 'Ann'): Promise<TestOwner> {
  const authenticator = newAuthenticator(service)
  const { visit, options } = (await fromPage(service, '/api/owners/options', { name })).body
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

/** An agent that this owner has linked at their page. */
export async function linkedTo(
  service: Pick<TestService, 'apiUrl'>,
  owner: TestOwner,
  limits: object,
): Promise<LinkedAgent> {
  const agent = newAgent(service)
  const linkId = await askForLink(agent)
  const { options } = (await owner.post(`/api/links/${linkId}/approval-options`, { limits })).body
  const response = owner.authenticator.authenticate(options)
  expect(await owner.post(`/api/links/${linkId}/approve`, { response })).toMatchObject({ status: 200 })
  const { agent_id: agentId } = (await agent.send('GET', `/v1/agents/links/${linkId}`)).body
  const pair = { privateKey: agent.privateKey, publicKey: agent.privateKey }
  return { ...newAgent(service, agentId, pair), agentId }
}

function signedIn(service: Place, authenticator: SoftwareAuthenticator, cookie: string): TestOwner {
  return {
    authenticator,
    cookie,
    get: (path) => call(service.ownerUrl + path, { headers: { cookie } }),
    post: (path, body, headers) => fromPage(service, path, body, { cookie, ...headers }),
  }
}
