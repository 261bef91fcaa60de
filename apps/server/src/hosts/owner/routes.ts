import { Done, NewOwner, SignedIn, VisitAnswer, VisitOptions } from '@mintmark/contract/wire/owner'
import { Type } from 'typebox'
import { cookieHeader, type HostCookie, WithCookie } from '../../http/cookie.ts'
import { open } from '../../http/credential.ts'
import { type Route, route } from '../../http/route.ts'
import type { MailService } from '../../mail/service.ts'
import { ownerSession, perOwner, perSignIn } from '../../owners/credential.ts'
import { passkeyUnknown } from '../../owners/errors.ts'
import { type Begun, type OwnerService, SESSION_SECONDS } from '../../owners/service.ts'
import { passkeyFailed } from '../../passkeys/errors.ts'
import { invalidState } from '../../platform/errors.ts'
import { ownedAgentRoutes } from './routes-of-agents.ts'
import { escalationRoutes } from './routes-of-escalations.ts'
import { limitsRoutes } from './routes-of-limits.ts'
import { linkRoutes } from './routes-of-links.ts'
import { ownerMailRoutes } from './routes-of-mail.ts'

/** The backend of the owners' page, on the page's own origin. */
export function ownerRoutes(owners: OwnerService, mail: MailService, cookie: HostCookie): Route[] {
  return [
    ...signInRoutes(owners, cookie),
    ...newOwnerRoutes(owners, cookie),
    whoRoute(owners),
    ...linkRoutes(owners),
    ...escalationRoutes(owners),
    ...ownedAgentRoutes(owners),
    ...limitsRoutes(owners),
    ...ownerMailRoutes(mail),
    outRoute(owners, cookie),
  ]
}

const VISIT = { method: 'POST', tag: 'Owners', limit: perSignIn, status: 200, noStore: true } as const
const NOBODY_YET = open(
  'Nobody is signed in yet: the passkey is the credential, and only a page of this host may send it.',
)

const begun = (cookie: HostCookie, { token, name, expiresAt }: Begun) =>
  new WithCookie({ name, expires_at: expiresAt.toISOString() }, cookieHeader(cookie, token, SESSION_SECONDS))

function signInRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...VISIT,
      path: '/api/sign-in/options',
      operationId: 'signInOptions',
      summary: 'Begin to sign in',
      auth: NOBODY_YET,
      response: VisitOptions,
      errors: [],
      handler: () => owners.signInOptions(),
    }),
    route({
      ...VISIT,
      path: '/api/sign-in',
      operationId: 'signIn',
      summary: 'Sign in with a passkey',
      auth: NOBODY_YET,
      body: VisitAnswer,
      response: SignedIn,
      errors: [passkeyFailed, passkeyUnknown, invalidState],
      handler: async ({ body }) => begun(cookie, await owners.signIn(body.visit, body.response)),
    }),
  ]
}

function newOwnerRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...VISIT,
      path: '/api/owners/options',
      operationId: 'newOwnerOptions',
      summary: 'Begin to make a passkey, as one who comes for the first time',
      auth: NOBODY_YET,
      body: NewOwner,
      response: VisitOptions,
      errors: [],
      handler: ({ body }) => owners.newOwnerOptions(body.name),
    }),
    route({
      ...VISIT,
      path: '/api/owners',
      operationId: 'newOwner',
      summary: 'Become an owner with a new passkey, and be signed in',
      auth: NOBODY_YET,
      body: Type.Object({ ...VisitAnswer.properties, ...NewOwner.properties }, { additionalProperties: false }),
      response: SignedIn,
      errors: [passkeyFailed, invalidState],
      handler: async ({ body }) => begun(cookie, await owners.registerOwner(body.visit, body)),
    }),
  ]
}

function whoRoute(owners: OwnerService): Route {
  return route({
    ...VISIT,
    method: 'GET',
    path: '/api/session',
    operationId: 'getOwnerSession',
    summary: 'Who is signed in',
    auth: [ownerSession],
    limit: perOwner,
    response: SignedIn,
    errors: [],
    async handler({ caller }) {
      return { name: await owners.nameOf(caller), expires_at: caller.expiresAt.toISOString() }
    },
  })
}

function outRoute(owners: OwnerService, cookie: HostCookie): Route {
  return route({
    ...VISIT,
    path: '/api/sign-out',
    operationId: 'signOut',
    summary: 'Sign out',
    auth: [ownerSession],
    limit: perOwner,
    response: Done,
    errors: [],
    async handler({ caller }) {
      await owners.signOut(caller)
      return new WithCookie({ done: true as const }, cookieHeader(cookie, '', 0))
    },
  })
}
