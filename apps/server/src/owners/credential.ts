import { timingSafeEqual } from 'node:crypto'
import { PAGE_TOKEN_HEADER } from '@mintmark/contract/page-token'
import { type HostCookie, readCookie } from '../http/cookie.ts'
import { type CheckedCredential, checkedBy, credential } from '../http/credential.ts'
import { byAddress, limit } from '../http/limit.ts'
import { placeOf } from '../http/place.ts'
import { TOKEN_FORM } from '../platform/page-session.ts'
import type { OwnerCaller } from './deps.ts'
import { notSignedIn, pageTokenWrong, signInOver } from './errors.ts'
import type { OwnerService } from './service.ts'
import { pageTokenOf } from './token.ts'

/** The cookie of an owner who is signed in. */
export const ownerSession = credential<OwnerCaller>('owner_session', {
  scheme: { type: 'apiKey', in: 'cookie', name: 'mintmark_owner', description: 'An owner who is signed in.' },
  header: 'cookie',
  errors: { missing: notSignedIn, invalid: notSignedIn, ended: [signInOver, pageTokenWrong] },
  tenantOf: ({ merchantId }) => merchantId,
})

/** A page of this host sent it: no other site can read the token, and none can set the header. */
function isOfPage({ digest }: OwnerCaller, sent: string | string[] | undefined): boolean {
  const [own, given] = [Buffer.from(pageTokenOf(digest)), Buffer.from(String(sent))]
  return own.length === given.length && timingSafeEqual(own, given)
}

/** How the host of the owners' page checks it. */
export function ownerCredentials(owners: Pick<OwnerService, 'resolve'>, cookie: HostCookie): CheckedCredential[] {
  return [
    checkedBy(ownerSession, {
      async check({ method, headers, address }) {
        const token = readCookie(cookie, headers)
        if (token === undefined || !TOKEN_FORM.test(token)) throw notSignedIn()
        const caller = await owners.resolve(token, placeOf(address))
        if (method !== 'GET' && !isOfPage(caller, headers[PAGE_TOKEN_HEADER])) throw pageTokenWrong()
        return caller
      },
    }),
  ]
}

export const perSignIn = limit('owner_sign_in', {
  points: 60,
  sandboxPoints: 6000,
  windowSeconds: 60,
  by: byAddress,
  // Any visitor may ask, and each question is a row.
  withoutStore: 'refuse',
  meaning: 'Sign-ins at the page of owners, new owners and new devices. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

export const perOwnerMail = limit('owner_mail', {
  points: 20,
  sandboxPoints: 600,
  windowSeconds: 60 * 60,
  by: byAddress,
  // Each sends a mail to an address that is not proven yet.
  withoutStore: 'refuse',
  meaning: 'Codes that are mailed to owners in an hour. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

export const perOwner = limit('owner', {
  points: 600,
  windowSeconds: 60,
  blocks: 20,
  by: ({ customerId }: OwnerCaller) => customerId,
  withoutStore: 'pass',
  meaning: 'Calls of the page of an owner who is signed in.',
  countedBy: 'owner',
})
