import { Done, SignedIn, VisitAnswer, VisitOptions } from '@mintmark/contract/wire/owner'
import { cookieHeader, type HostCookie, WithCookie } from '../../http/cookie.ts'
import { type Route, route } from '../../http/route.ts'
import { ownerSession, perOwner } from '../../owners/credential.ts'
import { passkeyUnknown } from '../../owners/errors.ts'
import type { OwnerService } from '../../owners/service.ts'
import { passkeyFailed } from '../../passkeys/errors.ts'
import { invalidState } from '../../platform/errors.ts'
import { arrivalOf, begun, NOBODY_YET, toWireSignedIn, VISIT } from './arriving.ts'
import { activityRoutes } from './routes-of-activity.ts'
import { ownedAgentRoutes } from './routes-of-agents.ts'
import { deviceRoutes } from './routes-of-devices.ts'
import { escalationRoutes } from './routes-of-escalations.ts'
import { limitsRoutes } from './routes-of-limits.ts'
import { linkRoutes } from './routes-of-links.ts'
import { ownerMailRoutes } from './routes-of-mail.ts'
import { ownerPasskeyRoutes } from './routes-of-passkeys.ts'
import { permissionRoutes } from './routes-of-permissions.ts'
import { recoveryRoutes } from './routes-of-recovery.ts'
import { ownerSessionRoutes } from './routes-of-sessions.ts'
import { signUpRoutes } from './routes-of-sign-up.ts'

/** The backend of the owners' page, on the page's own origin. */
export function ownerRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    ...signInRoutes(owners, cookie),
    ...signUpRoutes(owners, cookie),
    whoRoute(owners),
    ...linkRoutes(owners, cookie),
    ...escalationRoutes(owners, cookie),
    ...ownedAgentRoutes(owners),
    ...limitsRoutes(owners, cookie),
    ...activityRoutes(owners),
    ...permissionRoutes(owners),
    ...ownerMailRoutes(owners),
    ...ownerPasskeyRoutes(owners, cookie),
    ...deviceRoutes(owners, cookie),
    ...recoveryRoutes(owners, cookie),
    ...ownerSessionRoutes(owners, cookie),
    outRoute(owners, cookie),
  ]
}

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
      handler: async ({ body, client }) =>
        begun(cookie, await owners.signIn(body.visit, body.response, arrivalOf(cookie, client()))),
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
      return toWireSignedIn({ ...caller, name: await owners.nameOf(caller) })
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
