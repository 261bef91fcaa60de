import type { Job } from '../jobs/loop.ts'
import type { AuthorizationDeps } from './deps.ts'
import { deleteExpired } from './entries.ts'

const MINUTE_MILLIS = 60_000
const PAGE = 500

export function toolJobs(deps: AuthorizationDeps): Job[] {
  return [
    {
      name: 'mcp.delete_expired',
      restMillis: MINUTE_MILLIS,
      run: async () => ({ taken: await deleteExpired(deps, PAGE), nextDueAt: null }),
    },
  ]
}
