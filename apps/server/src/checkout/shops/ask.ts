import { remainingMillis, unbounded } from '../../platform/bounds.ts'
import type { CheckoutAnswer } from '../port.ts'

export type Ask<T> = () => Promise<CheckoutAnswer<T>>

/** After a time-out of a whole question's time a shop counts as silent for so long, unless it answers meanwhile. */
const SILENT_MILLIS = 10_000
/**
 * So many questions are asked of a silent shop at a time. Each of them holds a place of the door until its time is over: without
 * this bound the callers of one dead shop would keep all others out.
 */
const MAX_WHILE_SILENT = 4

/** What this process has seen of one shop. A hint: it decides nothing but how long a caller waits. */
interface Sight {
  asked: number
  silentUntilMillis: number
}

/**
 * Asks shops what a caller waits for. No question throws or takes longer than its time, also with an adapter that does: what it does not
 * answer is `unknown`.
 */
export function createAsker(timeoutMillis: number) {
  const sights = new Map<string, Sight>()
  const sightOf = (shopId: string): Sight => {
    const known = sights.get(shopId)
    if (known !== undefined) return known
    const fresh = { asked: 0, silentUntilMillis: 0 }
    sights.set(shopId, fresh)
    return fresh
  }
  const isSilent = (shopId: string) => sightOf(shopId).silentUntilMillis > performance.now()

  async function ask<T>(shopId: string, question: Ask<T>): Promise<CheckoutAnswer<T>> {
    const sight = sightOf(shopId)
    if (isSilent(shopId) && sight.asked >= MAX_WHILE_SILENT) return { outcome: 'unknown', cause: 'silent' }
    sight.asked += 1
    const millis = Math.min(timeoutMillis, remainingMillis())
    const answer = await inTime(millis, question)
    sight.asked -= 1
    if (!isTimeout(answer)) sight.silentUntilMillis = 0
    // A caller who had waited for our own database leaves a question little time: that says nothing of the shop.
    else if (millis === timeoutMillis) sight.silentUntilMillis = performance.now() + SILENT_MILLIS
    return answer
  }
  return { ask, isSilent }
}

const TIMEOUT = { outcome: 'unknown', cause: 'timeout' } as const

function isTimeout(answer: CheckoutAnswer<unknown>): boolean {
  return answer.outcome === 'unknown' && answer.cause === TIMEOUT.cause
}

async function inTime<T>(millis: number, question: Ask<T>): Promise<CheckoutAnswer<T>> {
  const timeout = Promise.withResolvers<CheckoutAnswer<T>>()
  const timer = setTimeout(() => timeout.resolve(TIMEOUT), millis)
  try {
    // The adapter ends what it began by its own limits. The race also handles an answer that fails after the time-out.
    return await Promise.race([unbounded(question), timeout.promise])
  } catch {
    // An adapter that throws after all may quote the shop: neither its text nor its stack goes any further.
    return { outcome: 'unknown', cause: 'failed' }
  } finally {
    clearTimeout(timer)
  }
}
