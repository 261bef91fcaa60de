import type { Job } from '../jobs/loop.ts'
import type { SessionService } from './service.ts'

/** The background tasks of sessions; any number of processes may run them at once. */
export function sessionJobs(sessions: SessionService): Job[] {
  return [
    { name: 'sessions.sweep', restMillis: 1000, run: () => sessions.sweep(50) },
    { name: 'charges.reconcile', restMillis: 500, run: () => sessions.reconcile(20) },
  ]
}
