import { Done, OwnerSessions, SessionParams } from '@mintmark/contract/wire/owner'
import { cookieHeader, type HostCookie, WithCookie } from '../../http/cookie.ts'
import { type Route, route } from '../../http/route.ts'
import { sessionNotFound } from '../../owners/errors.ts'
import type { OwnerService } from '../../owners/service.ts'
import { DONE, OWNERS } from './common.ts'
import { toWireSessions } from './wire.ts'

/** Where an owner is signed in. Ending takes away, so it needs no passkey. */
export function ownerSessionRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...OWNERS,
      method: 'GET',
      path: '/api/sessions',
      operationId: 'listOwnerSessions',
      summary: 'Where an owner is signed in',
      response: OwnerSessions,
      errors: [],
      handler: async ({ caller }) => toWireSessions(await owners.listSessions(caller)),
    }),
    route({
      ...OWNERS,
      method: 'POST',
      path: '/api/sessions/:sessionId/end',
      operationId: 'endOwnerSession',
      summary: 'Sign out one of them',
      params: SessionParams,
      response: Done,
      errors: [sessionNotFound],
      async handler({ caller, params: { sessionId } }) {
        await owners.endSession(caller, sessionId)
        return sessionId === caller.sessionId ? new WithCookie(DONE, cookieHeader(cookie, '', 0)) : DONE
      },
    }),
    route({
      ...OWNERS,
      method: 'POST',
      path: '/api/sessions/end-all',
      operationId: 'endOwnerSessions',
      summary: 'Sign out everywhere, here as well',
      response: Done,
      errors: [],
      async handler({ caller }) {
        await owners.endSessions(caller)
        return new WithCookie(DONE, cookieHeader(cookie, '', 0))
      },
    }),
  ]
}
