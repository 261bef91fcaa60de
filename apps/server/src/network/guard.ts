import { noteAway, remainingMillis, unbounded } from '../platform/bounds.ts'
import * as answers from './answers.ts'
import type { CardNetwork, NetworkAnswer } from './port.ts'

/**
 * Keeps the promise of the port for any adapter: no call throws, hangs or returns nonsense. Every failure is
 * `unknown`, with a cause made of fixed words and an error code. Messages of errors are left out: they may quote data.
 * The timer is the machine's, not the injected clock: it measures waiting, no rule depends on it.
 */
export function guardNetwork(network: CardNetwork, options: { timeoutMillis: number }): CardNetwork {
  const guard = <T>(ask: () => Promise<NetworkAnswer<T>>, check: answers.ShapeCheck) =>
    guarded(options.timeoutMillis, ask, check)
  return {
    provision: (request) => guard(() => network.provision(request), answers.isProvisionValue),
    completeStepUp: (request) => guard(() => network.completeStepUp(request), answers.isTokenValue),
    verifyCard: (request) => guard(() => network.verifyCard(request), answers.isEmptyValue),
    deleteToken: (request) => guard(() => network.deleteToken(request), answers.isEmptyValue),
    registerInstruction: (request) => guard(() => network.registerInstruction(request), answers.isInstructionValue),
    cancelInstruction: (request) => guard(() => network.cancelInstruction(request), answers.isEmptyValue),
    mint: (request) => guard(() => network.mint(request), answers.isCredentialValue),
    inquire: (request) => guard(() => network.inquire(request), answers.isInquiryValue),
    confirm: (request) => guard(() => network.confirm(request), answers.isEmptyValue),
  }
}

async function guarded<T>(
  timeoutMillis: number,
  ask: () => Promise<NetworkAnswer<T>>,
  check: answers.ShapeCheck,
): Promise<NetworkAnswer<T>> {
  const timeout = Promise.withResolvers<NetworkAnswer<T>>()
  const startedAt = performance.now()
  const millis = Math.min(timeoutMillis, remainingMillis())
  const timer = setTimeout(() => timeout.resolve({ outcome: 'unknown', cause: 'timeout' }), millis)
  try {
    // Asked without the bounds of our caller: a network knows nothing of them, and what it began it ends. The race also
    // handles an answer that fails after the time-out; without it that would be an unhandled rejection.
    const answer = await Promise.race([unbounded(ask), timeout.promise])
    return answers.isAnswer(answer, check) ? answer : { outcome: 'unknown', cause: 'malformed answer' }
  } catch (error) {
    return { outcome: 'unknown', cause: describe(error) }
  } finally {
    clearTimeout(timer)
    noteAway(performance.now() - startedAt)
  }
}

/** Error codes (SQLSTATE, ECONNRESET …) are a closed vocabulary and safe to keep; anything else is not shown. */
function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? `failed: ${code}` : 'failed'
}
