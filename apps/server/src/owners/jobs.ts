import type { Job } from '../jobs/loop.ts'
import type { OwnerService } from './service.ts'

const PAGE = 500

export function ownerJobs(owners: OwnerService): Job[] {
  const run = async () => ({ taken: await owners.deleteOver(PAGE), nextDueAt: null })
  return [{ name: 'owners.delete_sessions', restMillis: 60_000, run }]
}
