import type { Adjustment, ApprovalTerms, EnrollmentStatus, SurfaceOutcome } from '@mintmark/contract'
import type { VerifiedApproval } from '../approvals/service.ts'
import { rollback } from '../db/command.ts'
import { enrollmentEvent } from '../enrollment/service.ts'
import type { EnrollmentState } from '../enrollment/states.ts'
import { approveEnrollment } from './approve-store.ts'
import { approving } from './approving.ts'
import type { SessionDeps } from './deps.ts'
import type { Approved, SessionKind, SignedCard, TermsCard } from './kind.ts'
import type { ToSign } from './read.ts'
import { enrollmentSentence, type Telling } from './sentence.ts'
import type { EnrollmentSession } from './store.ts'

/**
 * A card to be enrolled, without an order: its subject is an enrollment. It is completed when a passkey is made with a card that
 * was proven in the session, or when the customer's own passkey is verified there. No credential comes of it.
 */
export const enrollment: SessionKind<EnrollmentSession> = {
  statusOf: ({ enrollmentState }) => STATUS_OF[enrollmentState ?? 'failed'],
  failureOf,
  outcomeOf,
  adjustmentProblems: (_, adjust) =>
    Object.keys(adjust).length === 0 ? {} : { adjust: 'is for standing permissions only' },
  termsOf,

  approve,

  async end({ enrollments }, change, { merchantId, id: sessionId }, ending) {
    const ref = { merchantId, sessionId }
    const ended =
      ending === 'revoked'
        ? await enrollments.end(change, ref, 'card_enrollment.failed', 'SESSION_REVOKED')
        : await enrollments.end(change, ref, `card_enrollment.${ending}`)
    return ended ?? rollback
  },

  catchUp: async () => false,
}

/** In the words of all sessions: whether something can still be done. Its own are `enrollmentStatusOf`. */
const STATUS_OF = {
  open: 'pending',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
} as const satisfies Record<EnrollmentState, string>

/** How an enrollment stands, on the wire. A try that has been in hand for too long was left by a process that died. */
export function enrollmentStatusOf(
  { enrollmentState: state, busyUntil }: Pick<EnrollmentSession, 'enrollmentState' | 'busyUntil'>,
  now: Date,
): EnrollmentStatus {
  if (state !== 'open') return state ?? 'failed'
  return busyUntil !== null && busyUntil > now ? 'processing' : 'requires_action'
}

function failureOf({ enrollmentState, enrollmentError }: EnrollmentSession) {
  switch (enrollmentState) {
    case 'expired':
      return 'SESSION_EXPIRED'
    case 'cancelled':
      return 'CANCELLED'
    case 'failed':
      return enrollmentError
    default:
      return null
  }
}

function outcomeOf({ enrollmentState: state, enrollmentError }: EnrollmentSession): SurfaceOutcome | null {
  switch (state) {
    case 'open':
      return null
    case 'completed':
      return 'approved'
    case 'failed':
    case null:
      return enrollmentError === 'SESSION_REVOKED' ? 'revoked' : 'failed'
    case 'cancelled':
    case 'expired':
      return state
  }
}

function termsOf(session: EnrollmentSession, card: TermsCard, _: Adjustment, told: Telling): ApprovalTerms {
  return {
    version: 1,
    type: 'card_enrollment',
    session_id: session.id,
    account_id: session.merchantId,
    customer_id: session.customerId,
    merchant_name: session.payeeName,
    card: { id: card.id, brand: card.brand, last4: card.last4 },
    approve_by: session.expiresAt.toISOString(),
    operator: told.operator,
    sentence: enrollmentSentence(session, told),
  }
}

/** What the event of a completed enrollment says, from what was read of it. */
export function factsOf({ merchantId, id: sessionId, consentGiven }: EnrollmentSession) {
  return { merchantId, sessionId, consentGiven }
}

/** The customer's own passkey was verified over this card. */
async function approve(
  deps: SessionDeps,
  session: ToSign<EnrollmentSession>,
  card: SignedCard,
  approval: VerifiedApproval,
): Promise<Approved | undefined> {
  const passkey = 'existing'
  const completing = enrollmentEvent('card_enrollment.completed', { ...factsOf(session), card }, { passkey })
  const closedAt = await approving(deps, { session, card, approval, silent: 'statement' }, async ({ on, at }) => {
    const { merchantId, id: sessionId } = session
    const { resourceId: _, ...event } = deps.events.prepare({ on, at }, completing)
    await approveEnrollment(on, { ...event, merchantId, sessionId, cardId: card.id, enrolledPasskey: passkey, at })
    return at
  })
  if (closedAt === undefined) return undefined
  return { finish: async () => completed(session, closedAt, passkey) }
}

/** The session as it is once it was completed. */
export function completed<S extends EnrollmentSession>(
  session: S,
  closedAt: Date,
  enrolledPasskey: NonNullable<EnrollmentSession['enrolledPasskey']>,
): S {
  const over = { closedAt, changedAt: closedAt, enrollmentError: null, busyUntil: null, saved: [] }
  return { ...session, ...over, enrollmentState: 'completed', enrolledPasskey }
}
