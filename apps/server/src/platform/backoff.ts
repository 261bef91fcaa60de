/** Seconds to wait before asking an outside party again: 1, 2, 5, 10, then 30 (`attempt` counts from 1). */
export function backoffSeconds(attempt: number): number {
  return [1, 2, 5, 10][attempt - 1] ?? 30
}
