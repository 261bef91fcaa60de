import { single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import type { SessionDeps } from './deps.ts'
import { refresh } from './end.ts'
import { moreTimeGiven, moreTimeNever, moreTimeTooEarly, sessionChanged } from './errors.ts'
import { ASKABLE_SECONDS, endWithMore, lasts, moreTimeFrom } from './more-time.ts'
import { isOpen, readAsOf } from './rules.ts'
import { type Session, updateExtended } from './store.ts'

/**
 * Moves the end of the session once, in its last two minutes. Throws why it did not. Until when what is asked for can be had does not
 * change while the session is open; the rest is decided by the statement.
 */
export async function extend(deps: SessionDeps, session: Session): Promise<void> {
  if (isOpen(session) && session.extendedAt === null && !lasts(session)) throw moreTimeNever()
  const { merchantId, id: sessionId, expiresAt: end } = session
  const extended = await single(deps, { name: 'sessions.extend', silent: 'unapproved' }, ({ on, at }) =>
    updateExtended(on, {
      ...{ merchantId, sessionId, at },
      ...{ end, newEnd: endWithMore(end), askableEnd: addSeconds(at, ASKABLE_SECONDS) },
    }),
  )
  if (extended === undefined)
    throw refusal(deps, await refresh(deps, { merchantId, sessionId, readAs: readAsOf(session) }))
}

function refusal({ clock }: SessionDeps, session: Session) {
  if (!isOpen(session)) return sessionChanged()
  if (session.extendedAt !== null) return moreTimeGiven()
  const from = moreTimeFrom(session)
  return from !== null && from > clock.now() ? moreTimeTooEarly() : sessionChanged()
}
