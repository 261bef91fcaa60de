import type { Job } from '../jobs/loop.ts'
import type { ConsoleService } from './service.ts'

const PAGE = 500

export function consoleJobs(people: ConsoleService): Job[] {
  const run = async () => ({ taken: await people.deleteOver(PAGE), nextDueAt: null })
  return [{ name: 'console.delete_sessions', restMillis: 60_000, run }]
}
