import { type CommandContext, command, rollback } from '../db/command.ts'
import type { OwnSessionRef, SessionDeps, SessionRef } from './deps.ts'
import { notRevocable, sessionNotFound, sessionOver } from './errors.ts'
import { revokedEvent } from './events.ts'
import { ENDING_EVENTS, type EndingEvent, kindOf } from './kind.ts'
import { find, findOnSurface, type ReadRef, type SurfaceSession } from './read.ts'
import { isOverdue } from './rules.ts'
import { checkAgent } from './seal.ts'
import type { Session } from './store.ts'
import * as store from './store.ts'
import type { SurfaceCaller } from './token.ts'

/** The session as it is at this moment, for its merchant. */
export async function refresh(deps: SessionDeps, ref: ReadRef): Promise<Session> {
  const read = () => find(deps.pool, ref)
  return upToDate(deps, await read(), read)
}

/** The same for whoever has it: that of an agent is no merchant's, nor another agent's. Throws `RowTampered`. */
export async function refreshOwn(deps: SessionDeps, { agentId, ...ref }: OwnSessionRef): Promise<Session> {
  const session = await refresh(deps, ref)
  if (session.agentId !== (agentId ?? null)) throw sessionNotFound()
  checkAgent(deps, session)
  return session
}

/** The session as it is at this moment, with all that its cardholder is shown. */
export async function look(deps: SessionDeps, caller: SurfaceCaller): Promise<SurfaceSession> {
  const read = () => findOnSurface(deps, caller)
  return upToDate(deps, await read(), read)
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

/** The caller that has a session withdraws it, as long as it has no credential. */
export async function revoke(deps: SessionDeps, ref: OwnSessionRef): Promise<void> {
  if (!(await withdraw(deps, await refreshOwn(deps, ref)))) throw notRevocable()
}

/** Ends a session without a credential; false: it has one. Its event says so of both: that of the subject is left out. */
export const withdraw = (deps: SessionDeps, session: Session): Promise<boolean> =>
  close(deps, session, { isApprovedToo: true })

/**
 * Ends a session that was not approved, and says whether it did; an approval at the same moment stands. One of the two writes the row of the session first, and the
 * other finds it closed.
 */
export async function withdrawOpen(deps: SessionDeps, ref: SessionRef): Promise<boolean> {
  return close(deps, await refresh(deps, ref), { isApprovedToo: false })
}

async function close(deps: SessionDeps, session: Session, which: { isApprovedToo: boolean }): Promise<boolean> {
  const ref = { merchantId: session.merchantId, sessionId: session.id }
  const declaration = { name: 'sessions.revoke', emits: ['session.revoked'] } as const
  const revoked = await command(deps, declaration, async ({ tx, at, emit }) => {
    const closed = await store.updateRevoked(tx, { ...place(ref), ...which, at })
    if (closed === undefined) return rollback
    const ended = await kindOf(session).end(deps, { tx, at }, session, 'revoked')
    if (ended === rollback) return rollback
    emit(revokedEvent(session, closed.version))
    return true
  })
  return revoked !== null
}

/** The cardholder gives up before approving. */
export async function cancel(deps: SessionDeps, session: Session): Promise<void> {
  const ref = { merchantId: session.merchantId, sessionId: session.id }
  if (kindOf(session).outcomeOf(session) === 'cancelled') return
  const declaration = { name: 'sessions.cancel', emits: ENDING_EVENTS }
  const cancelled = await command(deps, declaration, async (change) => {
    if ((await store.updateCancelled(change.tx, { ...place(ref), at: change.at })) === undefined) return rollback
    return endSubject(deps, change, session, 'cancelled')
  })
  if (cancelled === null) throw sessionOver()
}

/** Ends a session whose time is over. False when it was closed before. */
export async function expire(deps: SessionDeps, ref: SessionRef, known?: Session): Promise<boolean> {
  const session = known ?? (await find(deps.pool, ref))
  if (session === undefined) throw sessionNotFound()
  const declaration = { name: 'sessions.expire', emits: ENDING_EVENTS }
  const expired = await command(deps, declaration, async (change) => {
    if ((await store.updateExpired(change.tx, { ...place(ref), at: change.at })) === undefined) return rollback
    return endSubject(deps, change, session, 'expired')
  })
  return expired !== null
}

/** Ends session and subject together, with the subject's event. Locks: session, mandate, charge. */
async function endSubject(
  deps: SessionDeps,
  { tx, at, emit }: CommandContext<EndingEvent>,
  session: Session,
  ending: 'cancelled' | 'expired',
) {
  const ended = await kindOf(session).end(deps, { tx, at }, session, ending)
  if (ended === rollback) return rollback
  emit(ended)
  return true
}

function place({ merchantId, sessionId }: SessionRef) {
  return { merchantId, sessionId }
}
