/** What a metric is called, and what an operator reads about it. Label values are of closed sets: never an id, a name or an address. */
export interface MetricSpec<Label extends string = string> {
  /** In lower snake case, with its unit; `mintmark_` comes before it. */
  name: string
  help: string
  labels: readonly Label[]
}

export type Labels<Label extends string> = Readonly<Record<Label, string>>

export interface Reading<Label extends string = string> {
  labels: Labels<Label>
  value: number
}

/** How features count, without knowing who reads it. */
export interface Metrics {
  /** Returns the function that counts one more, or `by`. */
  counter<const Label extends string>(spec: MetricSpec<Label>): (labels: Labels<Label>, by?: number) => void
  /** Returns the function that makes, for labels, the function that takes a duration in seconds. */
  durations<const Label extends string>(spec: MetricSpec<Label>): (labels: Labels<Label>) => (seconds: number) => void
  /** Something that is looked at when a client asks for the metrics. */
  gauge<const Label extends string>(
    spec: MetricSpec<Label>,
    read: () => readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>,
  ): void
}

const ignore = () => undefined

/** No client asks: nothing is counted. */
export const NO_METRICS: Metrics = {
  counter: () => ignore,
  durations: () => () => ignore,
  gauge: ignore,
}
