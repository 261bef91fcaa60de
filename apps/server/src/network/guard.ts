import { currentTenant, noteAway, remainingMillis, unbounded } from '../platform/bounds.ts'
import * as answers from './answers.ts'
import type { CardNetwork, NetworkAnswer } from './port.ts'

/** So many questions in a row waited for nothing, and the network counts as silent until it answers one. */
const SILENT_AFTER = 3
/**
 * So many callers ask a silent network at a time. Each of them holds a place of the door until the time of the question is over: without
 * this bound they would keep all others out, also those who want nothing of the network. They find out when it answers again.
 */
const MAX_WHILE_SILENT = 16
/** So many callers of one tenant: a few cards for which the network hangs are no silence for the customers of others. */
const MAX_OF_ONE_TENANT = 4

/** An adapter has stopped waiting by itself: the same as the end of our own time. */
export class GaveUpWaiting extends Error {
  override readonly name = 'GaveUpWaiting'
}

const TIMEOUT = { outcome: 'unknown', cause: 'timeout' } as const

/** What this process has seen of the network. A hint: it decides nothing but how long a caller waits. */
interface Sight {
  /** For whom callers wait for an answer: one entry for each of them. */
  waiting: (string | undefined)[]
  /** Questions that waited for nothing since the last answer. */
  unanswered: number
}

/**
 * Keeps the promise of the port for any adapter: no call throws, hangs or returns nonsense. Every failure is
 * `unknown`, with a cause made of fixed words and an error code. Messages of errors are left out: they may quote data.
 * The timer is the machine's, not the injected clock: it measures waiting, no rule depends on it.
 */
export function guardNetwork(network: CardNetwork, { timeoutMillis }: { timeoutMillis: number }): CardNetwork {
  const sight: Sight = { waiting: [], unanswered: 0 }
  const guard = <T>(ask: () => Promise<NetworkAnswer<T>>, check: answers.ShapeCheck) => {
    // A worker, which no caller waits for, asks in any case: what is unknown is still inquired about.
    if (remainingMillis() === Number.POSITIVE_INFINITY) return guarded(timeoutMillis, sight, ask, check)
    return guardedCaller(sight, () => guarded(timeoutMillis, sight, ask, check))
  }
  return {
    provision: (request) => guard(() => network.provision(request), answers.isProvisionValue),
    completeStepUp: (request) => guard(() => network.completeStepUp(request), answers.isTokenValue),
    verifyCard: (request) => guard(() => network.verifyCard(request), answers.isEmptyValue),
    deleteToken: (request) => guard(() => network.deleteToken(request), answers.isEmptyValue),
    inquireToken: (request) => guard(() => network.inquireToken(request), answers.isStandingValue),
    registerInstruction: (request) => guard(() => network.registerInstruction(request), answers.isInstructionValue),
    cancelInstruction: (request) => guard(() => network.cancelInstruction(request), answers.isEmptyValue),
    inquireInstruction: (request) => guard(() => network.inquireInstruction(request), answers.isStandingValue),
    mint: (request) => guard(() => network.mint(request), answers.isCredentialValue),
    inquire: (request) => guard(() => network.inquire(request), answers.isInquiryValue),
    confirm: (request) => guard(() => network.confirm(request), answers.isEmptyValue),
    release: (request) => guard(() => network.release(request), answers.isReleaseValue),
  }
}

/** While the network is silent, most callers are told at once what they would be told when their time is over: nothing was asked. */
async function guardedCaller<T>(sight: Sight, ask: () => Promise<NetworkAnswer<T>>): Promise<NetworkAnswer<T>> {
  const tenant = currentTenant()
  if (sight.unanswered >= SILENT_AFTER && isCrowded(sight, tenant)) return { outcome: 'unknown', cause: 'silent' }
  sight.waiting.push(tenant)
  return ask().finally(() => sight.waiting.splice(sight.waiting.indexOf(tenant), 1))
}

function isCrowded({ waiting }: Sight, tenant: string | undefined): boolean {
  const own = waiting.filter((other) => other === tenant).length
  return own >= MAX_OF_ONE_TENANT || waiting.length >= MAX_WHILE_SILENT
}

async function guarded<T>(
  timeoutMillis: number,
  sight: Sight,
  ask: () => Promise<NetworkAnswer<T>>,
  check: answers.ShapeCheck,
): Promise<NetworkAnswer<T>> {
  const timeout = Promise.withResolvers<NetworkAnswer<T>>()
  const startedAt = performance.now()
  const millis = Math.min(timeoutMillis, remainingMillis())
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    timeout.resolve(TIMEOUT)
  }, millis)
  try {
    // Asked without the bounds of our caller: a network knows nothing of them, and what it began it ends. The race also
    // handles an answer that fails after the time-out; without it that would be an unhandled rejection.
    const answer = await Promise.race([unbounded(ask), timeout.promise])
    return answers.isAnswer(answer, check) ? answer : { outcome: 'unknown', cause: 'malformed answer' }
  } catch (error) {
    isOver ||= error instanceof GaveUpWaiting
    return isOver ? TIMEOUT : { outcome: 'unknown', cause: describe(error) }
  } finally {
    clearTimeout(timer)
    noteAway(performance.now() - startedAt)
    if (!isOver) sight.unanswered = 0
    // A caller who had waited for our own database leaves a question little time: that says nothing of the network.
    else if (millis >= timeoutMillis / 2) sight.unanswered += 1
  }
}

/** Error codes (SQLSTATE, ECONNRESET …) are a closed vocabulary and safe to keep; anything else is not shown. */
function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? `failed: ${code}` : 'failed'
}
