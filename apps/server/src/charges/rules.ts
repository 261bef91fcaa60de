import type { PaymentFailure } from '@mintmark/contract'
import type { DeclineReason } from '../network/port.ts'
import type { ReportedCharge } from './store.ts'

/** What a merchant reads when the network refuses to mint; every reason is named, so a new one does not compile. */
const FAILURES: Record<DeclineReason, PaymentFailure> = {
  CARD_NUMBER_INVALID: 'CARD_DECLINED',
  CARD_EXPIRED: 'CARD_DECLINED',
  CVV_MISMATCH: 'CARD_DECLINED',
  BIN_COUNTRY_NOT_ALLOWED: 'CARD_DECLINED',
  BIN_ISSUER_NOT_ALLOWED: 'CARD_DECLINED',
  CARD_DECLINED: 'CARD_DECLINED',
  STEP_UP_CODE_WRONG: 'CARD_DECLINED',
  STEP_UP_EXHAUSTED: 'CARD_DECLINED',
  DEVICE_BINDING_FAILED: 'CARD_DECLINED',
  TOKEN_NOT_ACTIVE: 'CARD_DECLINED',
  INSTRUCTION_NOT_ACTIVE: 'PAYMENT_FAILED',
  INSTRUCTION_EXPIRED: 'MANDATE_EXPIRED',
  CURRENCY_MISMATCH: 'PAYMENT_FAILED',
  MERCHANT_NOT_ALLOWED: 'PAYMENT_FAILED',
  MAX_CHARGES_EXCEEDED: 'MAX_CHARGES_EXCEEDED',
  THRESHOLD_EXCEEDED: 'THRESHOLD_EXCEEDED',
  NOT_FOUND: 'PAYMENT_FAILED',
  CONFIRMATION_REFUSED: 'PAYMENT_FAILED',
}

export function failureOf(reason: DeclineReason): PaymentFailure {
  return FAILURES[reason]
}

/** True when the time to report a credential is over, and it was not reported. */
export function isLapsed(
  charge: Pick<ReportedCharge, 'chargeStatus' | 'reportedOutcome' | 'lapsesAt'>,
  now: Date,
): boolean {
  const { chargeStatus, reportedOutcome, lapsesAt } = charge
  return chargeStatus === 'awaiting_result' && reportedOutcome === null && lapsesAt !== null && lapsesAt <= now
}
