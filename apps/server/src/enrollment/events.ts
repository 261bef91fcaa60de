import type {
  EnrolledPasskey,
  EnrollmentError,
  EnrollmentEventData,
  EventType,
  FailureCategory,
} from '@mintmark/contract'
import type { Captured } from '../db/command.ts'

export type EnrollmentEventType = Extract<EventType, `card_enrollment.${string}`>

/** What is said of an enrollment when it ends: what its event is made of. */
export interface EnrollmentFacts {
  merchantId: string
  sessionId: string
  consentGiven: boolean
  /** The card, once the network has accepted it. */
  card: { id: string; last4: string; brand: string | null; expMonth: number; expYear: number } | null
}

const STATUS_OF = {
  'card_enrollment.completed': 'completed',
  'card_enrollment.failed': 'failed',
  'card_enrollment.cancelled': 'cancelled',
  'card_enrollment.expired': 'expired',
} as const satisfies Record<EnrollmentEventType, string>

/** Why an enrollment came to nothing, for readers who count. */
const FAILURE_CATEGORIES: Partial<Record<EnrollmentError, FailureCategory>> = {
  CARD_DECLINED: 'card_declined',
  CARD_EXPIRED: 'card_declined',
  CARD_NUMBER_INVALID: 'card_declined',
  SESSION_REVOKED: 'revoked',
}

/** How an enrollment ended. It ends once, so this is the one event of the resource. */
export function enrollmentEvent<Type extends EnrollmentEventType>(
  type: Type,
  { merchantId, sessionId, consentGiven, card }: EnrollmentFacts,
  { passkey = null, error = null }: { passkey?: EnrolledPasskey | null; error?: EnrollmentError | null } = {},
): Captured<Type> {
  const provisioned = card === null ? 'not_started' : 'card_provisioned'
  const data: EnrollmentEventData = {
    session_id: sessionId,
    status: STATUS_OF[type],
    outcome: type === 'card_enrollment.completed' ? 'fully_enrolled' : provisioned,
    card_id: card?.id ?? null,
    passkey,
    consent_status: consentGiven ? 'provided' : 'not_provided',
    card: card && { last4: card.last4, brand: card.brand, exp_month: card.expMonth, exp_year: card.expYear },
    failure_category: categoryOf(type, error),
  }
  return { merchantId, type, resource: { type: 'card_enrollment', id: sessionId, version: 1 }, data }
}

function categoryOf(type: EnrollmentEventType, error: EnrollmentError | null): FailureCategory | null {
  if (type === 'card_enrollment.expired') return 'expired'
  if (type === 'card_enrollment.cancelled') return 'cancelled'
  return error === null ? null : (FAILURE_CATEGORIES[error] ?? 'refused')
}
