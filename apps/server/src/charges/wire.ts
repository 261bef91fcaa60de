import { type BrandedNames, PAYMENT_FAILURES, type PaymentFailure, TRANSACTION_STATUS_OF } from '@mintmark/contract'
import type {
  ChargeBody,
  ChargePurchase,
  ChargeReportBody,
  ChargeReportResponse,
  ChargeResponse,
} from '@mintmark/contract/wire/charges'
import type { ShownEscalation } from '../escalations/service.ts'
import type { ChargingCaller } from '../mandates/credential.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import { optionalReference } from '../platform/text.ts'
import { payloadOf } from '../vault/payload.ts'
import type { WireCredential } from '../vault/service.ts'
import {
  type ChargeAnswer,
  type ChargeRequest,
  fromWirePayee,
  fromWireProducts,
  type LimitDetails,
  type StandingReport,
  type StandingReported,
} from './service.ts'

/** How long a credential lives whose charge does not say. */
const LIFE_MINUTES = 1_440

export function fromWireCharge(body: ChargeBody, isDry: boolean, caller: ChargingCaller): ChargeRequest {
  const { purchase } = purchaseIn(body)
  return {
    amountMinor: minorFromAmount(body.amount),
    reference: optionalReference(body.reference),
    lifeMinutes: purchase?.effective_until_minutes ?? LIFE_MINUTES,
    payee: purchase?.merchant_details === undefined ? null : fromWirePayee(purchase.merchant_details),
    products: fromWireProducts(purchase?.product_details ?? []),
    fractions: fractionsIn(body),
    isDry,
    agent: 'agentId' in caller ? caller : null,
    delivery: body.delivery === undefined ? null : { sessionId: body.delivery.checkout_session_id },
  }
}

/** The one purchase, bare or wrapped as in a session, and the path that leads to it. */
function purchaseIn({ purchase_context: [entry] = [] }: ChargeBody): {
  purchase?: ChargePurchase | undefined
  at: string
} {
  const at = 'purchase_context[0]'
  return entry !== undefined && 'custom' in entry
    ? { purchase: entry.custom, at: `${at}.custom` }
    : { purchase: entry, at }
}

/** The paths of all amounts with a fraction. */
function fractionsIn(body: ChargeBody): string[] {
  const { amount } = body
  const { purchase, at } = purchaseIn(body)
  const prices = (purchase?.product_details ?? []).map(({ unit_price }, index) => {
    return [`${at}.product_details[${index}].unit_price`, unit_price] as const
  })
  const parts = Object.entries(purchase?.summary ?? {}).map(([part, text]) => [`${at}.summary.${part}`, text] as const)
  return [['amount', amount] as const, ...prices, ...parts]
    .filter(([, text]) => minorFromAmount(text) % 100n !== 0n)
    .map(([path]) => path)
}

/** A merchant gets the credential, an agent what it alone can open. */
export function toWireCharge(charge: ChargeAnswer, isDry: boolean, caller: ChargingCaller): ChargeResponse {
  const { failure, limit, escalation, duplicateOf } = charge
  return {
    mandateId: charge.mandateId,
    instructionId: charge.instructionRef,
    transactionId: charge.chargeId,
    orderId: charge.orderId,
    status: TRANSACTION_STATUS_OF[charge.status],
    fetchStatus: charge.status === 'failed' ? 'FAILURE' : 'SUCCESS',
    ...toWireCredential(charge, caller),
    ...(charge.delivery !== null && { delivery: toWireDelivery(charge.delivery) }),
    expiresAt: charge.expiresAt?.toISOString() ?? null,
    errorCode: failure,
    errorMessage: failure === null ? null : `${failure}: ${failureWords(failure, limit)}`,
    deduplicated: charge.isDeduplicated,
    amount: amountFromMinor(charge.amountMinor),
    currency: charge.currency,
    ...(limit !== null && { details: toWireLimit(limit) }),
    ...(escalation !== null && {
      escalation: toWireEscalation(escalation),
    }),
    ...(duplicateOf !== null && { possible_duplicate_of: duplicateOf }),
    ...(isDry && { dryRun: true }),
  }
}

/** For a limit its words alone are told, and before them what the owner has said. */
function failureWords(failure: PaymentFailure, limit: LimitDetails | null): string {
  if (limit === null) return PAYMENT_FAILURES[failure]
  const isOwners = failure === 'OWNER_DENIED' || failure === 'OWNER_TIMEOUT'
  return isOwners ? `${PAYMENT_FAILURES[failure]} ${limit.words}` : limit.words
}

function toWireCredential({ credential, chargeId, mandateId }: ChargeAnswer, caller: ChargingCaller) {
  if (credential === null || chargeId === null) return { credentials: null }
  if (!('recipient' in caller)) return { credentials: toWireCredentials(credential) }
  const payload = payloadOf(credential, { mandateId, transactionId: chargeId }, caller.recipient)
  return { credentials: null, encrypted_payload: payload }
}

function toWireDelivery({ sessionId, token }: NonNullable<ChargeAnswer['delivery']>) {
  const issued = token === null ? {} : { token: token.shop_token, handler_id: token.handler_id }
  return { type: 'acp' as const, checkout_session_id: sessionId, ...issued }
}

function toWireEscalation({ id, status, expiresAt, url }: ShownEscalation): NonNullable<ChargeResponse['escalation']> {
  return { id, status, expires_at: expiresAt.toISOString(), url }
}

function toWireLimit({ limit, left, renewsAt, canAsk }: LimitDetails): NonNullable<ChargeResponse['details']> {
  return { limit, left, renews_at: renewsAt?.toISOString() ?? null, can_ask: canAsk }
}

function toWireCredentials(credential: WireCredential): NonNullable<ChargeResponse['credentials']> {
  return {
    token: credential.token,
    dynamicCvv: credential.dynamic_cvv,
    expiryMonth: credential.expiry_month,
    expiryYear: credential.expiry_year,
  }
}

export function fromWireChargeReport(body: ChargeReportBody): StandingReport {
  return {
    outcome: body.txn_status,
    type: body.txn_type,
    authorizationCode: optionalReference(body.authorization_code),
    responseCode: optionalReference(body.response_code),
    paidMinor: body.amount_paid === undefined ? null : minorFromAmount(body.amount_paid),
  }
}

export function toWireChargeReported(reported: StandingReported, brand: BrandedNames): ChargeReportResponse {
  const body: ChargeReportResponse = {
    mandateId: reported.mandateId,
    transactionId: reported.chargeId,
    orderId: reported.orderId,
    status: reported.outcome === 'APPROVED' ? 'completed' : 'failed',
    mandateStatus: reported.mandateStatus,
  }
  body[brand.confirmationFieldCamel] = reported.confirmation
  return body
}
