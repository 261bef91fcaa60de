import {
  type BrandedNames,
  type Confirmation,
  PAYMENT_FAILURES,
  type PaymentFailure,
  SETUP_FAILURES,
  type SessionStatus,
  type StoredProduct,
  TRANSACTION_STATUS_OF,
} from '@mintmark/contract'
import type { ErrorFact, PaymentResult, ResultProduct } from '@mintmark/contract/wire/payment-result'
import type {
  CreateSessionResponse,
  ReportedProduct,
  ReportStatusBody,
  ReportStatusResponse,
} from '@mintmark/contract/wire/sessions'
import { merchantStatusOf } from '../checkout/purchases/service.ts'
import type { ErrorDetails } from '../platform/errors.ts'
import { isRecord, valueAt } from '../platform/json.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import { optionalReference } from '../platform/text.ts'
import type { WireCredential } from '../vault/service.ts'
import type { ProductStatus, SessionReport } from './report.ts'
import { LINE_ITEM_STATUS_OF, standingOfPayment } from './rules.ts'
import { type CreatedSession, type PaymentSession, type SetupSession, standingOf } from './service.ts'

export function toWireCreated(created: CreatedSession): CreateSessionResponse {
  return {
    session_id: created.sessionId,
    session_token: created.sessionToken,
    iframe_url: created.iframeUrl,
    order_id: created.orderId,
    expires_at: created.expiresAt.toISOString(),
    ...(created.mandateId !== null && authorizeOnly(created.mandateId)),
  }
}

/** What a session that sets up a mandate says more, from its creation on. */
export function authorizeOnly(mandateId: string) {
  return { authorizeOnly: true, mandate_id: mandateId } as const
}

function errorFact(code: PaymentFailure | null): { error?: ErrorFact } {
  return code === null ? {} : { error: { code, message: PAYMENT_FAILURES[code] } }
}

function toWireProduct(product: StoredProduct): ResultProduct {
  return {
    product_ref_id: product.ref,
    external_product_id: product.externalId,
    name: product.name,
    unit_price: product.unitPrice,
    quantity: product.quantity,
  }
}

/** A payment result as the merchant reads it; `credential` only while the session awaits its report. */
export function toWirePaymentResult(
  session: PaymentSession | SetupSession,
  credential: WireCredential | null,
): PaymentResult {
  if (session.kind !== 'payment') return toWireSetup(session)
  return session.quoteId === null ? toWirePayment(session, credential) : toWireQuoted(session)
}

/** What the service itself buys: how it stands, and nothing to pay with. */
function toWireQuoted(session: PaymentSession): PaymentResult {
  const { id, orderId, chargeId, cardId, chargeStatus } = session
  const { status, failure, observed } = standingOfPayment(session)
  const transactionStatus = status === 'completed' ? status : TRANSACTION_STATUS_OF[chargeStatus]
  return {
    session_id: id,
    order_id: orderId,
    status,
    transactions: [{ txn_id: chargeId, card_id: cardId, status: transactionStatus }],
    ...errorFact(failure),
    ...merchantResult(session, status),
    ...(observed !== null && { observed_result: { status: observed.status, ...errorFact(observed.failure) } }),
  }
}

/** For a session whose cardholder has approved. What is shown as completed is shown as paid. */
function merchantResult(session: PaymentSession, status: SessionStatus): Pick<PaymentResult, 'merchant_res'> {
  const { purchaseState: state, purchaseUnknownSince: unknownSince, orderRef } = session
  if (state === null) return {}
  const shown = status === 'completed' ? 'paid' : merchantStatusOf({ state, unknownSince })
  return { merchant_res: { status: shown, ...(orderRef !== null && { orderId: orderRef }) } }
}

/** Nothing is paid by a setup: it has no transaction. */
function toWireSetup(session: SetupSession): PaymentResult {
  const { status } = standingOf(session)
  const { setupFailure: failure } = session
  return {
    session_id: session.id,
    order_id: session.orderId,
    status,
    ...authorizeOnly(session.mandateId),
    transactions: [],
    ...(failure !== null && { error: { code: failure, message: SETUP_FAILURES[failure] } }),
  }
}

function toWirePayment(session: PaymentSession, credential: WireCredential | null): PaymentResult {
  const { status } = standingOf(session)
  const error = errorFact(session.failure)
  return {
    session_id: session.id,
    order_id: session.orderId,
    status,
    transactions: [
      {
        txn_id: session.chargeId,
        card_id: session.cardId,
        status: TRANSACTION_STATUS_OF[session.chargeStatus],
        line_items: [
          {
            txn_ref_id: session.lineItemId,
            merchant_name: session.payeeName,
            merchant_url: session.payeeUrl,
            total_amount: amountFromMinor(session.amountMinor),
            status: LINE_ITEM_STATUS_OF[session.chargeStatus],
            token: credential?.token ?? null,
            dynamic_cvv: credential?.dynamic_cvv ?? null,
            expiry_month: credential?.expiry_month ?? null,
            expiry_year: credential?.expiry_year ?? null,
            products: session.products.map(toWireProduct),
            ...error,
          },
        ],
        ...error,
      },
    ],
    ...error,
  }
}

/** What the schema of a report cannot say. Takes any value. */
export function reportProblems(body: unknown): ErrorDetails {
  const statuses = valueAt(body, 'product_statuses')
  const problems: ErrorDetails = {}
  for (const [index, one] of (Array.isArray(statuses) ? statuses : []).entries()) {
    if (!isRecord(one) || one.product_id || one.product_ref_id !== undefined) continue
    problems[`product_statuses[${index}]`] = 'must have product_id or product_ref_id'
  }
  return problems
}

export function fromWireReport(body: ReportStatusBody): SessionReport {
  return {
    lineItemId: body.txn_ref_id,
    outcome: body.txn_status,
    type: body.txn_type ?? 'PURCHASE',
    authorizationCode: optionalReference(body.authorization_code),
    responseCode: optionalReference(body.response_code),
    paidMinor: fromWirePaid(body.amount_paid),
    productStatuses: (body.product_statuses ?? []).map(fromWireReportedProduct),
  }
}

function fromWireReportedProduct(product: ReportedProduct): ProductStatus {
  return {
    productId: optionalReference(product.product_id),
    productRefId: product.product_ref_id ?? null,
    status: product.status,
    paidMinor: fromWirePaid(product.amount_paid),
  }
}

/** Whether the amount may have a fraction is seen later: the currency is the session's. */
function fromWirePaid(amount: string | undefined): bigint | null {
  return amount === undefined ? null : minorFromAmount(amount)
}

export function toWireReported(
  { lineItemId, outcome }: SessionReport,
  confirmation: Confirmation,
  brand: BrandedNames,
): ReportStatusResponse {
  const body: ReportStatusResponse = { status: 'confirmed', txn_ref_id: lineItemId, txn_status: outcome }
  body[brand.confirmationField] = confirmation
  return body
}
