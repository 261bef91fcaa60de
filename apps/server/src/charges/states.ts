import type { ChargeStatus } from '@mintmark/contract'

/** Which status a charge may move to. On the wire `initiated` and `minting` are one: `initiated`. */
export const CHARGE_TRANSITIONS = {
  /** Written, and not approved yet. */
  initiated: ['minting', 'failed'],
  /** The network was asked, or may have been. Ended only by the network's word or by voiding at the network. */
  minting: ['awaiting_result', 'failed'],
  /** A credential exists, sealed; the merchant has not had its report confirmed. */
  awaiting_result: ['completed', 'failed'],
  /** Reported as approved and confirmed. Terminal. */
  completed: [],
  /** No payment came of it; `failure_code` says why. Terminal. */
  failed: [],
} as const satisfies Record<ChargeStatus, readonly ChargeStatus[]>
