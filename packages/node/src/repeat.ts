import { setTimeout as delay } from 'node:timers/promises'
import type { MintmarkApiError } from './api-error.ts'
import type { ConnectionOptions } from './connection.ts'
import { type Authorize, attempt, type FailedAttempt, type Outgoing } from './exchange.ts'

export interface Repetition {
  retries: number
  /** What was sent may be sent again although it may have taken effect. */
  mayRepeatUnknown: boolean
  /** A longer pause that the service asks for is not waited for. */
  maxWaitMillis: number
  /** In place of waiting too long. */
  whenLonger: 'throw' | 'wait_less'
}

/** A call that came to nothing, as far as is known. */
export class Unanswered {
  readonly error: MintmarkApiError
  /** One of the attempts may have taken effect, and nothing since says whether. */
  readonly mayHaveHappened: boolean
  /** The signal of the caller has ended it. */
  readonly wasAborted: boolean

  constructor(error: MintmarkApiError, mayHaveHappened: boolean, wasAborted = false) {
    this.error = error
    this.mayHaveHappened = mayHaveHappened
    this.wasAborted = wasAborted
  }
}

const BACKOFF_MILLIS = 500
const MAX_BACKOFF_MILLIS = 60_000

/** Sends a request until there is an answer, or until more attempts are of no use. */
export async function repeatedly(
  request: Outgoing,
  connection: ConnectionOptions,
  who: Authorize,
  rules: Repetition,
): Promise<{ body: unknown } | Unanswered> {
  const { backoffMillis = BACKOFF_MILLIS, onRetry, signal } = connection
  signal?.throwIfAborted()
  let mayHaveHappened = false
  for (let count = 1; ; count += 1) {
    const outcome = await attempt(request, connection, who)
    if ('body' in outcome) return outcome
    const { error, known, retryAfterMillis } = outcome
    mayHaveHappened = known === 'unknown' || (mayHaveHappened && known !== 'refused')
    if (signal?.aborted) return new Unanswered(error, mayHaveHappened, true)
    // Written so that a number that is none is no reason to go on.
    if (!isWorthRepeating(outcome, rules) || !(count <= rules.retries)) return new Unanswered(error, mayHaveHappened)
    const waitMillis = Math.max(Math.min(retryAfterMillis, rules.maxWaitMillis), backoff(count, backoffMillis))
    onRetry?.({ attempt: count, waitMillis, status: error.status, reason: error.message })
    await delay(waitMillis, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    if (signal?.aborted) return new Unanswered(error, mayHaveHappened, true)
  }
}

function isWorthRepeating({ known, retryAfterMillis, error }: FailedAttempt, rules: Repetition): boolean {
  if (rules.whenLonger === 'throw' && retryAfterMillis > rules.maxWaitMillis) return false
  if (known === 'nothing_done') return true
  // An answer of another server, with a status of success, stays that.
  const isAnswerOfOthers = error.status !== null && error.status < 300
  return known === 'unknown' && rules.mayRepeatUnknown && !isAnswerOfOthers
}

/** Ends early, with the reason of the signal. */
export async function pause(millis: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(millis, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  signal?.throwIfAborted()
}

function backoff(count: number, first: number): number {
  return Math.min(MAX_BACKOFF_MILLIS, first * 2 ** (count - 1)) * (0.8 + 0.4 * Math.random())
}
