import { bounded, noteAway, remainingMillis } from '../../platform/bounds.ts'
import type { CheckoutAnswer, DelegateRequest, MerchantCheckout } from '../port.ts'
import * as answers from './answers.ts'
import { NoAnswer } from './no-answer.ts'

/** How long a verb may take, its requests together. */
export interface CheckoutBudgets {
  callMillis: number
  payMillis: number
}

/**
 * Keeps the promise of the port for any adapter: no call throws, hangs or returns nonsense. Every failure is `unknown`,
 * with a cause made of fixed words and codes. Messages of errors are left out: they may quote data. The timer is the
 * machine's, not the injected clock: it measures waiting, no rule depends on it.
 */
export function guardCheckout(
  checkout: MerchantCheckout,
  { callMillis, payMillis }: CheckoutBudgets,
): MerchantCheckout {
  const guard = <T>(ask: () => Promise<CheckoutAnswer<T>>, check: answers.ShapeCheck) => guarded(callMillis, ask, check)
  const { delegate } = checkout
  return {
    ...(delegate !== undefined && {
      delegate: (request: DelegateRequest) => guard(() => delegate(request), answers.isDelegatedCard),
    }),
    search: (request) => guard(() => checkout.search(request), answers.isPageFor(request)),
    product: (request) => guard(() => checkout.product(request), answers.isProductFor(request)),
    quote: (request) => guard(() => checkout.quote(request), answers.isQuoteFor(request)),
    prepare: (request) => guard(() => checkout.prepare(request), answers.isEmptyValue),
    pay: (request) => guarded(payMillis, () => checkout.pay(request), answers.isPayResult),
    inquire: (request) => guard(() => checkout.inquire(request), answers.isPurchaseState),
    release: (request) => guard(() => checkout.release(request), answers.isEmptyValue),
  }
}

async function guarded<T>(
  ownMillis: number,
  ask: () => Promise<CheckoutAnswer<T>>,
  check: answers.ShapeCheck,
): Promise<CheckoutAnswer<T>> {
  const timeout = Promise.withResolvers<CheckoutAnswer<T>>()
  const startedAt = performance.now()
  const millis = Math.min(ownMillis, remainingMillis())
  const timer = setTimeout(() => timeout.resolve(answers.unknown('timeout')), millis)
  try {
    // With bounds of its own: a request that was begun is ended also when our caller has gone, and none is begun after
    // its time. The race also handles an answer that fails after the time-out; without it that would be an unhandled
    // rejection.
    const bounds = { endsAtMillis: startedAt + ownMillis, isGone: false, awayMillis: 0 }
    const answer = await Promise.race([bounded(bounds, ask), timeout.promise])
    return answers.isAnswer(answer, check) ? answer : answers.unknown('malformed answer')
  } catch (error) {
    return answers.unknown(describe(error))
  } finally {
    clearTimeout(timer)
    noteAway(performance.now() - startedAt)
  }
}

/** Error codes (ECONNRESET …) are a closed vocabulary and safe to keep; anything else is not shown. */
function describe(error: unknown): string {
  if (error instanceof NoAnswer) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? `failed: ${code}` : 'failed'
}
