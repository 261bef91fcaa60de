import type { MerchantResultStatus, PaymentFailure } from '@mintmark/contract'
import { backoffSeconds } from '../../platform/backoff.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { CheckoutAnswer, CheckoutRefusal, PaidPurchase, PayResult, ShopPurchaseState } from '../port.ts'
import { MERCHANT_RESULT_OF, type PurchaseState } from './states.ts'

// What an answer of a shop means for a purchase, as tables without a database or a clock.

/** What is to be done about what a shop said. */
export type Verdict =
  /** It holds what was quoted. */
  | { next: 'prepared' }
  /** It has no payment of this: what was asked for may be asked for again, or be given up. */
  | { next: 'open' }
  /** It is at it: ask again. */
  | { next: 'wait' }
  /** It did not say. */
  | { next: 'unknown' }
  | { next: 'needs_human' }
  /** Nothing was paid, and nothing will be. */
  | { next: 'refused'; failure: PaymentFailure }
  | ({ next: 'paid' } & Paid)

export interface Paid {
  orderRef: string | null
  authorizationCode: string | null
}

const UNKNOWN = { next: 'unknown' } as const
const NOT_PREPARED = { next: 'refused', failure: 'MERCHANT_PREPARE_FAILED' } as const

export function afterPrepare(answer: CheckoutAnswer<object>): Verdict {
  switch (answer.outcome) {
    case 'ok':
      return { next: 'prepared' }
    case 'refused':
      return NOT_PREPARED
    case 'unknown':
      return UNKNOWN
  }
}

/** The purchase was to be prepared: there has been no credential for it, so nothing can have been paid with one. */
export function afterLookingForPrepared(answer: CheckoutAnswer<ShopPurchaseState>): Verdict {
  if (answer.outcome === 'unknown') return UNKNOWN
  // A shop that knows nothing of it says so in either way.
  if (answer.outcome === 'refused') return answer.reason === 'not_found' ? { next: 'open' } : NOT_PREPARED
  switch (answer.value.state) {
    case 'not_found':
      return { next: 'open' }
    case 'open':
      return { next: 'prepared' }
    case 'in_progress':
      return { next: 'wait' }
    case 'needs_human':
      return { next: 'refused', failure: 'MERCHANT_ACTION_REQUIRED' }
    // It says paid, and had nothing to be paid with: a person has to look, but not at our money.
    case 'paid':
    case 'declined':
    case 'released':
      return NOT_PREPARED
  }
}

/** The shop was asked for a payment, and handed its credential. */
export function afterPay(answer: CheckoutAnswer<PayResult>): Verdict {
  switch (answer.outcome) {
    case 'ok':
      return afterState(answer.value)
    case 'refused':
      return { next: 'refused', failure: failureOf(answer.reason) }
    case 'unknown':
      return UNKNOWN
  }
}

/** The shop may have been asked for a payment. */
export function afterLookingForPayment(answer: CheckoutAnswer<ShopPurchaseState>): Verdict {
  if (answer.outcome === 'ok') return afterState(answer.value)
  // It held the purchase before, and a refusal to say how it stands says nothing of the money.
  if (answer.outcome === 'refused' && answer.reason === 'not_found') return { next: 'needs_human' }
  return UNKNOWN
}

function afterState(state: ShopPurchaseState): Verdict {
  switch (state.state) {
    case 'paid':
      return { next: 'paid', ...paidOf(state) }
    case 'declined':
      return { next: 'refused', failure: failureOf(state.reason) }
    case 'released':
      return { next: 'refused', failure: 'PAYMENT_FAILED' }
    case 'open':
      return { next: 'open' }
    case 'in_progress':
      return { next: 'wait' }
    // A shop that prepared it and has lost it contradicts itself; it may have been paid in between.
    case 'not_found':
    case 'needs_human':
      return { next: 'needs_human' }
  }
}

/** What was asked to be given back: whether it is certain now that nothing of it is held, and nothing will be paid. */
export function isReleased(answer: CheckoutAnswer<object>): boolean {
  return answer.outcome === 'ok' || (answer.outcome === 'refused' && answer.reason === 'released')
}

const FAILURES: Partial<Record<CheckoutRefusal, PaymentFailure>> = {
  card_declined: 'CARD_DECLINED',
  insufficient_funds: 'INSUFFICIENT_FUNDS',
}

/** Why a payment came to nothing, in the few words that merchants know. */
export function failureOf(reason: CheckoutRefusal): PaymentFailure {
  return FAILURES[reason] ?? 'PAYMENT_FAILED'
}

/** What a network's refusal to mint is to the merchant of a quote-backed session, which has fewer words. */
export function failureOfMint(failure: PaymentFailure): PaymentFailure {
  return failure === 'CARD_DECLINED' ? failure : 'PAYMENT_FAILED'
}

const ORDER_REF = /^[A-Za-z0-9._:-]{1,64}$/
/** As a report of a merchant may have it. */
const AUTHORIZATION_CODE = /^[\x21-\x7e]{1,128}$/

/** Text of a shop is kept only in a form that does no harm wherever it is shown. */
export function paidOf({ orderId, authorizationCode }: PaidPurchase): Paid {
  return {
    orderRef: orderId !== null && ORDER_REF.test(orderId) ? orderId : null,
    authorizationCode:
      authorizationCode !== null && AUTHORIZATION_CODE.test(authorizationCode) ? authorizationCode : null,
  }
}

export function isOrderRef(text: string): boolean {
  return ORDER_REF.test(text)
}

/** Whether a shop has been silent so long that a person should know. */
export function isOverlong(unknownSince: Date | null, now: Date): boolean {
  return unknownSince !== null && addSeconds(unknownSince, ALARM_SECONDS) <= now
}

const ALARM_SECONDS = 15 * 60

/**
 * Since when the service does not know what became of a purchase; null: not long enough to say so. A shop that is at it for ever, or has
 * no payment of it and will not give it back, has not said either: without this no operator would hear of it, or could end it. A
 * person is at one of `needs_human` already, while the shop answers.
 */
export function silentSince(
  work: { state: PurchaseState; unknownSince: Date | null; changedAt: Date },
  isSilent: boolean,
  now: Date,
): Date | null {
  if (isSilent) return work.unknownSince ?? now
  return work.state !== 'needs_human' && isOverlong(work.changedAt, now) ? work.changedAt : null
}

const LATER_SECONDS = 5 * 60
const HUMAN_SECONDS = 15 * 60

/** When a shop is asked again. No number of tries, and no time, makes an answer of its silence. */
export function nextInquiry(
  work: { attempts: number; unknownSince: Date | null; state: PurchaseState },
  now: Date,
): Date {
  if (work.state === 'needs_human') return addSeconds(now, HUMAN_SECONDS)
  return addSeconds(now, isOverlong(work.unknownSince, now) ? LATER_SECONDS : backoffSeconds(work.attempts))
}

/** Whether a purchase that needs a person has waited for one as long as it may. */
export function isHumanOver(work: Stuck, humanHours: number, now: Date): boolean {
  return work.state === 'needs_human' && addSeconds(work.changedAt, humanHours * HOUR_SECONDS) <= now
}

type Stuck = { state: PurchaseState; changedAt: Date }
const HOUR_SECONDS = 60 * 60
const DAY_SECONDS = 24 * HOUR_SECONDS

/** Whether, of one that has waited so long, a day has begun since the shop was asked before: an operator is told once in each. */
export function isDayOfAlarm(work: Stuck & { dueAt: Date }, humanHours: number, now: Date): boolean {
  const first = addSeconds(work.changedAt, humanHours * HOUR_SECONDS)
  const dayOf = (at: Date) => Math.floor((at.getTime() - first.getTime()) / (DAY_SECONDS * 1000))
  return dayOf(now) > dayOf(addSeconds(work.dueAt, -HUMAN_SECONDS))
}

const MAX_RELEASING_SECONDS = 7 * DAY_SECONDS

/**
 * When a shop that does not answer is asked again to give back what it may hold. Null: not any more. A quote lives for minutes; a shop
 * that is gone would be asked for ever about goods that it keeps no more, and no money and no answer depends on it.
 */
export function nextRelease(work: { attempts: number; changedAt: Date }, now: Date): Date | null {
  if (addSeconds(work.changedAt, MAX_RELEASING_SECONDS) <= now) return null
  return addSeconds(now, isOverlong(work.changedAt, now) ? LATER_SECONDS : backoffSeconds(work.attempts))
}

/** `merchant_res.status` of a purchase. */
export function merchantStatusOf(purchase: { state: PurchaseState; unknownSince: Date | null }): MerchantResultStatus {
  const isAsked = purchase.state === 'quote_ready' || purchase.state === 'paying'
  return isAsked && purchase.unknownSince !== null ? 'unknown' : MERCHANT_RESULT_OF[purchase.state]
}
