import type { ChargeStatus, MerchantResultStatus, PaymentFailure, SessionStatus } from '@mintmark/contract'

/** How a purchase stands at its shop. What became of the money is its charge's to say. */
export const PURCHASE_STATES = [
  'pending',
  'quote_ready',
  'prepared',
  'paying',
  'needs_human',
  'paid',
  'prepare_failed',
  'failed',
] as const
export type PurchaseState = (typeof PURCHASE_STATES)[number]

/** Which state a purchase may move to. Each move is committed before what it allows is done. */
export const PURCHASE_TRANSITIONS = {
  /** Approved. The shop has heard nothing. */
  pending: ['quote_ready', 'prepare_failed', 'failed'],
  /** What was approved still stands, and the shop may have been asked to prepare. */
  quote_ready: ['prepared', 'prepare_failed', 'failed'],
  /** The shop holds what was quoted; the network may have been asked to mint. Neither we nor the shop have a credential: it can be revoked. */
  prepared: ['paying', 'failed'],
  /** A credential exists, and the shop may have it. Ended by the shop's word, or an operator's. */
  paying: ['paid', 'failed', 'needs_human'],
  /** The shop wants a person. Ended by an operator, or by the shop's word after all. */
  needs_human: ['paid', 'failed'],
  /** The shop says it was paid. Terminal; the network is told. */
  paid: [],
  /** The shop prepared nothing. Terminal. */
  prepare_failed: [],
  /** Nothing was paid, for certain. Terminal; what was prepared is given back, and the network is told. */
  failed: [],
} as const satisfies Record<PurchaseState, readonly PurchaseState[]>

/** `merchant_res.status` of a purchase whose shop has answered. That the service has a credential is not shown. */
export const MERCHANT_RESULT_OF: Record<PurchaseState, MerchantResultStatus> = {
  pending: 'pending',
  quote_ready: 'quote_ready',
  prepared: 'prepared',
  paying: 'prepared',
  needs_human: 'needs_human',
  paid: 'paid',
  prepare_failed: 'prepare_failed',
  failed: 'failed',
}

/** The status of a session whose purchase the service makes: it hands out no credential, so it awaits no report. */
export const QUOTED_STATUS_OF = {
  initiated: 'pending',
  minting: 'processing',
  awaiting_result: 'processing',
  completed: 'completed',
  failed: 'failed',
} as const satisfies Record<ChargeStatus, SessionStatus>

/** How a session ended before its payment began, or by its merchant's own word. No simulation hides that. */
export const NOT_OF_THE_PAYMENT: readonly PaymentFailure[] = ['SESSION_EXPIRED', 'SESSION_REVOKED', 'CANCELLED']
