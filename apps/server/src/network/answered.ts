import type { NetworkAnswer } from './port.ts'

export type Outcome = NetworkAnswer<unknown>['outcome']
export const OUTCOMES = ['ok', 'declined', 'unknown'] as const satisfies readonly Outcome[]

/** The same network, each of whose answers is noted by how it ended. What is no answer goes through as it is. */
export function notingAnswers<Network extends object>(network: Network, note: (outcome: Outcome) => void): Network {
  const noted = (value: unknown) => {
    const outcome = outcomeOf(value)
    if (outcome !== undefined) note(outcome)
    return value
  }
  const entries = Object.entries(network).map(([name, value]) => [
    name,
    typeof value === 'function' ? (...asked: unknown[]) => after(value(...asked), noted) : value,
  ])
  return Object.fromEntries(entries) as Network
}

function after(result: unknown, noted: (value: unknown) => unknown): unknown {
  return result instanceof Promise ? result.then(noted) : result
}

function outcomeOf(value: unknown): Outcome | undefined {
  const outcome = typeof value === 'object' && value !== null && 'outcome' in value ? value.outcome : undefined
  return OUTCOMES.find((one) => one === outcome)
}
