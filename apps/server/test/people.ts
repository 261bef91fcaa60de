import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import type { ConsoleRole } from '@mintmark/contract/console'
import { PAGE_TOKEN_HEADER } from '@mintmark/contract/page-token'
import { expect } from 'vitest'
import { addressHash, codeOf, codeOfVisit } from '../src/mail/owner-code.ts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '../src/passkeys/software-authenticator.ts'
import { deriveKeys } from '../src/platform/keys.ts'
import { digestOf, pageTokenFor } from '../src/platform/page-session.ts'
import { cookieOf } from './owners.ts'
import { type Answer, call, TEST_ROOT_KEY, type TestService } from './service.ts'

/** A node, whose pages are where its configuration says. */
type Place = Pick<TestService, 'consoleUrl' | 'config'>

/** A person at the console in a browser: a passkey, a cookie, and requests as pages of the host make them. */
export interface TestColleague {
  readonly authenticator: SoftwareAuthenticator
  readonly email: string
  readonly personId: string
  /** What the browser sends by itself; another one once a passkey was used. */
  readonly cookie: string
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** What the passkey signs for an act. */
  confirm(act: Record<string, unknown>): Promise<unknown>
  /** The same browser at another node. */
  at(place: Place): TestColleague
}

export const newConsoleAuthenticator = (place: Place) =>
  createSoftwareAuthenticator({
    seed: randomBytes(32),
    salt: randomBytes(16),
    rpId: place.config.rpId,
    origin: pagesOf(place),
  })

const pagesOf = ({ config, consoleUrl }: Place) => config.consoleUrl ?? consoleUrl

/** A request of a page of the host without a session. */
export function fromConsole(place: Place, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const sent = { origin: pagesOf(place), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  return call(place.consoleUrl + path, { method: 'POST', headers: sent, ...text })
}

export const newColleagueAddress = () => `person-${randomBytes(6).toString('hex')}@accounts.example`

/** The link that is mailed for an invitation. */
export function linkOf(service: TestService, invitationId: string): string {
  const key = deriveKeys(TEST_ROOT_KEY).contactLinks
  const mac = createHmac('sha256', createSecretKey(key.reveal()))
    .update(`console-invitation.${service.app.merchants.operatorMerchantId}.${invitationId}`)
    .digest('base64url')
  return `${invitationId}.${mac}`
}

/** The link of the newest invitation of an address. */
export async function newestLink(service: TestService, email: string): Promise<string> {
  const { rows } = await service.pool.query(
    'select id from account_invitations where lower(email) = lower($1) order by created_at desc, id desc limit 1',
    [email],
  )
  return linkOf(service, rows[0].id)
}

/** The operator's command. */
export async function inviteByOperator(service: TestService, accountId: string, email: string, role: ConsoleRole) {
  const { id } = await service.app.consoleOperations.invite({ accountId, email, role })
  return linkOf(service, id)
}

/** The code that is mailed in a visit. */
export function codeOfInvited(service: TestService, email: string, visit: string): string {
  const { contactLinks } = deriveKeys(TEST_ROOT_KEY)
  const merchantId = service.app.merchants.operatorMerchantId
  return codeOf(contactLinks, codeOfVisit({ merchantId, visit }, addressHash(contactLinks, email)))
}

/** A visit that has proven the address of an invitation. */
export async function provenInvitation(service: TestService, link: string, email: string): Promise<string> {
  const asked = await fromConsole(service, '/api/invitation/code', { link })
  expect(asked.status).toBe(200)
  const { visit } = asked.body
  const code = codeOfInvited(service, email, visit)
  expect((await fromConsole(service, '/api/invitation/prove', { visit, code })).status).toBe(200)
  return visit
}

/** Whoever was invited, up to their passkey's answer. */
export async function answerInvitation(
  service: TestService,
  { link, email, name = 'Ann Example' }: { link: string; email: string; name?: string },
) {
  const authenticator = newConsoleAuthenticator(service)
  const visit = await provenInvitation(service, link, email)
  const asked = await fromConsole(service, '/api/invitation/options', { link, visit, name })
  expect(asked.status).toBe(200)
  const body = { link, visit, name, response: authenticator.register(asked.body.options) }
  return { authenticator, accept: (place: Place = service) => fromConsole(place, '/api/invitation/accept', body) }
}

/** A person who has come in by an invitation of the operator. */
export async function newColleague(
  service: TestService,
  { accountId, role = 'owner', name }: { accountId: string; role?: ConsoleRole; name?: string },
): Promise<TestColleague> {
  const email = newColleagueAddress()
  const link = await inviteByOperator(service, accountId, email, role)
  const { authenticator, accept } = await answerInvitation(service, { link, email, ...(name && { name }) })
  const made = await accept()
  expect([made.status, made.body.person?.role]).toEqual([200, role])
  return colleagueAt(service, { authenticator, email, personId: made.body.person.id, begun: cookieOf(made) })
}

/** The same person, who has come back. */
export async function signInByPasskey(place: Place, who: Pick<TestColleague, 'authenticator' | 'email' | 'personId'>) {
  const { visit, options } = (await fromConsole(place, '/api/sign-in/options')).body
  const response = who.authenticator.authenticate(options)
  const answer = await fromConsole(place, '/api/sign-in', { visit, response })
  expect(answer.status).toBe(200)
  return colleagueAt(place, { ...who, begun: cookieOf(answer) })
}

/** What a page sends that has read its session. */
export const colleagueHeaders = (cookie: string) => ({
  cookie,
  [PAGE_TOKEN_HEADER]: pageTokenFor('console', digestOf(cookie.split('=')[1] ?? '')),
})

export function colleagueAt(
  place: Place,
  who: { authenticator: SoftwareAuthenticator; email: string; personId: string; begun: string },
): TestColleague {
  let cookie = who.begun
  const own: TestColleague = {
    ...who,
    get cookie() {
      return cookie
    },
    get: (path) => call(place.consoleUrl + path, { headers: { cookie } }),
    async post(path, body, headers) {
      const answer = await fromConsole(place, path, body, { ...colleagueHeaders(cookie), ...headers })
      const rotated = cookieOf(answer)
      // One that is taken away stays known: what comes with it is refused.
      if (rotated !== '' && !rotated.endsWith('=')) cookie = rotated
      return answer
    },
    async confirm(act) {
      const { status, body } = await own.post('/api/confirm', act)
      expect(status).toBe(200)
      return who.authenticator.authenticate(body.options)
    },
    at: (other) => colleagueAt(other, { ...who, begun: cookie }),
  }
  return own
}

/** Invites as a person does, with the passkey. */
export async function inviteAs(person: TestColleague, email: string, role: ConsoleRole): Promise<Answer> {
  const answer = await person.confirm({ act: 'invite', email, role })
  return person.post('/api/team/invite', { email, role, answer })
}
