import { timingSafeEqual } from 'node:crypto'
import { CONSOLE_ROLES, type ConsoleRole, mayAs } from '@mintmark/contract/console'
import { PAGE_TOKEN_HEADER } from '@mintmark/contract/page-token'
import { type HostCookie, readCookie } from '../http/cookie.ts'
import {
  type CheckedCredential,
  type Credential,
  type CredentialRequest,
  checkedBy,
  credential,
} from '../http/credential.ts'
import { byAddress, limit } from '../http/limit.ts'
import { placeOf } from '../http/place.ts'
import { pageTokenFor, TOKEN_FORM } from '../platform/page-session.ts'
import type { ConsoleCaller } from './deps.ts'
import { notSignedIn, pageTokenWrong, roleTooSmall, signInOver } from './errors.ts'
import type { ConsoleService } from './service.ts'

const signedInAs = (role: ConsoleRole): Credential<ConsoleCaller> =>
  credential<ConsoleCaller>(`console_${role}`, {
    scheme: {
      ...{ type: 'apiKey', in: 'cookie', name: 'mintmark_console' },
      description: `Somebody at the console who may what a ${role} may.`,
    },
    header: 'cookie',
    errors: { missing: notSignedIn, invalid: notSignedIn, ended: [signInOver, pageTokenWrong, roleTooSmall] },
    tenantOf: ({ merchantId }) => merchantId,
  })

/** The cookie of a person whose role is this one, or one that may more. */
export const AS: Readonly<Record<ConsoleRole, Credential<ConsoleCaller>>> = {
  viewer: signedInAs('viewer'),
  support: signedInAs('support'),
  developer: signedInAs('developer'),
  admin: signedInAs('admin'),
  owner: signedInAs('owner'),
}

/** A page of this host sent it: no other site can read the token, and none can set the header. */
function isOfPage({ digest }: ConsoleCaller, sent: string | string[] | undefined): boolean {
  const [own, given] = [Buffer.from(pageTokenFor('console', digest)), Buffer.from(String(sent))]
  return own.length === given.length && timingSafeEqual(own, given)
}

/** How the host of the console checks them. */
export function consoleCredentials(people: Pick<ConsoleService, 'resolve'>, cookie: HostCookie): CheckedCredential[] {
  async function check({ method, headers, address }: CredentialRequest, wanted: ConsoleRole) {
    const token = readCookie(cookie, headers)
    if (token === undefined || !TOKEN_FORM.test(token)) throw notSignedIn()
    const caller = await people.resolve(token, placeOf(address))
    if (method !== 'GET' && !isOfPage(caller, headers[PAGE_TOKEN_HEADER])) throw pageTokenWrong()
    if (!mayAs(caller.role, wanted)) throw roleTooSmall()
    return caller
  }
  return CONSOLE_ROLES.map((role) => checkedBy(AS[role], { check: (request) => check(request, role) }))
}

export const perConsoleVisit = limit('console_visit', {
  points: 60,
  sandboxPoints: 6000,
  windowSeconds: 60,
  by: byAddress,
  // Any visitor may ask, and each sign-in is a row.
  withoutStore: 'refuse',
  meaning: 'Sign-ins at the console. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

export const perInvited = limit('console_code', {
  points: 20,
  sandboxPoints: 600,
  windowSeconds: 60 * 60,
  by: byAddress,
  // Each sends a mail to an address that is not proven yet.
  withoutStore: 'refuse',
  meaning: 'Codes that are mailed to people with an invitation in an hour. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

export const perInviter = limit('console_invite', {
  points: 30,
  sandboxPoints: 600,
  windowSeconds: 60 * 60,
  by: ({ merchantId, personId }: ConsoleCaller) => `${merchantId}:${personId}`,
  // Each sends a mail to an address of the person's choice.
  withoutStore: 'refuse',
  meaning: 'Invitations that a person at the console mails in an hour. Refused when the counter cannot be read.',
  countedBy: 'person',
})

export const perPerson = limit('console', {
  points: 1200,
  windowSeconds: 60,
  blocks: 20,
  by: ({ merchantId, personId }: ConsoleCaller) => `${merchantId}:${personId}`,
  withoutStore: 'pass',
  meaning: 'Calls of the console of a person who is signed in.',
  countedBy: 'person',
})
