import type {
  Adjustment,
  ApprovalTerms,
  EnrollmentError,
  PaymentFailure,
  SessionStatus,
  SurfaceOutcome,
} from '@mintmark/contract'
import type { VerifiedApproval } from '../approvals/service.ts'
import type { Card } from '../cards/service.ts'
import type { Captured, Change, Rollback } from '../db/command.ts'
import type { ErrorDetails } from '../platform/errors.ts'
import type { SessionDeps } from './deps.ts'
import { enrollment } from './enrollment.ts'
import { mandateSetup } from './mandate-setup.ts'
import { payment } from './payment.ts'
import type { ToSign } from './read.ts'
import type { Telling } from './sentence.ts'
import type { Session } from './store.ts'

/** Why a session ends without having been used up. */
export type Ending = 'expired' | 'cancelled' | 'revoked'

export interface TermsCard {
  id: string
  brand: string | null
  last4: string
}

/** The card in the signed terms, with its seal checked. */
export type SignedCard = Card & { networkTokenRef: string }

/** An approval that is committed. */
export interface Approved {
  /** What follows the commit; returns the session as it is then, or null where that is to be read. */
  finish(): Promise<ToSign | null>
}

/** What the end of a session is to its readers: the event of its subject. */
export type EndingEvent = (typeof ENDING_EVENTS)[number]
export const ENDING_EVENTS = [
  'payment.failed',
  'mandate.creation_cancelled',
  'mandate.creation_expired',
  'card_enrollment.failed',
  'card_enrollment.cancelled',
  'card_enrollment.expired',
] as const

/** Why what a session was for came to nothing. */
export type SessionFailure = PaymentFailure | EnrollmentError

/** What a session is for. Launch, token, lifetime, revoke and cancel are the same for all kinds; this is the rest. */
export interface SessionKind<S extends Session = Session> {
  /** How it stands, from its subject. */
  statusOf(session: S): SessionStatus
  /** Why it failed, from its subject. */
  failureOf(session: S): SessionFailure | null
  /** What the cardholder is told once there is nothing more for them to do; null before. */
  outcomeOf(session: S): SurfaceOutcome | null
  /** What of the cardholder's own wishes cannot be, by its path in their request. */
  adjustmentProblems(session: S, adjust: Adjustment): ErrorDetails
  /**
   * What the cardholder is asked to approve with this card, with what they wish otherwise, as it is told to them. An issued
   * challenge keeps the terms from changing.
   */
  termsOf(session: S, card: TermsCard, adjust: Adjustment, told: Telling): ApprovalTerms
  /**
   * Closes the session, keeps the evidence and makes what was approved, from the terms that were signed, all or nothing. None:
   * the session, its card or the passkey moved on, and nothing was written.
   */
  approve(
    deps: SessionDeps,
    session: ToSign<S>,
    card: SignedCard,
    approval: VerifiedApproval,
  ): Promise<Approved | undefined>
  /** Ends the subject together with the session; returns its event. Rolls back when it cannot be ended any more. */
  end(deps: SessionDeps, change: Change, session: S, ending: Ending): Promise<Captured<EndingEvent> | Rollback>
  /** Carries out what time has brought to the subject. True: the session is to be read again. */
  catchUp(deps: SessionDeps, session: S): Promise<boolean>
}

const KINDS = { payment, mandate_setup: mandateSetup, enrollment } as const satisfies Record<Session['kind'], object>

export function kindOf({ kind }: Pick<Session, 'kind'>): SessionKind {
  return KINDS[kind]
}
