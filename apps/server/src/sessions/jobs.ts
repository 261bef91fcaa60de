import { AGENT_REVOKED } from '../agents/service.ts'
import type { Job } from '../jobs/loop.ts'
import { endOverdue } from '../jobs/overdue.ts'
import { walkJob } from '../jobs/walk.ts'
import { listOfRevoked } from './agent-store.ts'
import type { SessionDeps } from './deps.ts'
import { expire, withdrawOpen } from './end.ts'
import { WALK_START } from './retention.ts'
import type { SessionService } from './service.ts'
import { overdueSessions } from './store.ts'

/** Ends sessions whose time is over and that nothing has read since. */
export const expireDue = endOverdue<SessionDeps>(overdueSessions, {
  name: 'sessions.expire',
  handle: (deps, { merchantId, id: sessionId }) => expire(deps, { merchantId, sessionId }),
})

const AT_ONCE = 50

/** Withdraws what an agent that was revoked has asked for and its owner has not approved. One that fails rests, and delays no other. */
const withdrawOfRevoked = endOverdue<SessionDeps>(
  {
    async list({ pool, agents: { merchantId } }, limit, resting) {
      const rows = await listOfRevoked(pool, { merchantId, resting, limit })
      return { rows: rows.map(({ id }) => ({ merchantId, id })), nextDueAt: null }
    },
  },
  {
    name: 'sessions.withdraw_of_revoked',
    handle: (deps, { merchantId, id: sessionId }) => withdrawOpen(deps, { merchantId, sessionId }),
  },
)

/** Ends what an agent that was revoked has asked for, and the mandates that it had. Returns how many. */
export async function endOfRevoked(deps: SessionDeps): Promise<number> {
  const { taken } = await withdrawOfRevoked(deps, AT_ONCE)
  return taken + (await deps.mandates.cancelOfRevoked(deps.agents.merchantId, AT_ONCE))
}

export function sessionJobs(sessions: SessionService): Job[] {
  return [
    { name: AGENT_REVOKED, run: async () => ({ taken: await sessions.endOfRevoked(), nextDueAt: null }) },
    { name: 'sessions.expire', run: () => sessions.expireDue(50) },
    walkJob('sessions.delete_old', WALK_START, sessions.deleteOldSessions),
  ]
}
