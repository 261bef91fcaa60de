import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { Labels, MetricSpec, Metrics, Reading } from './metrics.ts'

/** Counts, and writes what was counted in the text form of Prometheus. */
export interface MetricsRegistry {
  metrics: Metrics
  contentType: string
  render(): Promise<string>
}

const PREFIX = 'mintmark_'
/** In seconds: from a request that reads to one that waits for the network as long as it may. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createMetricsRegistry(): MetricsRegistry {
  const registry = new Registry()
  // The process itself: memory, processor time, collector, event loop.
  collectDefaultMetrics({ register: registry })
  const common = <Label extends string>({ name, help, labels }: MetricSpec<Label>) => ({
    name: PREFIX + name,
    help,
    labelNames: labels,
    registers: [registry],
  })
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    metrics: {
      counter(spec) {
        const counter = new Counter<string>(common(spec))
        return (labels, by = 1) => counter.inc(labels, by)
      },
      durations(spec) {
        const histogram = new Histogram<string>({ ...common(spec), buckets: BUCKETS })
        return (labels) => {
          const child = histogram.labels(labels)
          return (seconds) => child.observe(seconds)
        }
      },
      gauge<const Label extends string>(
        spec: MetricSpec<Label>,
        read: () => readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>,
      ) {
        const gauge: Gauge<string> = new Gauge<string>({
          ...common(spec),
          async collect() {
            const readings = await read()
            // What is not there any more is not said any more; without labels the library would say zero.
            gauge.reset()
            if (readings.length === 0 && spec.labels.length === 0) gauge.remove()
            for (const { labels, value } of readings) gauge.set(labels as Labels<string>, value)
          },
        })
      },
    },
  }
}
