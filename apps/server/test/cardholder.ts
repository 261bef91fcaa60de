import { randomBytes } from 'node:crypto'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '../src/passkeys/software-authenticator.ts'
import { type Answer, call, jsonRequest, type TestService } from './service.ts'

/** A cardholder at the secure surface: the page's calls, over HTTP, with an authenticator in software. */
export interface Cardholder {
  token: string
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  enterCard(number: string, cvv?: string): Promise<Answer>
  registerPasskey(): Promise<Answer>
  approve(): Promise<Answer>
  /** Card, passkey and approval in a row; returns the last view. */
  pay(number: string, cvv?: string): Promise<Answer>
}

/** One authenticator a person: hand the first visit's to the next one. */
export function newAuthenticator(service: TestService): SoftwareAuthenticator {
  return createSoftwareAuthenticator({ seed: randomBytes(32), rpId: 'localhost', origin: service.surfaceUrl })
}

/** Opens `iframe_url` as a browser does: the fragment is traded for a token. */
export async function launch(service: TestService, iframeUrl: string) {
  const [, , merchant_id, session_id] = new URL(iframeUrl).pathname.split('/')
  const launch_secret = new URL(iframeUrl).hash.slice(1)
  const body = JSON.stringify({ merchant_id, session_id, launch_secret })
  return call(`${service.surfaceUrl}/api/launch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
}

/** A cardholder who holds the token already. */
export function cardholder(service: TestService, token: string, authenticator = newAuthenticator(service)): Cardholder {
  const expiry_year = String(service.clock.now().getUTCFullYear() + 3)
  const authorization = `Bearer ${token}`
  const post = (path: string, body?: unknown) => call(service.surfaceUrl + path, jsonRequest(authorization, body))
  const visitor: Cardholder = {
    token,
    get: (path) => call(service.surfaceUrl + path, { headers: { authorization } }),
    post,
    enterCard: (card_number, cvv = '123') => post('/api/cards', { card_number, expiry_month: '12', expiry_year, cvv }),
    async registerPasskey() {
      const options = await post('/api/passkeys/registration-options', { frame: { embedded: false } })
      const { body, ...rest } = await post('/api/passkeys/registrations', {
        response: authenticator.register(options.body),
      })
      return { ...rest, body: body.view ?? body }
    },
    async approve() {
      const { body } = await post('/api/approval-options', { frame: { embedded: false } })
      return post('/api/approvals', { response: authenticator.authenticate(body.options) })
    },
    async pay(number, cvv) {
      await visitor.enterCard(number, cvv)
      await visitor.registerPasskey()
      return visitor.approve()
    },
  }
  return visitor
}
