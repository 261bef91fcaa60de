import type { SignedIn } from '@mintmark/contract/wire/owner'
import { cookieHeader, type HostCookie, readCookie, WithCookie } from '../../http/cookie.ts'
import { open } from '../../http/credential.ts'
import { placeOf } from '../../http/place.ts'
import type { Client } from '../../http/route.ts'
import { perSignIn } from '../../owners/credential.ts'
import type { Arrival, Begun } from '../../owners/service.ts'
import { SESSION_SECONDS } from '../../owners/sessions.ts'
import { pageTokenOf } from '../../owners/token.ts'
import { deviceOf } from '../../platform/device.ts'

/** What all routes have in common that a person asks who is not signed in. */
export const VISIT = { method: 'POST', tag: 'Owners', limit: perSignIn, status: 200, noStore: true } as const
export const NOBODY_YET = open(
  'Nobody is signed in yet: the passkey is the credential, and only a page of this host may send it.',
)

export const toWireSignedIn = ({ name, expiresAt, digest }: Omit<Begun, 'token'>): SignedIn => ({
  ...{ name, expires_at: expiresAt.toISOString(), page_token: pageTokenOf(digest) },
})

/** The answer with which a session begins, and its cookie. */
export const begun = (cookie: HostCookie, made: Begun) =>
  new WithCookie(toWireSignedIn(made), cookieHeader(cookie, made.token, SESSION_SECONDS))

/** What the browser says and has, that signs in. */
export const arrivalOf = (cookie: HostCookie, { address, headers }: Client): Arrival => ({
  ...{ device: deviceOf(headers['user-agent'] ?? '', placeOf(address)), former: readCookie(cookie, headers) },
})
