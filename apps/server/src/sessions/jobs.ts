import type { Job } from '../jobs/loop.ts'
import { endOverdue } from '../jobs/overdue.ts'
import { walkJob } from '../jobs/walk.ts'
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

export function sessionJobs(sessions: SessionService): Job[] {
  return [
    { name: 'sessions.expire', run: () => sessions.expireDue(50) },
    walkJob('sessions.delete_old', WALK_START, sessions.deleteOldSessions),
  ]
}
