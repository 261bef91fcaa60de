import { PAGE_TOKEN_HEADER } from '@mintmark/contract/page-token'
import { perConsoleVisit } from '../../console/credential.ts'
import {
  type Arrival,
  type ConsoleCaller,
  type ConsoleService,
  SESSION_SECONDS,
  type Token,
} from '../../console/service.ts'
import { cookieHeader, type HostCookie, readCookie, WithCookie } from '../../http/cookie.ts'
import { open } from '../../http/credential.ts'
import { placeOf } from '../../http/place.ts'
import type { Client } from '../../http/route.ts'
import { deviceOf } from '../../platform/device.ts'
import { pageTokenFor } from '../../platform/page-session.ts'
import { type Deployment, toWireSignedIn } from './wire.ts'

/** What all routes have in common that a person asks who is not signed in. */
export const VISIT = { method: 'POST', tag: 'Console', limit: perConsoleVisit, status: 200, noStore: true } as const
export const NOT_YET = open(
  'The passkey, or the mailed link, is the credential, and only a page of this host may send it.',
)

/** What the routes have by which people come in. */
export interface Door extends Deployment {
  console: ConsoleService
  cookie: HostCookie
}

/** What the browser says and has, that signs in. */
export const arrivalOf = (cookie: HostCookie, { address, headers }: Client): Arrival => ({
  ...{ device: deviceOf(headers['user-agent'] ?? '', placeOf(address)), former: readCookie(cookie, headers) },
})

/** The answer with which a session begins, and its cookie. */
export async function begun({ console: people, cookie, ...place }: Door, { token }: Token, { address }: Client) {
  const caller = await people.resolve(token, placeOf(address))
  const signedIn = toWireSignedIn(caller, await people.accountOf(caller), place)
  return new WithCookie(signedIn, cookieHeader(cookie, token, SESSION_SECONDS))
}

/** The answer to a person who has just used the passkey, with another token for the session. */
export async function afterPasskey<Result>(
  { console: people, cookie }: Pick<Door, 'console' | 'cookie'>,
  caller: ConsoleCaller,
  result: Result,
): Promise<Result | WithCookie<Result>> {
  const rotated = await people.rotate(caller)
  return rotated === undefined ? result : withToken(cookie, rotated, result)
}

/** An answer with the token under which the session goes on. */
export function withToken<Result>(cookie: HostCookie, rotated: Token & { at: Date }, result: Result) {
  const seconds = Math.max(0, Math.floor((rotated.expiresAt.getTime() - rotated.at.getTime()) / 1000))
  return new WithCookie(result, cookieHeader(cookie, rotated.token, seconds), {
    [PAGE_TOKEN_HEADER]: pageTokenFor('console', rotated.digest),
  })
}
