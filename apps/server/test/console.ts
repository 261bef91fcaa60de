import type { ConsoleRole } from '@mintmark/contract/console'
import { sealedMember } from '../src/console/seal.ts'
import { digestOf, pageTokenFor } from '../src/platform/page-session.ts'
import { cookieOf } from './owners.ts'
import { type Answer, call, TEST_SEALS, type TestMerchant, type TestService, testMerchant } from './service.ts'

/** A person at the console in a browser: a cookie, and requests as pages of the host make them. */
export interface TestPerson {
  readonly cookie: string
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** What a page of the console sends that has read its session. */
export const consoleHeaders = ({ consoleUrl }: Pick<TestService, 'consoleUrl'>, cookie: string) => ({
  cookie,
  origin: consoleUrl,
  'x-page-token': pageTokenFor('console', digestOf(cookie.split('=')[1] ?? '')),
})

function send(url: string, method: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
  if (body === undefined) return call(url, { method, headers })
  return call(url, { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

/** The press on "Open the demo account". */
export const pressDemo = ({ consoleUrl }: Pick<TestService, 'consoleUrl'>, headers: Record<string, string> = {}) =>
  send(`${consoleUrl}/api/sign-in/demo`, 'POST', { origin: consoleUrl, ...headers })

export async function signInToConsole(service: TestService): Promise<TestPerson> {
  const answer = await pressDemo(service)
  if (answer.status !== 200) throw new Error(`The demo account did not open: ${answer.status}`)
  return personWith(service, cookieOf(answer))
}

export function personWith(service: Pick<TestService, 'consoleUrl'>, cookie: string): TestPerson {
  const own = consoleHeaders(service, cookie)
  return {
    cookie,
    get: (path) => send(service.consoleUrl + path, 'GET', own),
    post: (path, body, headers = own) => send(service.consoleUrl + path, 'POST', headers, body),
  }
}

/** The demo account, with the keys that its first start has made. */
export async function demoAccount(service: TestService): Promise<TestMerchant> {
  const made = await service.app.merchants.ensureDemoMerchant()
  if (made === undefined) throw new Error('The demo account is there already.')
  return testMerchant(service, made)
}

/** Gives the person of the demo account this role. */
export async function becomeAtConsole(service: TestService, accountId: string, role: ConsoleRole): Promise<void> {
  const merchantId = service.app.merchants.operatorMerchantId
  const seal = TEST_SEALS.seal(sealedMember({ merchantId, accountId, personId: 'psn_demo', role }))
  await service.pool.query(
    `update account_members set role = $2, seal = $3 where account_id = $1 and person_id = 'psn_demo'`,
    [accountId, role, seal],
  )
}
