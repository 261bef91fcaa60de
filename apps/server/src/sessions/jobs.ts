import type { Job, JobResult } from '../jobs/loop.ts'
import { workOff } from '../jobs/work.ts'
import type { SessionDeps } from './deps.ts'
import { expire } from './end.ts'
import type { SessionService } from './service.ts'
import { sessionWork } from './store.ts'

/** Ends sessions whose time is over and that nothing has read since. */
export function expireDue(deps: SessionDeps, limit: number): Promise<JobResult> {
  return workOff(deps, sessionWork, {
    name: 'sessions.expire',
    limit,
    async handle({ merchantId, id: sessionId }) {
      await expire(deps, { merchantId, sessionId })
      return true
    },
  })
}

export function sessionJobs(sessions: SessionService): Job[] {
  return [{ name: 'sessions.expire', run: () => sessions.expireDue(50) }]
}
