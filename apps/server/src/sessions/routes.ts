import type { BrandedNames } from '@mintmark/contract'
import { PaymentResult } from '@mintmark/contract/wire/payment-result'
import {
  CreateSessionBody,
  CreateSessionResponse,
  ReportStatusBody,
  RevokeResponse,
  reportStatusResponse,
  SessionParams,
} from '@mintmark/contract/wire/sessions'
import { cardInactive, cardNotFound } from '../cards/errors.ts'
import {
  merchantUnavailable,
  quoteAlreadyUsed,
  quoteAmountMismatch,
  quoteExpired,
  quoteNotFound,
} from '../checkout/quotes/errors.ts'
import { shownBy } from '../db/respond-once.ts'
import { CREATION_KEY } from '../http/idempotency.ts'
import { type Route, route } from '../http/route.ts'
import { perMerchant, secretKey } from '../merchants/credential.ts'
import { allowanceExhausted, configMissing, merchantLookupFailed } from '../merchants/errors.ts'
import type { Clock } from '../platform/clock.ts'
import {
  alreadyReported,
  confirmationFailed,
  mandateExpired,
  noTransactionAwaiting,
  notRevocable,
  productNotFound,
  recurringMustBeScoped,
  reportedByService,
  reportStatusError,
  sessionCreateError,
  sessionNotFound,
  simulationNotAllowed,
  transactionNotFound,
} from './errors.ts'
import { CREATE_EXAMPLE, REPORT_BODY, RESULT_EXAMPLE } from './examples.ts'
import { fromWireCreate } from './purchase.ts'
import { createProblems } from './purchase-problems.ts'
import type { SessionService } from './service.ts'
import { fromWireReport, reportProblems, toWireCreated, toWirePaymentResult, toWireReported } from './wire.ts'

export function sessionRoutes(sessions: SessionService, clock: Clock, brand: BrandedNames): Route[] {
  return [createRoute(sessions, clock), resultRoute(sessions), reportRoute(sessions, brand), revokeRoute(sessions)]
}

function createRoute(sessions: SessionService, clock: Clock): Route {
  return route({
    method: 'POST',
    path: '/v1/sessions',
    operationId: 'createSession',
    begins: true,
    summary: 'Create a payment session',
    description:
      'One purchase by one customer, or with `mandate_setup` one standing mandate. The cardholder approves it at `iframe_url`; ' +
      'poll the payment result. With a quote the service itself buys right after the approval; a quote is used by its session, ' +
      'however that ends, and cannot set up a mandate.',
    idempotencyKey: CREATION_KEY,
    tag: 'Sessions',
    auth: [secretKey],
    limit: perMerchant,
    body: CreateSessionBody,
    check: (body) => createProblems(body, clock.now()),
    status: 201,
    response: CreateSessionResponse,
    example: CREATE_EXAMPLE,
    noStore: true,
    errors: [
      allowanceExhausted,
      merchantLookupFailed,
      configMissing,
      cardNotFound,
      cardInactive,
      simulationNotAllowed,
      quoteNotFound,
      quoteExpired,
      quoteAlreadyUsed,
      quoteAmountMismatch,
      merchantUnavailable,
      recurringMustBeScoped,
      sessionCreateError,
    ],
    async handler({ caller: { merchantId }, body, once }) {
      const request = fromWireCreate(body)
      if (once.isNamed) return sessions.createOnce(merchantId, request, shownBy(once, toWireCreated))
      return toWireCreated(await sessions.create(merchantId, request))
    },
  })
}

function resultRoute(sessions: SessionService): Route {
  return route({
    method: 'GET',
    path: '/v1/sessions/:sessionId/payment-result',
    goesOn: true,
    operationId: 'getPaymentResult',
    summary: 'Read the payment result',
    description:
      'Poll while the status is `pending` or `processing`. Credentials are present only in `awaiting_result`.',
    tag: 'Sessions',
    auth: [secretKey],
    limit: perMerchant,
    params: SessionParams,
    status: 200,
    response: PaymentResult,
    example: RESULT_EXAMPLE,
    noStore: true,
    errors: [sessionNotFound],
    async handler({ caller, params }) {
      const { session, credential } = await sessions.result({ merchantId: caller.merchantId, ...params })
      return toWirePaymentResult(session, credential)
    },
  })
}

function reportRoute(sessions: SessionService, brand: BrandedNames): Route {
  return route({
    method: 'POST',
    path: '/v1/sessions/:sessionId/report-status',
    goesOn: true,
    operationId: 'reportStatus',
    summary: 'Report the outcome of a checkout',
    description: 'Erases the credential and tells the card network. The same report again returns the first result.',
    tag: 'Sessions',
    auth: [secretKey],
    limit: perMerchant,
    params: SessionParams,
    body: ReportStatusBody,
    check: reportProblems,
    status: 200,
    response: reportStatusResponse(brand.confirmationField),
    example: { body: REPORT_BODY, response: toWireReported(fromWireReport(REPORT_BODY), 'SUCCESS', brand) },
    noStore: true,
    errors: [
      sessionNotFound,
      transactionNotFound,
      noTransactionAwaiting,
      alreadyReported,
      reportedByService,
      mandateExpired,
      productNotFound,
      confirmationFailed,
      reportStatusError,
    ],
    async handler({ caller, params, body }) {
      const report = fromWireReport(body)
      const { confirmation } = await sessions.report({ merchantId: caller.merchantId, ...params }, report)
      return toWireReported(report, confirmation, brand)
    },
  })
}

function revokeRoute(sessions: SessionService): Route {
  return route({
    method: 'POST',
    path: '/v1/sessions/:sessionId/revoke',
    goesOn: true,
    operationId: 'revokeSession',
    summary: 'Revoke a session',
    description: 'Possible until a credential exists. The cardholder can do nothing with the session afterwards.',
    tag: 'Sessions',
    auth: [secretKey],
    limit: perMerchant,
    params: SessionParams,
    status: 200,
    response: RevokeResponse,
    example: { response: { success: true } },
    noStore: true,
    errors: [sessionNotFound, notRevocable],
    async handler({ caller, params }) {
      await sessions.revoke({ merchantId: caller.merchantId, ...params })
      return { success: true }
    },
  })
}
