import type { BrandedNames } from '@mintmark/contract'
import {
  AgentPaymentResult,
  AgentSessionList,
  CreateAgentSessionBody,
  CreateAgentSessionResponse,
  ListAgentSessionsQuery,
} from '@mintmark/contract/wire/agent-sessions'
import { ReportStatusBody, reportStatusResponse, SessionParams } from '@mintmark/contract/wire/sessions'
import { agentKey, perAgent, reportingAgentKey } from '../agents/credential.ts'
import { shownBy } from '../db/respond-once.ts'
import { CREATION_KEY } from '../http/idempotency.ts'
import { type Route, route } from '../http/route.ts'
import { allowanceExhausted, configMissing, merchantLookupFailed } from '../merchants/errors.ts'
import type { Clock } from '../platform/clock.ts'
import {
  alreadyReported,
  confirmationFailed,
  mandateExpired,
  noTransactionAwaiting,
  productNotFound,
  recurringMustBeScoped,
  reportStatusError,
  sessionCreateError,
  sessionNotFound,
  transactionNotFound,
} from './errors.ts'
import { REPORT_BODY } from './examples.ts'
import { AGENT_CREATE_EXAMPLE, AGENT_LIST_EXAMPLE, AGENT_RESULT_EXAMPLE } from './examples-of-agents.ts'
import type { AskedSession, SessionService } from './service.ts'
import { fromWireReport, reportProblems, toWireReported } from './wire.ts'
import {
  agentSessionProblems,
  fromWireAgentSession,
  fromWirePage,
  toWireAgentResult,
  toWireAgentSession,
  toWireAgentSessions,
} from './wire-of-agents.ts'

// Only in the sandbox, as long as agents are.
const COMMON = { tag: 'Agents', noStore: true, auth: [agentKey], limit: perAgent } as const

export function agentSessionRoutes(sessions: SessionService, clock: Clock, brand: BrandedNames): Route[] {
  return [createRoute(sessions, clock), listRoute(sessions), resultRoute(sessions), reportRoute(sessions, brand)]
}

function createRoute(sessions: SessionService, clock: Clock): Route {
  return route({
    ...COMMON,
    method: 'POST',
    path: '/v1/sessions/agent',
    operationId: 'createAgentSession',
    begins: true,
    summary: 'Ask your owner to approve a purchase',
    description:
      'One purchase, or with `mandate_setup` a standing mandate, which the owner may make smaller. Show `approval` as it is and give your ' +
      'owner `payment_url`; then poll the payment result.',
    idempotencyKey: CREATION_KEY,
    body: CreateAgentSessionBody,
    check: (body) => agentSessionProblems(body, clock.now()),
    status: 201,
    response: CreateAgentSessionResponse,
    example: AGENT_CREATE_EXAMPLE,
    errors: [allowanceExhausted, merchantLookupFailed, configMissing, recurringMustBeScoped, sessionCreateError],
    async handler({ caller, body, once }) {
      const request = fromWireAgentSession(body)
      const show = (created: AskedSession) => toWireAgentSession(created, request)
      if (once.isNamed) return sessions.createForAgentOnce(caller, request, shownBy(once, show))
      return show(await sessions.createForAgent(caller, request))
    },
  })
}

function listRoute(sessions: SessionService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/agents/sessions',
    operationId: 'listAgentSessions',
    summary: 'List your sessions',
    description:
      'All that you have asked your owner for, newest first. One that waits has its `payment_url`, also where the answer that had it first was lost.',
    query: ListAgentSessionsQuery,
    status: 200,
    response: AgentSessionList,
    example: AGENT_LIST_EXAMPLE,
    errors: [],
    async handler({ caller, query }) {
      return toWireAgentSessions(await sessions.listSessions(caller, fromWirePage(query)))
    },
  })
}

function resultRoute(sessions: SessionService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/sessions/agent/:sessionId/payment-result',
    goesOn: true,
    operationId: 'getAgentPaymentResult',
    summary: 'Read how your session stands',
    description:
      'Poll while the status is `pending` or `processing`. In `awaiting_result` it holds the virtual card, encrypted to your key.',
    params: SessionParams,
    status: 200,
    response: AgentPaymentResult,
    example: AGENT_RESULT_EXAMPLE,
    errors: [sessionNotFound],
    async handler({ caller, params }) {
      const { merchantId, agentId, recipient } = caller
      const { session, credential } = await sessions.result({ merchantId, agentId, ...params })
      return toWireAgentResult(session, credential, recipient)
    },
  })
}

function reportRoute(sessions: SessionService, brand: BrandedNames): Route {
  return route({
    ...COMMON,
    method: 'POST',
    path: '/v1/sessions/agent/:sessionId/report-status',
    goesOn: true,
    auth: [reportingAgentKey],
    operationId: 'reportAgentStatus',
    summary: 'Report the outcome of your purchase',
    description: 'Erases the credential and tells the card network. The same report again returns the first result.',
    params: SessionParams,
    body: ReportStatusBody,
    check: reportProblems,
    status: 200,
    response: reportStatusResponse(brand.confirmationField),
    example: { body: REPORT_BODY, response: toWireReported(fromWireReport(REPORT_BODY), 'SUCCESS', brand) },
    errors: [
      sessionNotFound,
      transactionNotFound,
      noTransactionAwaiting,
      alreadyReported,
      mandateExpired,
      productNotFound,
      confirmationFailed,
      reportStatusError,
    ],
    async handler({ caller, params, body }) {
      const { merchantId, agentId } = caller
      const report = fromWireReport(body)
      const { confirmation } = await sessions.report({ merchantId, agentId, ...params }, report)
      return toWireReported(report, confirmation, brand)
    },
  })
}
