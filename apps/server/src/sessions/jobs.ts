import { AGENT_REVOKED } from '../agents/service.ts'
import type { Job, JobResult } from '../jobs/loop.ts'
import { endOverdue } from '../jobs/overdue.ts'
import { walkJob } from '../jobs/walk.ts'
import { listOfRevoked } from './agents/store.ts'
import type { SessionDeps } from './deps.ts'
import { expire, refresh, withdraw } from './end.ts'
import type { RowName } from './fragments.ts'
import { WALK_START } from './retention.ts'
import type { SessionService } from './service.ts'
import { overdueSessions } from './store.ts'

/** Ends sessions whose time is over and that nothing has read since. */
export async function expireDue(deps: SessionDeps, limit: number): Promise<JobResult> {
  let all: JobResult = { taken: 0, nextDueAt: null }
  for (const expireOf of EXPIRED) {
    const done = await expireOf(deps, limit)
    all = { taken: all.taken + done.taken, nextDueAt: earlier(all.nextDueAt, done.nextDueAt) }
  }
  return all
}

const expireIn = (row: RowName) =>
  endOverdue<SessionDeps>(overdueSessions[row], {
    name: 'sessions.expire',
    handle: (deps, { merchantId, id: sessionId }) => expire(deps, { merchantId, sessionId, row }),
  })
const EXPIRED = [expireIn('charge'), expireIn('mandate'), expireIn('enrollment')]

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

const AT_ONCE = 50

/** Ends what an agent that was revoked has asked for and no owner has approved. Returns how many. */
export async function endOfRevoked(deps: SessionDeps): Promise<number> {
  const { merchantId } = deps.agents
  const purchases = await listOfRevoked.charge(deps.pool, { merchantId, limit: AT_ONCE })
  const setups = await listOfRevoked.mandate(deps.pool, { merchantId, limit: AT_ONCE })
  const rows = [...purchases, ...setups]
  for (const { id: sessionId } of rows) await withdraw(deps, await refresh(deps, { merchantId, sessionId }))
  return rows.length
}

export function sessionJobs(sessions: SessionService): Job[] {
  return [
    { name: AGENT_REVOKED, run: async () => ({ taken: await sessions.endOfRevoked(), nextDueAt: null }) },
    { name: 'sessions.expire', run: () => sessions.expireDue(50) },
    walkJob('sessions.delete_old', WALK_START, sessions.deleteOldSessions),
  ]
}
