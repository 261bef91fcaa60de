import { type Captured, type Change, command, type Rollback, rollback } from '../db/command.ts'
import type { OwnSessionRef, SessionDeps } from './deps.ts'
import { notRevocable, sessionNotFound, sessionOver } from './errors.ts'
import { revokedEvent } from './events.ts'
import { ENDING_EVENTS, type Ending, type EndingEvent, kindOf } from './kind.ts'
import type { SurfaceSession } from './page/store.ts'
import { findOfMerchant, findOnSurface, type ReadRef } from './read.ts'
import { rowOfKind } from './ref.ts'
import { isOverdue } from './rules.ts'
import { checkAgent } from './seal.ts'
import type { Session } from './store.ts'
import * as store from './store.ts'

/** The session as it is at this moment, for its merchant. */
export async function refresh(deps: SessionDeps, ref: ReadRef): Promise<Session> {
  return upToDate(deps, await findOfMerchant(deps, ref), () => findOfMerchant(deps, ref))
}

/** The same for whoever has it: that of an agent is no merchant's, nor another agent's. Throws `RowTampered`. */
export async function refreshOwn(deps: SessionDeps, { agentId, ...ref }: OwnSessionRef): Promise<Session> {
  const session = await refresh(deps, ref)
  if (session.agentId !== (agentId ?? null)) throw sessionNotFound()
  checkAgent(deps, session)
  return session
}

/** The session as it is at this moment, with all that its cardholder is shown. */
export async function readOnSurface(deps: SessionDeps, ref: ReadRef): Promise<SurfaceSession> {
  return upToDate(deps, await findOnSurface(deps, ref), () => findOnSurface(deps, ref))
}

/** What was read of a session; an end that time has brought is carried out before anything is shown. */
export async function upToDate<S extends Session>(
  deps: SessionDeps,
  session: S | undefined,
  readAgain: () => Promise<S | undefined>,
): Promise<S> {
  if (session === undefined) throw sessionNotFound()
  const isDue = isOverdue(session, deps.clock.now())
  if (isDue) await expire(deps, { merchantId: session.merchantId, sessionId: session.id }, session)
  // Read again even where another request was the one that carried it out: what was read before is of the past.
  if (!isDue && !(await kindOf(session).catchUp(deps, session))) return session
  const changed = await readAgain()
  if (changed === undefined) throw sessionNotFound()
  return changed
}

/** Whoever has a session withdraws it, as long as it has no credential. */
export async function revoke(deps: SessionDeps, ref: OwnSessionRef): Promise<void> {
  if (!(await withdraw(deps, await refreshOwn(deps, ref)))) throw notRevocable()
}

/** Ends a session without a credential; false: it has one. */
export async function withdraw(deps: SessionDeps, session: Session): Promise<boolean> {
  if (await close(deps, session, { isApprovedToo: true })) return true
  // Approved since it was read: what it has now is withdrawn with it.
  if (session.kind !== 'payment' || session.mandateId !== null) return false
  const now = await refresh(deps, { merchantId: session.merchantId, sessionId: session.id, row: 'charge' })
  return now.kind === 'payment' && now.mandateId !== null ? withdraw(deps, now) : false
}

/**
 * Ends a session that was not approved; an approval at the same moment stands. One of the two writes the row of the
 * session first, and the other finds it closed.
 */
export async function withdrawOpen(deps: SessionDeps, ref: ReadRef): Promise<void> {
  await close(deps, await refresh(deps, ref), { isApprovedToo: false })
}

/** False: it was closed before, or has a credential. Its event says so of both: that of the subject is left out. */
async function close(deps: SessionDeps, session: Session, which: { isApprovedToo: boolean }): Promise<boolean> {
  const ref = { merchantId: session.merchantId, sessionId: session.id }
  const declaration = { name: 'sessions.revoke', events: ['session.revoked'] } as const
  const revoked = await command(deps, declaration, async ({ tx, at, emit }) => {
    const done = await endBoth(deps, { tx, at }, session, 'revoked', () =>
      store.updateRevoked[rowOfKind(session)](tx, { ...ref, ...which, at }),
    )
    if (done === rollback) return rollback
    emit(revokedEvent(session, done.closed.version))
    return true
  })
  return revoked !== null
}

/** The cardholder gives up before approving. */
export async function cancel(deps: SessionDeps, session: Session): Promise<void> {
  const ref = { merchantId: session.merchantId, sessionId: session.id }
  if (kindOf(session).outcomeOf(session) === 'cancelled') return
  const declaration = { name: 'sessions.cancel', events: ENDING_EVENTS }
  const cancelled = await command(deps, declaration, async ({ tx, at, emit }) => {
    const close = () => store.updateCancelled[rowOfKind(session)](tx, { ...ref, at })
    return told(emit, await endBoth(deps, { tx, at }, session, 'cancelled', close))
  })
  if (cancelled === null) throw sessionOver()
}

/** Ends a session whose time is over. False when it was closed before. */
export async function expire(deps: SessionDeps, read: ReadRef, known?: Session): Promise<boolean> {
  const session = known ?? (await findOfMerchant(deps, read))
  if (session === undefined) throw sessionNotFound()
  const { merchantId, id: sessionId } = session
  const declaration = { name: 'sessions.expire', events: ENDING_EVENTS }
  const expired = await command(deps, declaration, async ({ tx, at, emit }) => {
    const close = () => store.updateExpired[rowOfKind(session)](tx, { merchantId, sessionId, at })
    return told(emit, await endBoth(deps, { tx, at }, session, 'expired', close))
  })
  return expired !== null
}

/**
 * Ends session and subject together. Locks: session, subject. But a purchase is one row, which is locked after its
 * mandate and the open work on it: its subject ends first, and the session in the row that is locked then.
 */
async function endBoth<Closed>(
  deps: SessionDeps,
  change: Change,
  session: Session,
  ending: Ending,
  close: () => Promise<Closed | undefined>,
) {
  const end = () => kindOf(session).end(deps, change, session, ending)
  if (session.kind === 'payment') {
    const ended = await end()
    const closed = ended === rollback ? undefined : await close()
    return ended === rollback || closed === undefined ? rollback : { ended, closed }
  }
  const closed = await close()
  const ended = closed === undefined ? rollback : await end()
  return ended === rollback || closed === undefined ? rollback : { ended, closed }
}

function told(emit: (event: Captured<EndingEvent>) => void, done: { ended: Captured<EndingEvent> } | Rollback) {
  if (done === rollback) return rollback
  emit(done.ended)
  return true
}
