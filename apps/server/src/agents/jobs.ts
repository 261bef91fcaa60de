import type { Job } from '../jobs/loop.ts'
import type { AgentService } from './service.ts'

const MINUTE_MILLIS = 60_000
const PAGE = 500

export function agentJobs(agents: AgentService): Job[] {
  return [
    {
      name: 'agents.empty_nonces',
      restMillis: MINUTE_MILLIS,
      async run() {
        await agents.emptyPastSlots()
        return { taken: 0, nextDueAt: null }
      },
    },
    {
      name: 'agents.delete_links',
      restMillis: MINUTE_MILLIS,
      run: async () => ({ taken: await agents.deleteUndecided(PAGE), nextDueAt: null }),
    },
  ]
}
