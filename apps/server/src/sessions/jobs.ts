import { AGENT_REVOKED } from '../agents/service.ts'
import type { Job } from '../jobs/loop.ts'
import { endOverdue } from '../jobs/overdue.ts'
import { walkJob } from '../jobs/walk.ts'
import { listOfRevoked } from './agent-store.ts'
import type { SessionDeps } from './deps.ts'
import { expire, refresh, withdraw } from './end.ts'
import { WALK_START } from './retention.ts'
import type { SessionService } from './service.ts'
import { overdueSessions } from './store.ts'

/** Ends sessions whose time is over and that nothing has read since. */
export const expireDue = endOverdue<SessionDeps>(overdueSessions, {
  name: 'sessions.expire',
  handle: (deps, { merchantId, id: sessionId }) => expire(deps, { merchantId, sessionId }),
})

const AT_ONCE = 50

/** Ends what an agent that was revoked has asked for and nobody has approved, and the mandates that it had. Returns how many. */
export async function endOfRevoked(deps: SessionDeps): Promise<number> {
  const { merchantId } = deps.agents
  const rows = await listOfRevoked(deps.pool, { merchantId, limit: AT_ONCE })
  for (const { id: sessionId } of rows) await withdraw(deps, await refresh(deps, { merchantId, sessionId }))
  return rows.length + (await deps.mandates.cancelOfRevoked(merchantId, AT_ONCE))
}

export function sessionJobs(sessions: SessionService): Job[] {
  return [
    { name: AGENT_REVOKED, run: async () => ({ taken: await sessions.endOfRevoked(), nextDueAt: null }) },
    { name: 'sessions.expire', run: () => sessions.expireDue(50) },
    walkJob('sessions.delete_old', WALK_START, sessions.deleteOldSessions),
  ]
}
