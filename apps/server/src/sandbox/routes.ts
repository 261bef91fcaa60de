import {
  AgentParams,
  ApproveLinkBody,
  ApproveLinkResponse,
  DecideBody,
  DecideResponse,
  EscalationParams,
  LinkParams,
  PublishBody,
  PublishResponse,
} from '@mintmark/contract/wire/agents'
import {
  AdvanceBody,
  AdvanceResponse,
  AuthorizationBody,
  AuthorizationResponse,
  CompleteBody,
  CompleteResponse,
} from '@mintmark/contract/wire/sandbox'
import { SessionParams } from '@mintmark/contract/wire/sessions'
import { agentKeyLinked, agentLinkNotFound, agentNotFound } from '../agents/errors.ts'
import { cardInactive, cardNotFound, cardRefused, networkUnavailable } from '../cards/errors.ts'
import { type DatabaseClock, EndOfTimeError } from '../db/clock.ts'
import { escalationNotFound } from '../escalations/errors.ts'
import { type Route, type RouteExample, route } from '../http/route.ts'
import { perMerchant, secretKey } from '../merchants/credential.ts'
import type { SimulatedNetwork } from '../network/simulator/simulator.ts'
import { fieldErrors, invalidState, notFound } from '../platform/errors.ts'
import { merchantSuspended, sessionNotFound } from '../sessions/errors.ts'
import type { SandboxService } from './service.ts'
import {
  approveProblems,
  authorizationProblems,
  fromWireAuthorization,
  toWireAuthorization,
  toWireComplete,
} from './wire.ts'

export interface SandboxRouteDeps {
  sandbox: SandboxService
  clock: DatabaseClock
  network: Pick<SimulatedNetwork, 'authorize'>
}

/** Test helpers: in the sandbox only, by secret key. */
export function sandboxRoutes(deps: SandboxRouteDeps): Route[] {
  const ofOwners = [approveLinkRoute(deps), publishRoute(deps), decideRoute(deps)]
  return [completeRoute(deps), ...ofOwners, clockRoute(deps), authorizationRoute(deps)]
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

function completeRoute({ sandbox, clock }: SandboxRouteDeps): Route {
  return route({
    ...HELPER,
    path: '/v1/test_helpers/sessions/:sessionId/complete',
    goesOn: true,
    operationId: 'completeSession',
    summary: "Finish the cardholder's part headlessly",
    description:
      'Enters a test card (4242 4242 4242 4242 unless named), registers a passkey, approves: with a software ' +
      'authenticator, through the same services as the page. `stop_after` walks away after a step.',
    params: SessionParams,
    body: CompleteBody,
    optionalBody: true,
    response: CompleteResponse,
    example: COMPLETE_EXAMPLE,
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
      return toWireComplete(await sandbox.complete(caller.merchantId, params.sessionId, body), clock.now())
    },
  })
}

function approveLinkRoute({ sandbox }: SandboxRouteDeps): Route {
  return route({
    ...HELPER,
    path: '/v1/test_helpers/agent_links/:linkId/approve',
    operationId: 'approveAgentLink',
    summary: "Approve an agent's link as its owner",
    description:
      'As an owner of this sandbox, who is made when they are named first, with a software passkey, through the same services as the page. ' +
      'Unless `limits` says otherwise: 100.00 USD a charge, 200.00 a day, 1000.00 a month, 10 open at once.',
    params: LinkParams,
    body: ApproveLinkBody,
    optionalBody: true,
    response: ApproveLinkResponse,
    example: { body: {}, response: { agent_id: 'aa_01jd3x8p6v0q4r5s6t7v8w9xyz', status: 'approved' } },
    errors: [agentLinkNotFound, agentNotFound, agentKeyLinked, invalidState],
    check: approveProblems,
    async handler({ params, body }) {
      const { agentId, continueUrl } = await sandbox.approveLink(params.linkId, body)
      const goesOn = continueUrl === null ? {} : { continue_url: continueUrl }
      return { agent_id: agentId, status: 'approved' as const, ...goesOn }
    },
  })
}

function publishRoute({ sandbox }: SandboxRouteDeps): Route {
  return route({
    ...HELPER,
    path: '/v1/test_helpers/agents/:agentId/publish',
    operationId: 'publishAgent',
    summary: 'Publish an agent, or take that back, as its owner',
    description:
      'Shops then find its key in the directory at `/.well-known/http-message-signatures-directory`, and its card.',
    params: AgentParams,
    body: PublishBody,
    response: PublishResponse,
    example: { body: { published: true }, response: { agent_id: 'aa_01jd3x8p6v0q4r5s6t7v8w9xyz', published: true } },
    errors: [notFound],
    async handler({ params: { agentId }, body: { published } }) {
      await sandbox.publishAgent(agentId, published)
      return { agent_id: agentId, published }
    },
  })
}

function decideRoute({ sandbox }: SandboxRouteDeps): Route {
  return route({
    ...HELPER,
    path: '/v1/test_helpers/agent_escalations/:escalationId/decide',
    operationId: 'decideAgentEscalation',
    summary: "Answer what an agent's charge asks, as its owner",
    description:
      'Allows or denies it with a software passkey, through the same services as the page. What is beyond the mandate is allowed by a ' +
      'one-time mandate, which the owner approves.',
    params: EscalationParams,
    body: DecideBody,
    response: DecideResponse,
    example: {
      body: { decision: 'allow' },
      response: { escalation_id: 'esc_01jd3x8p6v0q4r5s6t7v8w9xyz', status: 'allowed' },
    },
    errors: [escalationNotFound, invalidState],
    async handler({ params: { escalationId }, body }) {
      return { escalation_id: escalationId, status: await sandbox.decide(escalationId, body.decision) }
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
    example: { body: { seconds: 900 }, response: { now: '2026-11-21T12:15:00.000Z' } },
    errors: [],
    async handler({ body }) {
      return { now: (await clock.advance(body.seconds).catch(rejectFarFuture)).toISOString() }
    },
  })
}

function rejectFarFuture(error: unknown): never {
  throw error instanceof EndOfTimeError ? fieldErrors({ seconds: 'must not lead past the year 2199' }) : error
}

function authorizationRoute({ network }: SandboxRouteDeps): Route {
  return route({
    ...HELPER,
    path: '/v1/test_helpers/authorizations',
    operationId: 'authorize',
    summary: 'Spend a minted credential at the sandbox acquirer',
    description:
      'As a shop would: once, at the host it was minted for, up to its amount, until it expires. An amount of zero asks whether the card is good, ' +
      'and uses nothing up.',
    body: AuthorizationBody,
    check: authorizationProblems,
    response: AuthorizationResponse,
    example: AUTHORIZE_EXAMPLE,
    errors: [],
    async handler({ body }) {
      return toWireAuthorization(await network.authorize(fromWireAuthorization(body)))
    },
  })
}

const COMPLETE_EXAMPLE: RouteExample<CompleteBody, CompleteResponse> = {
  body: { card_number: '4242 4242 4242 4242' },
  response: {
    session_id: 'sess_4fz9w2r7c0m8k1q6t3x5v0n2hd',
    status: 'awaiting_result',
    card_id: 'card_8k1q6t3x5v0n2hd4fz9w2r7c0m',
    next_step: 'done',
    outcome: 'approved',
  },
}

const AUTHORIZE_EXAMPLE: RouteExample<AuthorizationBody, AuthorizationResponse> = {
  body: {
    token: '4000001234567899',
    dynamic_cvv: '123',
    expiry_month: '12',
    expiry_year: '2026',
    amount: '40.00',
    currency: 'USD',
    merchant_url: 'https://tea.example',
  },
  response: {
    authorization_id: '0190a1b2-c3d4-4e5f-8a9b-0c1d2e3f4a5b',
    approved: true,
    response_code: '00',
    authorization_code: '123456',
  },
}
