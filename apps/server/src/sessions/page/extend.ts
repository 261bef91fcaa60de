import { command } from '../../db/command.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { SessionDeps } from '../deps.ts'
import { readOnSurface } from '../end.ts'
import { moreTimeGiven, moreTimeNever, moreTimeTooEarly, sessionChanged } from '../errors.ts'
import { rowOfKind } from '../ref.ts'
import { isOpen } from '../rules.ts'
import { updateExtended } from '../store.ts'
import { ASKABLE_SECONDS, endWithMore, lasts, moreTimeFrom } from './more-time.ts'
import type { SurfaceSession } from './store.ts'

/**
 * Moves the end of the session once, in its last two minutes. Throws why it did not. Until when what is asked for can
 * be had does not change while the session is open; the rest is decided by the statement.
 */
export async function extend(deps: SessionDeps, session: SurfaceSession): Promise<void> {
  if (isOpen(session) && session.extendedAt === null && !lasts(session)) throw moreTimeNever()
  const { merchantId, id: sessionId, expiresAt: end } = session
  const why = 'Its merchant hears how a session ends, and not that it has longer.'
  const extended = await command(deps, { name: 'sessions.extend', why, together: 'statement' }, ({ on, at }) =>
    updateExtended[rowOfKind(session)](on, {
      ...{ merchantId, sessionId, at },
      ...{ end, newEnd: endWithMore(end), askableEnd: addSeconds(at, ASKABLE_SECONDS) },
    }),
  )
  if (extended === undefined)
    throw refusal(deps, await readOnSurface(deps, { merchantId, sessionId, row: rowOfKind(session) }))
}

function refusal({ clock }: SessionDeps, session: SurfaceSession) {
  if (!isOpen(session)) return sessionChanged()
  if (session.extendedAt !== null) return moreTimeGiven()
  const from = moreTimeFrom(session)
  return from !== null && from > clock.now() ? moreTimeTooEarly() : sessionChanged()
}
