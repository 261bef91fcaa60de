import type { MintedCredential } from '../network/port.ts'
import type { Money } from '../platform/money.ts'
import type { Secret } from '../platform/secret.ts'

/**
 * A shop that is handed the card of a charge, and whose own token its agent gets. `ok` and `refused` are certain; `unknown`: the shop may have
 * the card or not, and the same is to be asked again.
 */
export type DelegationAnswer<T> = { outcome: 'ok'; value: T } | { outcome: 'refused' } | { outcome: 'unknown' }

/** The checkout of an agent at a shop. */
export interface CheckoutToPay {
  /** Idempotency key: one token a charge. */
  chargeId: string
  shopId: string
  /** The payee of the charge: the shop is only asked while it is at this host. */
  payeeUrl: string
  /** The shop's own name of it. */
  sessionId: string
  total: Money
}

export interface CardToHandOver extends CheckoutToPay {
  credential: Omit<MintedCredential, 'validUntil'>
  /** When the token is over; the same at each repetition. */
  expiresAt: Date
}

export interface ShopToken {
  token: Secret
  handlerId: string
}

export interface Delegations {
  /** The shop at the host of this merchant, or why there is none, for a field of the request. */
  shopAt(payeeUrl: string): Promise<{ shopId: string; problem: null } | { shopId: null; problem: string }>
  /** Whether the checkout is open at that total. Changes nothing. */
  look(checkout: CheckoutToPay): Promise<DelegationAnswer<unknown>>
  delegate(card: CardToHandOver): Promise<DelegationAnswer<ShopToken>>
}
