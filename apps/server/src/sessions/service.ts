import { isDatabaseUnavailable } from '../db/errors.ts'
import { actionNotFound, statusUnsupported } from '../enrollment/errors.ts'
import { bound } from '../platform/bound.ts'
import { type DeclaredError, PublicError } from '../platform/errors.ts'
import type { WireCredential } from '../vault/service.ts'
import { createForAgent, createForAgentOnce, denyEscalation, openEscalation } from './agent.ts'
import { createQuotedForAgent } from './agent-quoted.ts'
import { approvalOptions, approve } from './approve.ts'
import { create, createOnce } from './create-any.ts'
import { createEnrollment, createEnrollmentOnce } from './create-enrollment.ts'
import type { OwnSessionRef, SessionDeps, SessionRef } from './deps.ts'
import { cancel, look, refresh, refreshOwn, revoke } from './end.ts'
import { reportStatusError, sessionCreateError, sessionNotFound } from './errors.ts'
import { extend } from './extend.ts'
import { chooseAgain, chooseCard, entryStore, launch, open, openWithCard, read } from './grant.ts'
import { endOfRevoked, expireDue } from './jobs.ts'
import { kindOf } from './kind.ts'
import { listSessions, listWaiting } from './list-of-agents.ts'
import { register, registrationOptions } from './register.ts'
import { report } from './report.ts'
import { deleteOldSessions } from './retention.ts'
import type { EnrollmentSession, PaymentSession, Session, SetupSession } from './store.ts'
import { beginTry, noting } from './tries.ts'

export type { AgentRequest, AskedSession } from './agent.ts'
export type { ReadingPage } from './approve.ts'
export type { CreatedSession } from './create.ts'
export type { CreatedEnrollment, EnrollmentRequest } from './create-enrollment.ts'
export type { SessionDeps } from './deps.ts'
export { enrollmentStatusOf } from './enrollment.ts'
export type { ListedSession, Place } from './list-of-agents.ts'
export { moreTimeFrom } from './more-time.ts'
export { callerOf, type SurfaceSession, type WithCard } from './read.ts'
export type { SessionReport } from './report.ts'
export { isOpen, isUsable, mayReplace, returnUrl } from './rules.ts'
export { agentTerms } from './sentence.ts'
export type { EnrollmentSession, PaymentSession, Session, SetupSession } from './store.ts'
export type { SurfaceCaller } from './token.ts'
export { findUse } from './use-store.ts'

/** How a session stands, from its subject. */
export const standingOf = (session: Session) => {
  const kind = kindOf(session)
  return {
    status: kind.statusOf(session),
    failure: kind.failureOf(session),
    outcome: kind.outcomeOf(session),
  }
}

/** The session with its credential in plain text, only while it awaits its report. */
export async function result(
  deps: SessionDeps,
  ref: OwnSessionRef,
): Promise<{ session: PaymentSession | SetupSession; credential: WireCredential | null }> {
  const session = await refreshOwn(deps, ref)
  // Nothing is ordered by an enrollment, so nothing can be paid.
  if (session.kind === 'enrollment') throw sessionNotFound({ message: 'The session has no payment.' })
  // A setup issues none.
  if (session.kind !== 'payment') return { session, credential: null }
  const { merchantId, chargeId, chargeStatus, credentialSealed: sealed, credentialKeyId: keyId } = session
  // A suspended merchant may see how its payments stand, and no credential. What the service buys itself, it pays itself.
  const mayRead = session.merchantStatus === 'active' && session.quoteId === null
  const readable = chargeStatus === 'awaiting_result' && mayRead
  if (!readable || sealed === null || keyId === null) return { session, credential: null }
  deps.charges.checkOpenedBy(session)
  return { session, credential: await deps.charges.unsealCredential({ merchantId, chargeId }, { sealed, keyId }) }
}

/** A session of an agent as it stands, with nothing to pay with. */
export async function standingOfAgent(
  deps: SessionDeps,
  ref: SessionRef & { agentId: string },
): Promise<PaymentSession | SetupSession> {
  const session = await refreshOwn(deps, ref)
  if (session.kind === 'enrollment') throw sessionNotFound({ message: 'The session has no payment.' })
  return session
}

/** The session of an enrollment, as it is at this moment. */
export async function enrollmentStatus(deps: SessionDeps, ref: SessionRef): Promise<EnrollmentSession> {
  const session = await refresh(deps, ref)
  if (session.kind !== 'enrollment') throw statusUnsupported()
  if (session.enrollmentState === null) throw actionNotFound()
  return session
}

/** Maps unexpected errors to this operation's own code. Declared errors and database outages pass through. */
function withUnexpected<Deps, Args extends unknown[], T>(
  error: DeclaredError,
  work: (deps: Deps, ...args: Args) => Promise<T>,
) {
  return async (deps: Deps, ...args: Args): Promise<T> => {
    try {
      return await work(deps, ...args)
    } catch (cause) {
      if (cause instanceof PublicError || isDatabaseUnavailable(cause)) throw cause
      throw error({ cause })
    }
  }
}

/** Sessions: what one cardholder may do on the secure surface, once, for a time. What for is the session's kind. */
export const createSessionService = (deps: SessionDeps) =>
  bound(deps, {
    create: withUnexpected(sessionCreateError, create),
    createOnce: withUnexpected(sessionCreateError, createOnce),
    createForAgent: withUnexpected(sessionCreateError, createForAgent),
    createForAgentOnce: withUnexpected(sessionCreateError, createForAgentOnce),
    createQuotedForAgent: withUnexpected(sessionCreateError, createQuotedForAgent),
    standingOfAgent,
    listSessions,
    listWaiting,
    openEscalation,
    denyEscalation,
    createEnrollment,
    createEnrollmentOnce,
    enrollmentStatus,
    refresh,
    look,
    result,
    report: withUnexpected(reportStatusError, report),
    revoke,
    cancel,
    extend,
    launch,
    read,
    open,
    openWithCard,
    chooseCard,
    chooseAgain,
    entryStore,
    registrationOptions,
    register,
    approvalOptions,
    approve,
    expireDue,
    endOfRevoked,
    deleteOldSessions,
    beginTry,
    noting,
  })
export type SessionService = ReturnType<typeof createSessionService>
