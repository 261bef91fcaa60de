import { addBacklog } from '../hosts/metrics/backlog.ts'
import type { Door } from '../http/door.ts'
import type { JobsWatch } from '../jobs/failing.ts'
import type { Job } from '../jobs/loop.ts'
import type { Metrics } from '../platform/metrics.ts'
import { RULES } from '../rows/service.ts'
import type { SendResult } from '../webhooks/delivery/rules.ts'
import { failureOf } from '../webhooks/service.ts'
import type { Ground } from './ground.ts'

/** Declares what can be seen of the ground: the pool, the door, whether a restore has closed it, and what waits in the database. */
export function addGroundMetrics(metrics: Metrics, ground: Ground, door: Pick<Door, 'usage'>): void {
  const { pool, clock } = ground
  metrics.gauge(
    {
      name: 'database_connections',
      help: 'Connections of the pool, and callers that wait for one.',
      labels: ['state'],
    },
    () => [
      { labels: { state: 'busy' }, value: pool.totalCount - pool.idleCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'waiting' }, value: pool.waitingCount },
    ],
  )
  metrics.gauge(
    { name: 'door_places', help: 'Requests in hand, how many may be, and how many wait.', labels: ['state'] },
    () => {
      const { inHand, open, waiting } = door.usage()
      return [
        { labels: { state: 'taken' }, value: inHand },
        { labels: { state: 'open' }, value: open },
        { labels: { state: 'waiting' }, value: waiting },
      ]
    },
  )
  const closed = 'Whether the deployment is closed to callers since a restore.'
  metrics.gauge({ name: 'closed_since_restore', help: closed, labels: [] }, () => [
    { labels: {}, value: clock.closedSince() === null ? 0 : 1 },
  ])
  const held = 'Whether agents are held since a restore.'
  metrics.gauge({ name: 'agents_held_since_restore', help: held, labels: [] }, () => [
    { labels: {}, value: clock.agentsHeldSince() === null ? 0 : 1 },
  ])
  addBacklog(metrics, ground)
}

/** Returns the function that counts a request that the door has turned away. */
export function refusalCounter(metrics: Metrics): () => void {
  const count = metrics.counter({ name: 'door_refused_total', help: 'Requests that were turned away.', labels: [] })
  return () => count({})
}

/** Returns the function that counts rows of a table which contradict themselves. */
export function contradictionCounter(metrics: Metrics): (table: string, count: number) => void {
  const help =
    'Rows that contradict themselves, or name others that are not there, each time they are met: once in a round.'
  const count = metrics.counter({ name: 'row_contradictions_total', help, labels: ['table'] })
  for (const table of Object.keys(RULES)) count({ table }, 0)
  return (table, found) => count({ table }, found)
}

/** The same jobs, each of whose rounds is counted. */
export function countedJobs(metrics: Metrics, jobs: readonly Job[]): Job[] {
  const count = metrics.counter({
    name: 'job_runs_total',
    help: 'Rounds of background jobs.',
    labels: ['job', 'outcome'],
  })
  const items = metrics.counter({ name: 'job_items_total', help: 'What they worked on.', labels: ['job'] })
  return jobs.map((job) => ({
    ...job,
    async run() {
      const { name } = job
      try {
        const result = await job.run()
        count({ job: name, outcome: result.taken > 0 ? 'worked' : 'idle' })
        if (result.taken > 0) items({ job: name }, result.taken)
        return result
      } catch (error) {
        count({ job: name, outcome: 'failed' })
        throw error
      }
    },
  }))
}

/** Declares how long each job of the process has done nothing but fail. */
export function addJobMetrics(metrics: Metrics, { failingSeconds }: Pick<JobsWatch, 'failingSeconds'>): void {
  const help = 'For how long every run of the job has failed; 0 after a good run. From 30 on `/ready` is 503.'
  metrics.gauge({ name: 'job_failing_seconds', help, labels: ['job'] }, () =>
    failingSeconds().map(({ job, seconds }) => ({ labels: { job }, value: seconds })),
  )
}

/** The same way to send a delivery, each of whose tries is counted by what came of it. */
export function countedSend<Request>(
  metrics: Metrics,
  send: (request: Request) => Promise<SendResult>,
): (request: Request) => Promise<SendResult> {
  const count = metrics.counter({
    name: 'webhook_attempts_total',
    help: 'Tries of deliveries, by what came of them: acknowledged, or the category of the failure.',
    labels: ['category'],
  })
  return async (request) => {
    const result = await send(request)
    count({ category: failureOf(result) ?? 'acknowledged' })
    return result
  }
}
