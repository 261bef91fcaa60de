import { type ConnectionOptions, checkAddress, checkSecretKey } from './connection.ts'
import { repeatedly, Unanswered } from './repeat.ts'

export interface RequestOptions extends ConnectionOptions {
  /** A secret key of the account: `sk_test_…` or `sk_live_…`. */
  secretKey: string
  /** How often a failed call is repeated. Default: 10, which is about four minutes. `Infinity` never gives up. */
  retries?: number | undefined
}

const RETRIES = 10
/** A server may ask for more than that by mistake; a caller would look dead. */
const MAX_RETRY_AFTER_MILLIS = 10 * 60_000

/**
 * Reads JSON. Repeats what may succeed later: no answer, 429, 5xx; waits as long as `Retry-After` says. Throws a `TypeError` for an
 * address or a key that nothing can be sent with.
 */
export async function readJson(path: string, options: RequestOptions): Promise<unknown> {
  const { apiUrl, secretKey, retries = RETRIES, signal } = options
  checkAddress(apiUrl)
  checkSecretKey(secretKey)
  const rules = {
    ...{ retries, mayRepeatUnknown: true, maxWaitMillis: MAX_RETRY_AFTER_MILLIS },
    whenLonger: 'wait_less' as const,
  }
  const outcome = await repeatedly({ method: 'GET', path }, options, () => bearer(secretKey), rules)
  if (!(outcome instanceof Unanswered)) return outcome.body
  if (outcome.wasAborted) signal?.throwIfAborted()
  throw outcome.error
}

export const bearer = (secretKey: string) => ({ authorization: `Bearer ${secretKey.trim()}` })
