import { type CommandContext, command, rollback } from '../db/command.ts'
import type { SessionDeps, SessionRef } from './deps.ts'
import { notRevocable, sessionNotFound, sessionOver } from './errors.ts'
import { KINDS } from './kind.ts'
import { isOverdue } from './rules.ts'
import type { Session } from './store.ts'
import * as store from './store.ts'

/** The session as it is at this moment: an end that time has brought is carried out before it is shown. */
export async function refresh(deps: SessionDeps, ref: SessionRef): Promise<Session> {
  const session = await find(deps, ref)
  const isDue = isOverdue(session, deps.clock.now())
  if (isDue) await expire(deps, ref, session)
  // Read again even where another request was the one that carried it out: what was read before is of the past.
  return isDue || (await KINDS[session.kind].catchUp(deps, session)) ? find(deps, ref) : session
}

async function find({ pool }: SessionDeps, { merchantId, sessionId }: SessionRef): Promise<Session> {
  const session = await store.findSession(pool, { merchantId, sessionId })
  if (session === undefined) throw sessionNotFound()
  return session
}

/** The merchant withdraws a session that has no credential yet. */
export async function revoke(deps: SessionDeps, ref: SessionRef): Promise<void> {
  const session = await refresh(deps, ref)
  const declaration = { name: 'sessions.revoke', emits: ['session.revoked'] } as const
  const revoked = await command(deps, declaration, async ({ tx, at, emit }) => {
    const closed = await store.updateRevoked(tx, { ...place(ref), at })
    const ended = await KINDS[session.kind].end(deps, { tx, at }, session, 'revoked')
    if (closed === undefined || ended === rollback) return rollback
    const resource = { type: 'session', id: session.id, version: closed.version }
    emit({ ...ended, type: 'session.revoked', resource })
    return true
  })
  if (revoked === null) throw notRevocable()
}

/** The cardholder gives up before approving. */
export async function cancel(deps: SessionDeps, ref: SessionRef): Promise<void> {
  const session = await refresh(deps, ref)
  if (KINDS[session.kind].outcomeOf(session) === 'cancelled') return
  const declaration = { name: 'sessions.cancel', emits: ['payment.failed'] } as const
  const cancelled = await command(deps, declaration, async (change) => {
    if ((await store.updateCancelled(change.tx, { ...place(ref), at: change.at })) === undefined) return rollback
    return endSubject(deps, change, session, 'cancelled')
  })
  if (cancelled === null) throw sessionOver()
}

/** Ends a session whose time is over, unless it was closed before. */
export async function expire(deps: SessionDeps, ref: SessionRef, known?: Session): Promise<void> {
  const session = known ?? (await find(deps, ref))
  const declaration = { name: 'sessions.expire', emits: ['payment.failed'] } as const
  await command(deps, declaration, async (change) => {
    if ((await store.updateExpired(change.tx, { ...place(ref), at: change.at })) === undefined) return rollback
    return endSubject(deps, change, session, 'expired')
  })
}

/** Ends session and subject together, with the subject's event. Locks: session, mandate, charge. */
async function endSubject(
  deps: SessionDeps,
  { tx, at, emit }: CommandContext<'payment.failed'>,
  session: Session,
  ending: 'cancelled' | 'expired',
) {
  const ended = await KINDS[session.kind].end(deps, { tx, at }, session, ending)
  if (ended === rollback) return rollback
  emit(ended)
  return true
}

function place({ merchantId, sessionId }: SessionRef) {
  return { merchantId, sessionId }
}
