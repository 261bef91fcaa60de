import type { PaymentFailure } from '@mintmark/contract/states'
import type { PaymentView } from '@mintmark/contract/wire/surface'

/** What became of the money, as far as it is certain. */
export type MoneyState = 'toPay' | 'inProgress' | 'approved' | 'paid' | 'notCharged' | 'notCompleted'

/** After these nothing was charged, for certain. After the others only the merchant may know. */
const CERTAIN: Record<PaymentFailure, boolean> = {
  SESSION_EXPIRED: true,
  SESSION_REVOKED: true,
  CANCELLED: true,
  // The approval may have been used without a report.
  MANDATE_EXPIRED: false,
  // The merchant's word.
  PAYMENT_DECLINED: false,
  CARD_DECLINED: true,
  THRESHOLD_EXCEEDED: true,
  // Used before.
  MAX_CHARGES_EXCEEDED: false,
  AGENT_LIMIT_EXCEEDED: true,
  OWNER_DENIED: true,
  OWNER_TIMEOUT: true,
  DELIVERY_REFUSED: true,
  // The credential may have been used without a report.
  REPORT_TIMEOUT: false,
  CREDENTIAL_LAPSED: true,
  INSUFFICIENT_FUNDS: true,
  MERCHANT_PREPARE_FAILED: true,
  // A person's word.
  MERCHANT_ACTION_REQUIRED: false,
  PAYMENT_FAILED: true,
}

type Known = Pick<PaymentView, 'step' | 'outcome' | 'failure' | 'payment'>

export function moneyState({ step, outcome, failure, payment }: Known): MoneyState {
  if (step === 'processing') return 'inProgress'
  if (step !== 'done') return 'toPay'
  if (outcome === 'approved') return payment.bought_here ? 'paid' : 'approved'
  if (outcome !== 'failed') return outcome === null ? 'notCompleted' : 'notCharged'
  const code = failure?.code
  // A code of a later version claims nothing.
  return code !== undefined && Object.hasOwn(CERTAIN, code) && CERTAIN[code] ? 'notCharged' : 'notCompleted'
}
