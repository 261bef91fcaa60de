import { remainingMillis, unbounded } from '../platform/bounds.ts'
import { isRecord } from '../platform/json.ts'
import { isAnswer, type ShapeCheck } from './answers.ts'
import { FACT_KINDS, type NetworkEvents, type ReceivedMessage } from './events-port.ts'
import type { NetworkAnswer } from './port.ts'

/**
 * Keeps the promise of the second port for any adapter, as `guardNetwork` does of the first: no call throws, hangs or
 * returns nonsense. Workers ask, so there is no bound on how many do.
 */
export function guardNetworkEvents(events: NetworkEvents, { timeoutMillis }: { timeoutMillis: number }): NetworkEvents {
  const guard = async <T>(ask: () => Promise<NetworkAnswer<T>>, check: ShapeCheck): Promise<NetworkAnswer<T>> => {
    const answer = await within(timeoutMillis, ask)
    return answer === undefined || !isAnswer(answer, check) ? { outcome: 'unknown', cause: 'no answer' } : answer
  }
  return {
    ...(events.path !== undefined && { path: events.path }),
    async receive(message): Promise<ReceivedMessage> {
      const received = await within(timeoutMillis, () => events.receive(message))
      return received ?? { outcome: 'unknown', cause: 'no answer' }
    },
    observed: (request) => guard(() => events.observed(request), isObservedValue),
    listNews: (request) => guard(() => events.listNews(request), isNewsValue),
  }
}

/** Undefined: it failed, or took too long. */
async function within<T>(millis: number, ask: () => Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, Math.min(millis, remainingMillis()), undefined)
  try {
    return await Promise.race([unbounded(ask), late])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

const KINDS: ReadonlySet<unknown> = new Set(FACT_KINDS)
const FACT_ID = /^[\x21-\x7e]{1,200}$/

const isObservedValue: ShapeCheck = (value) =>
  isRecord(value) && Array.isArray(value.facts) && value.facts.every(isFact)

function isFact(fact: unknown): boolean {
  if (!isRecord(fact)) return false
  const { factId, kind, amount, merchant, occurredAt } = fact
  const isNamed = typeof factId === 'string' && FACT_ID.test(factId) && KINDS.has(kind)
  const isAmount = isRecord(amount) && typeof amount.minor === 'bigint' && amount.minor >= 0n
  const isTime = occurredAt instanceof Date && !Number.isNaN(occurredAt.getTime())
  return isNamed && isAmount && isTime && (merchant === null || (typeof merchant === 'string' && merchant.length < 500))
}

const isNewsValue: ShapeCheck = (value) => isRecord(value) && Array.isArray(value.news) && value.news.every(isNews)

function isNews(news: unknown): boolean {
  return isRecord(news) && typeof news.chargeId === 'string' && typeof news.mandateId === 'string'
}
