import { type HostCookie, readCookie } from '../http/cookie.ts'
import { type CheckedCredential, checkedBy, credential } from '../http/credential.ts'
import { byAddress, limit } from '../http/limit.ts'
import type { OwnerCaller } from './deps.ts'
import { notSignedIn, signInOver } from './errors.ts'
import type { OwnerService } from './service.ts'

/** The cookie of an owner who is signed in. */
export const ownerSession = credential<OwnerCaller>('owner_session', {
  scheme: { type: 'apiKey', in: 'cookie', name: 'mintmark_owner', description: 'An owner who is signed in.' },
  header: 'cookie',
  errors: { missing: notSignedIn, invalid: notSignedIn, ended: [signInOver] },
  tenantOf: ({ merchantId }) => merchantId,
})

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** How the host of the owners' page checks it. */
export function ownerCredentials(owners: Pick<OwnerService, 'resolve'>, cookie: HostCookie): CheckedCredential[] {
  return [
    checkedBy(ownerSession, {
      async check({ headers }) {
        const token = readCookie(cookie, headers)
        if (token === undefined || !TOKEN.test(token)) throw notSignedIn()
        return owners.resolve(token)
      },
    }),
  ]
}

export const perSignIn = limit('owner_sign_in', {
  points: 60,
  windowSeconds: 60,
  by: byAddress,
  // A client asks without a credential, and each question is a row.
  withoutStore: 'refuse',
  meaning: 'Sign-ins at the page of owners, and new owners. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

export const perOwnerMail = limit('owner_mail', {
  points: 20,
  sandboxPoints: 600,
  windowSeconds: 60 * 60,
  by: byAddress,
  // Each sends a mail to an address that its owner has not proven yet.
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
