import { type BrandedNames, type Confirmation, PAYMENT_FAILURES, type PaymentFailure } from '@mintmark/contract'
import type {
  CreateSessionResponse,
  ErrorFact,
  PaymentResult,
  ReportedProduct,
  ReportStatusBody,
  ReportStatusResponse,
  ResultProduct,
} from '@mintmark/contract/wire/sessions'
import type { StoredProduct } from '../charges/service.ts'
import { fieldErrors } from '../platform/errors.ts'
import { amountFromMinor, amountProblem, minorFromAmount } from '../platform/money.ts'
import type { WireCredential } from '../vault/service.ts'
import type { ProductStatus, SessionReport } from './report.ts'
import { LINE_ITEM_STATUS_OF, TRANSACTION_STATUS_OF } from './rules.ts'
import { type CreatedSession, type Session, standingOf } from './service.ts'

export function toWireCreated(created: CreatedSession): CreateSessionResponse {
  return {
    session_id: created.sessionId,
    session_token: created.sessionToken,
    iframe_url: created.iframeUrl,
    order_id: created.orderId,
    expires_at: created.expiresAt.toISOString(),
  }
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
export function toWirePaymentResult(session: Session, credential: WireCredential | null): PaymentResult {
  const { status, failure } = standingOf(session)
  const error = errorFact(failure)
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

/** The body of a report, parsed once. Throws `VAL_2001` with the fields that the schema cannot see. */
export function fromWireReport(body: ReportStatusBody): SessionReport {
  return {
    lineItemId: body.txn_ref_id,
    outcome: body.txn_status,
    type: body.txn_type ?? 'PURCHASE',
    authorizationCode: body.authorization_code ?? null,
    responseCode: body.response_code ?? null,
    paidMinor: fromWirePaid(body.amount_paid, 'amount_paid'),
    productStatuses: (body.product_statuses ?? []).map((product, index) =>
      fromWireReportedProduct(product, `product_statuses[${index}]`),
    ),
  }
}

function fromWireReportedProduct(product: ReportedProduct, path: string): ProductStatus {
  const { product_id: productId, product_ref_id: productRefId, amount_paid: paid, status } = product
  if (productId === undefined && productRefId === undefined) {
    throw fieldErrors({ [path]: 'must have product_id or product_ref_id' })
  }
  return { productId, productRefId, status, paidMinor: fromWirePaid(paid, `${path}.amount_paid`) }
}

/** Whether the amount may have a fraction is seen later: the currency is the session's. */
function fromWirePaid(amount: string | undefined, path: string): bigint | null {
  if (amount === undefined) return null
  const problem = amountProblem(amount)
  if (problem !== null) throw fieldErrors({ [path]: problem })
  return minorFromAmount(amount)
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
