import type { BrandedNames } from '@mintmark/contract'
import { cardInactive, cardNotFound } from '../cards/errors.ts'
import { type Route, route } from '../http/route.ts'
import { allowanceExhausted, configMissing, merchantLookupFailed } from '../merchants/errors.ts'
import { fieldErrors } from '../platform/errors.ts'
import { amountFromMinor, amountProblem, minorFromAmount } from '../platform/money.ts'
import {
  alreadyReported,
  confirmationFailed,
  mandateExpired,
  mandateSetupNotImplemented,
  noTransactionAwaiting,
  notRevocable,
  productNotFound,
  quoteNotFound,
  reportStatusError,
  sessionCreateError,
  sessionNotFound,
  simulationNotAllowed,
  transactionNotFound,
} from './errors.ts'
import type { Report, SessionService } from './service.ts'
import {
  CreateSessionBody,
  CreateSessionResponse,
  PaymentResult,
  ReportStatusBody,
  RevokeResponse,
  reportStatusResponse,
  SessionParams,
  toWirePaymentResult,
} from './wire.ts'

export function sessionRoutes(sessions: SessionService, brand: BrandedNames): Route[] {
  return [createRoute(sessions), resultRoute(sessions), reportRoute(sessions, brand), revokeRoute(sessions)]
}

function createRoute(sessions: SessionService): Route {
  return route({
    method: 'POST',
    path: '/v1/sessions',
    operationId: 'createSession',
    summary: 'Create a payment session',
    description: 'One purchase by one customer. The cardholder approves it at `iframe_url`; poll the payment result.',
    tag: 'Sessions',
    auth: 'secret_key',
    rateLimit: 'merchant',
    body: CreateSessionBody,
    status: 201,
    response: CreateSessionResponse,
    noStore: true,
    errors: [
      allowanceExhausted,
      merchantLookupFailed,
      configMissing,
      cardNotFound,
      cardInactive,
      simulationNotAllowed,
      quoteNotFound,
      mandateSetupNotImplemented,
      sessionCreateError,
    ],
    async handler({ caller, body }) {
      const created = await sessions.create(caller.merchantId, body)
      return {
        session_id: created.sessionId,
        session_token: created.sessionToken,
        iframe_url: created.iframeUrl,
        order_id: created.orderId,
        expires_at: created.expiresAt.toISOString(),
      }
    },
  })
}

function resultRoute(sessions: SessionService): Route {
  return route({
    method: 'GET',
    path: '/v1/sessions/:sessionId/payment-result',
    operationId: 'getPaymentResult',
    summary: 'Read the payment result',
    description:
      'Poll while the status is `pending` or `processing`. Credentials are present only in `awaiting_result`.',
    tag: 'Sessions',
    auth: 'secret_key',
    rateLimit: 'merchant',
    params: SessionParams,
    status: 200,
    response: PaymentResult,
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
    operationId: 'reportStatus',
    summary: 'Report the outcome of a checkout',
    description: 'Erases the credential and tells the card network. The same report again answers the first result.',
    tag: 'Sessions',
    auth: 'secret_key',
    rateLimit: 'merchant',
    params: SessionParams,
    body: ReportStatusBody,
    status: 200,
    response: reportStatusResponse(brand.confirmationField),
    noStore: true,
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
      const result = await sessions.report({ merchantId: caller.merchantId, ...params }, fromWireReport(body))
      return {
        status: 'confirmed',
        txn_ref_id: result.txnRefId,
        txn_status: result.outcome,
        [brand.confirmationField]: result.confirmation,
      }
    },
  })
}

function revokeRoute(sessions: SessionService): Route {
  return route({
    method: 'POST',
    path: '/v1/sessions/:sessionId/revoke',
    operationId: 'revokeSession',
    summary: 'Revoke a session',
    description: 'Possible until a credential exists. The cardholder can do nothing with the session afterwards.',
    tag: 'Sessions',
    auth: 'secret_key',
    rateLimit: 'merchant',
    params: SessionParams,
    status: 200,
    response: RevokeResponse,
    noStore: true,
    errors: [sessionNotFound, notRevocable],
    async handler({ caller, params }) {
      await sessions.revoke({ merchantId: caller.merchantId, ...params })
      return { success: true }
    },
  })
}

function fromWireReport(body: ReportStatusBody): Report {
  return {
    txnRefId: body.txn_ref_id,
    outcome: body.txn_status,
    type: body.txn_type ?? 'PURCHASE',
    authorizationCode: body.authorization_code ?? null,
    responseCode: body.response_code ?? null,
    paidMinor: body.amount_paid === undefined ? null : paid(body.amount_paid, 'amount_paid'),
    productStatuses: (body.product_statuses ?? []).map((product, index) => {
      const path = `product_statuses[${index}]`
      if (product.product_id === undefined && product.product_ref_id === undefined) {
        throw fieldErrors({ [path]: 'must have product_id or product_ref_id' })
      }
      return {
        status: product.status,
        ...(product.product_id === undefined ? {} : { productId: product.product_id }),
        ...(product.product_ref_id === undefined ? {} : { productRefId: product.product_ref_id }),
        ...(product.amount_paid === undefined
          ? {}
          : { paid: amountFromMinor(paid(product.amount_paid, `${path}.amount_paid`)) }),
      }
    }),
  }
}

function paid(amount: string, path: string): bigint {
  const problem = amountProblem(amount)
  if (problem !== null) throw fieldErrors({ [path]: problem })
  return minorFromAmount(amount)
}
