import type { CHARGE_LIMITS } from '../agents.ts'
import type { PaymentFailure } from '../states.ts'

/** Why an agent's charge was answered with an error, and is no charge at all. */
export const CHARGE_ERRORS = [
  'MANDATE_NOT_ACTIVE',
  'MANDATE_MERCHANT_NOT_ALLOWED',
  'NO_INSTRUCTION',
  'NO_ORDER',
  'NO_TOKEN',
] as const

/** What refused a charge: a failure, an error, or the limit behind `AGENT_LIMIT_EXCEEDED`. */
export type RefusalCause = PaymentFailure | (typeof CHARGE_ERRORS)[number]
export type RefusalLimit = (typeof CHARGE_LIMITS)[number]

/** One plain sentence, and the next thing to do. */
export interface RefusalWords {
  why: string
  next: string
}

export interface RefusalText {
  causes: Readonly<Record<RefusalCause, RefusalWords>>
  limits: Readonly<Record<RefusalLimit, RefusalWords>>
}

/** The limit says more than the failure that it led to. What is not known is told as a payment that was not made. */
export function refusalWords(text: RefusalText, cause: string | null, limit: RefusalLimit | null): RefusalWords {
  const isAnswered = cause === 'OWNER_DENIED' || cause === 'OWNER_TIMEOUT'
  if (limit !== null && !isAnswered) return text.limits[limit]
  return text.causes[cause as RefusalCause] ?? text.causes.PAYMENT_FAILED
}
