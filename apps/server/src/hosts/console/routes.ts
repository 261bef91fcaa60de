import { ConsoleDone, ConsoleEntrance, ConsoleSignedIn } from '@mintmark/contract/wire/console'
import { ConsoleVisit, ConsoleVisitAnswer } from '@mintmark/contract/wire/console-people'
import { noAccount, noDemo, passkeyUnknown, usedElsewhere } from '../../console/errors.ts'
import type { ConsoleService } from '../../console/service.ts'
import type { DatabaseClock } from '../../db/clock.ts'
import { cookieHeader, type HostCookie, WithCookie } from '../../http/cookie.ts'
import { open } from '../../http/credential.ts'
import { type Route, route } from '../../http/route.ts'
import { passkeyFailed } from '../../passkeys/errors.ts'
import { arrivalOf, begun, type Door, NOT_YET, VISIT } from './arriving.ts'
import { OWN, READ } from './common.ts'
import { invitationRoutes } from './routes-of-invitations.ts'
import { consoleKeyRoutes } from './routes-of-keys.ts'
import { meRoutes } from './routes-of-me.ts'
import { consolePaymentRoutes } from './routes-of-payments.ts'
import { consolePermissionRoutes } from './routes-of-permissions.ts'
import { consoleSandboxRoutes } from './routes-of-sandbox.ts'
import { teamRoutes } from './routes-of-team.ts'
import { consoleEventRoutes, consoleWebhookRoutes, type WebhookServices } from './routes-of-webhooks.ts'
import { type Deployment, toWireSignedIn } from './wire.ts'

interface ConsoleRouteDeps extends WebhookServices, Deployment {
  clock: DatabaseClock
}

/** The backend of the console, on the page's own origin. */
export function consoleRoutes(deps: ConsoleRouteDeps, cookie: HostCookie): Route[] {
  const { console, environment, apiUrl } = deps
  const door = { console, environment, apiUrl, cookie }
  return [
    ...arrivingRoutes(door),
    ...invitationRoutes(door),
    ...consolePaymentRoutes(deps.console),
    ...consolePermissionRoutes(deps.console),
    ...consoleWebhookRoutes(deps),
    ...consoleEventRoutes(deps.console),
    ...consoleSandboxRoutes(deps),
    ...consoleKeyRoutes(door),
    ...teamRoutes(door),
    ...meRoutes(door),
    whoRoute(deps),
    outRoute(deps.console, cookie),
  ]
}

function arrivingRoutes(door: Door): Route[] {
  const { console: people, cookie } = door
  return [
    route({
      ...VISIT,
      method: 'GET',
      path: '/api/entrance',
      operationId: 'getConsoleEntrance',
      summary: 'How one may come in',
      auth: open('It says whether there is a demo account, which a sandbox shows to everybody on its machine.'),
      response: ConsoleEntrance,
      errors: [],
      async handler() {
        const account = await people.demoAccount()
        return { demo: account === undefined ? null : { account: account.name } }
      },
    }),
    route({
      ...VISIT,
      path: '/api/sign-in/demo',
      operationId: 'signInToDemo',
      summary: 'Open the demo account of a sandbox',
      auth: open('The demo account of a sandbox moves no real money, and its keys are in a file of this machine.'),
      response: ConsoleSignedIn,
      errors: [noDemo],
      handler: async ({ client }) => begun(door, await people.signInAsDemo(arrivalOf(cookie, client())), client()),
    }),
    route({
      ...VISIT,
      path: '/api/sign-in/options',
      operationId: 'consoleSignInOptions',
      summary: 'Begin to sign in',
      auth: NOT_YET,
      response: ConsoleVisit,
      errors: [],
      handler: () => people.signInOptions(),
    }),
    route({
      ...VISIT,
      path: '/api/sign-in',
      operationId: 'signInToConsole',
      summary: 'Sign in with a passkey',
      auth: NOT_YET,
      body: ConsoleVisitAnswer,
      response: ConsoleSignedIn,
      errors: [passkeyFailed, passkeyUnknown, noAccount, usedElsewhere],
      handler: async ({ body, client }) =>
        begun(door, await people.signIn(body.visit, body.response, arrivalOf(cookie, client())), client()),
    }),
  ]
}

function whoRoute({ console: people, ...place }: ConsoleRouteDeps): Route {
  return route({
    ...READ,
    path: '/api/session',
    operationId: 'getConsoleSession',
    summary: 'Who is signed in',
    response: ConsoleSignedIn,
    errors: [],
    handler: async ({ caller }) => toWireSignedIn(caller, await people.accountOf(caller), place),
  })
}

function outRoute(people: ConsoleService, cookie: HostCookie): Route {
  return route({
    ...OWN,
    path: '/api/sign-out',
    operationId: 'signOutOfConsole',
    summary: 'Sign out',
    response: ConsoleDone,
    errors: [],
    async handler({ caller }) {
      await people.signOut(caller)
      return new WithCookie({ done: true as const }, cookieHeader(cookie, '', 0))
    },
  })
}
