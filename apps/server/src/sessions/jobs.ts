import type { Job } from '../jobs/loop.ts'
import { endOverdue } from '../jobs/overdue.ts'
import type { SessionDeps } from './deps.ts'
import { expire } from './end.ts'
import { WALK_START } from './retention.ts'
import type { SessionService } from './service.ts'
import { overdueSessions } from './store.ts'

/** Ends sessions whose time is over and that nothing has read since. */
export const expireDue = endOverdue<SessionDeps>(overdueSessions, {
  name: 'sessions.expire',
  handle: (deps, { merchantId, id: sessionId }) => expire(deps, { merchantId, sessionId }),
})

const HOUR_MILLIS = 60 * 60 * 1000
const PAGE = 500

/** Walks over all merchants' old sessions, a page a run, and then rests. */
function deleteOldJob(sessions: SessionService): Job {
  // Where this process stands. A process that starts begins again: what is gone is gone.
  let place = WALK_START
  async function run() {
    const step = await sessions.deleteOldSessions(place, PAGE)
    place = step?.next ?? WALK_START
    return { taken: step === null ? 0 : 1, nextDueAt: null }
  }
  return { name: 'sessions.delete_old', restMillis: HOUR_MILLIS, run }
}

export function sessionJobs(sessions: SessionService): Job[] {
  return [{ name: 'sessions.expire', run: () => sessions.expireDue(50) }, deleteOldJob(sessions)]
}
