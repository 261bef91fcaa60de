import {
  AdvanceBody,
  AdvanceResponse,
  AuthorizationBody,
  AuthorizationResponse,
  CompleteBody,
  CompleteResponse,
} from '@mintmark/contract/wire/sandbox'
import { SessionParams } from '@mintmark/contract/wire/sessions'
import { cardInactive, cardNotFound, cardRefused, networkUnavailable } from '../cards/errors.ts'
import type { DatabaseClock } from '../db/clock.ts'
import { type Route, route } from '../http/route.ts'
import { perMerchant, secretKey } from '../merchants/credential.ts'
import type { SimulatedNetwork } from '../network/simulator/simulator.ts'
import { invalidState } from '../platform/errors.ts'
import { merchantSuspended, sessionNotFound } from '../sessions/errors.ts'
import { rejectFarFuture } from './rules.ts'
import type { SandboxService } from './service.ts'
import { authorizationProblems, fromWireAuthorization, toWireAuthorization, toWireComplete } from './wire.ts'

export interface SandboxRouteDeps {
  sandbox: SandboxService
  clock: DatabaseClock
  network: Pick<SimulatedNetwork, 'authorize'>
}

/** Test helpers: in the sandbox only, by secret key. */
export function sandboxRoutes(deps: SandboxRouteDeps): Route[] {
  return [completeRoute(deps), clockRoute(deps), authorizationRoute(deps)]
}

const HELPER = {
  method: 'POST',
  tag: 'Test helpers',
  auth: [secretKey],
  limit: perMerchant,
  environment: 'sandbox',
  status: 200,
  noStore: true,
} as const

function completeRoute({ sandbox }: SandboxRouteDeps): Route {
  return route({
    ...HELPER,
    path: '/v1/test_helpers/sessions/:sessionId/complete',
    operationId: 'completeSession',
    summary: "Finish the cardholder's part headlessly",
    description:
      'Enters a test card (4242 4242 4242 4242 unless named), registers a passkey, approves: with a software ' +
      'authenticator, through the same services as the page. `stop_after` walks away after a step.',
    params: SessionParams,
    body: CompleteBody,
    optionalBody: true,
    response: CompleteResponse,
    errors: [
      merchantSuspended,
      sessionNotFound,
      invalidState,
      cardRefused,
      cardNotFound,
      cardInactive,
      networkUnavailable,
    ],
    async handler({ caller, params, body }) {
      return toWireComplete(await sandbox.complete(caller.merchantId, params.sessionId, body))
    },
  })
}

function clockRoute({ clock }: SandboxRouteDeps): Route {
  return route({
    ...HELPER,
    path: '/v1/test_helpers/clock/advance',
    operationId: 'advanceClock',
    summary: "Move the sandbox's clock forward",
    description: 'For all callers of this sandbox, immediately on this node and within a second on others. Never back.',
    body: AdvanceBody,
    response: AdvanceResponse,
    errors: [],
    async handler({ body }) {
      rejectFarFuture(clock.now(), body.seconds)
      return { now: (await clock.advance(body.seconds)).toISOString() }
    },
  })
}

function authorizationRoute({ network }: SandboxRouteDeps): Route {
  return route({
    ...HELPER,
    path: '/v1/test_helpers/authorizations',
    operationId: 'authorize',
    summary: 'Spend a minted credential at the sandbox acquirer',
    body: AuthorizationBody,
    check: authorizationProblems,
    response: AuthorizationResponse,
    errors: [],
    async handler({ body }) {
      return toWireAuthorization(await network.authorize(fromWireAuthorization(body)))
    },
  })
}
