import { Refusal, ruleFor, Unreachable } from './errors.ts'

/** What stands between a call and its next try. */
export type Obstacle =
  | { kind: 'offline'; attempt: number }
  | { kind: 'wait'; seconds: number }
  | { kind: 'retry'; text: string; reference: string | null }

const DEFAULT_WAIT_SECONDS = 5

export interface Retrying<Answer> {
  work(): Promise<Answer>
  /**
   * A call without an answer may have taken effect. Asked before each further try: an answer here ends the matter, null
   * means do it again.
   */
  settled?(): Promise<Answer | null>
  /** Resolves when it is worth trying again; rejects when the page has gone on to something else. */
  waitFor(obstacle: Obstacle): Promise<void>
}

/** Does a call until it has an answer or a refusal that trying again cannot change. */
export async function withRetries<Answer>({ work, settled, waitFor }: Retrying<Answer>): Promise<Answer> {
  for (let attempt = 0, unsure = false; ; attempt += 1) {
    try {
      const answer = unsure ? await settled?.() : null
      return answer ?? (await work())
    } catch (error) {
      const obstacle = obstacleOf(error, attempt)
      if (obstacle === null) throw error
      await waitFor(obstacle)
      unsure ||= obstacle.kind !== 'wait'
    }
  }
}

function obstacleOf(error: unknown, attempt: number): Obstacle | null {
  if (error instanceof Unreachable) return { kind: 'offline', attempt }
  if (!(error instanceof Refusal)) return null
  const { reaction, text } = ruleFor(error)
  if (reaction === 'wait') return { kind: 'wait', seconds: error.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS }
  return reaction === 'retry' ? { kind: 'retry', text, reference: error.reference } : null
}
