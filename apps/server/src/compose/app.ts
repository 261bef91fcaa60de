import { watchJobs } from '../jobs/failing.ts'
import type { Job } from '../jobs/loop.ts'
import { type Metrics, NO_METRICS } from '../platform/metrics.ts'
import { composeFeatures } from './features.ts'
import type { Ground } from './ground.ts'
import { composeHosts, type Hosts } from './hosts.ts'
import { addJobMetrics, countedJobs } from './metrics.ts'
import type { Operated } from './operated.ts'

/** The program, built on its ground: what roles and operator verbs use of it. */
export interface App extends Hosts, Operated {
  jobs: readonly Job[]
}

/** `metrics`: what is counted, and where; nothing unless the operator reads it. */
export function compose(ground: Ground, metrics: Metrics = NO_METRICS): App {
  const features = composeFeatures(ground, metrics)
  const watch = watchJobs(countedJobs(metrics, features.jobs))
  addJobMetrics(metrics, watch)
  return { ...features, jobs: watch.jobs, ...composeHosts(ground, features, watch, metrics) }
}
