import { ConsoleDone } from '@mintmark/contract/wire/console'
import {
  AccountParams,
  ConsoleConfirmationOptions,
  ConsoleMe,
  NewPasskeyBody,
  PasskeyAnswer,
  PasskeyNameBody,
  PersonPasskeyParams,
  PersonSessionParams,
} from '@mintmark/contract/wire/console-people'
import {
  accountNotFound,
  lastPasskey,
  ownPasskeyNotFound,
  passkeyTaken,
  sessionNotFound,
  tooManyPasskeys,
} from '../../console/errors.ts'
import { cookieHeader, WithCookie } from '../../http/cookie.ts'
import { type Route, route } from '../../http/route.ts'
import { passkeyFailed } from '../../passkeys/errors.ts'
import { afterPasskey, arrivalOf, type Door, withToken } from './arriving.ts'
import { DONE, OWN, READ } from './common.ts'
import { CONFIRMING } from './routes-of-team.ts'
import { toWireMe } from './wire-of-people.ts'

const ACT = { ...OWN, response: ConsoleDone } as const

/** A person's own: passkeys, sessions and accounts. */
export function meRoutes(door: Door): Route[] {
  const { console: people, cookie } = door
  return [
    route({
      ...READ,
      path: '/api/me',
      operationId: 'getConsoleMe',
      summary: 'The passkeys, sessions and accounts of who asks',
      response: ConsoleMe,
      errors: [],
      async handler({ caller }) {
        const [passkeys, sessions, accounts] = await Promise.all([
          people.listPasskeys(caller),
          people.listSessions(caller),
          people.accountsOf(caller),
        ])
        return toWireMe({ email: caller.email, passkeys, sessions, accounts })
      },
    }),
    route({
      ...ACT,
      path: '/api/accounts/:accountId/open',
      operationId: 'openConsoleAccount',
      summary: 'Look at another account of one’s own',
      params: AccountParams,
      errors: [accountNotFound],
      handler: async ({ caller, params }) =>
        withToken(cookie, await people.openAccount(caller, params.accountId), DONE),
    }),
    route({
      ...ACT,
      path: '/api/sessions/:sessionId/end',
      operationId: 'endConsoleSession',
      summary: 'Sign out one of one’s own sessions',
      params: PersonSessionParams,
      errors: [sessionNotFound],
      async handler({ caller, params: { sessionId } }) {
        await people.endSession(caller, sessionId)
        return sessionId === caller.sessionId ? new WithCookie(DONE, cookieHeader(cookie, '', 0)) : DONE
      },
    }),
    route({
      ...ACT,
      path: '/api/sessions/end-all',
      operationId: 'endConsoleSessions',
      summary: 'Sign out everywhere, here as well',
      errors: [],
      async handler({ caller }) {
        await people.endSessions(caller)
        return new WithCookie(DONE, cookieHeader(cookie, '', 0))
      },
    }),
    ...passkeyRoutes(door),
  ]
}

function passkeyRoutes(door: Door): Route[] {
  const { console: people, cookie } = door
  return [
    route({
      ...OWN,
      path: '/api/passkeys/options',
      operationId: 'newConsolePasskeyOptions',
      summary: 'Begin to make another passkey, with one that one has',
      body: NewPasskeyBody,
      response: ConsoleConfirmationOptions,
      errors: [...CONFIRMING],
      async handler({ caller, body }) {
        await people.confirmed(caller, { act: 'make_passkey' }, body.answer)
        return afterPasskey(door, caller, { options: await people.newPasskeyOptions(caller) })
      },
    }),
    route({
      ...ACT,
      path: '/api/passkeys',
      operationId: 'addConsolePasskey',
      summary: 'Keep another passkey',
      body: PasskeyAnswer,
      errors: [passkeyFailed, passkeyTaken, tooManyPasskeys],
      async handler({ caller, body, client }) {
        await people.addPasskey(caller, { ...body, device: arrivalOf(cookie, client()).device })
        return DONE
      },
    }),
    route({
      ...ACT,
      path: '/api/passkeys/:passkeyId/name',
      operationId: 'nameConsolePasskey',
      summary: 'Call a passkey something',
      params: PersonPasskeyParams,
      body: PasskeyNameBody,
      errors: [ownPasskeyNotFound],
      async handler({ caller, params, body }) {
        await people.namePasskey(caller, params.passkeyId, body.name)
        return DONE
      },
    }),
    route({
      ...ACT,
      path: '/api/passkeys/:passkeyId/end',
      operationId: 'endConsolePasskey',
      summary: 'End a passkey, and the sessions that it began',
      params: PersonPasskeyParams,
      errors: [ownPasskeyNotFound, lastPasskey],
      async handler({ caller, params }) {
        const { isThis } = await people.endPasskey(caller, params.passkeyId)
        return isThis ? new WithCookie(DONE, cookieHeader(cookie, '', 0)) : DONE
      },
    }),
  ]
}
