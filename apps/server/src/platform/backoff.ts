const FIRST_SECONDS = [1, 2, 5, 10]
const LATER_SECONDS = 30

/** Seconds to wait before an outside party is asked again; `attempt` counts from 1. */
export function backoffSeconds(attempt: number): number {
  return FIRST_SECONDS[attempt - 1] ?? LATER_SECONDS
}
