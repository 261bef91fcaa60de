import type { ChargeStatus } from '@mintmark/contract'

/** Which status a charge may move to. On the wire `initiated` and `minting` are one: `initiated`. */
export const CHARGE_TRANSITIONS = {
  /** Written with its session; nobody has approved it. */
  initiated: ['minting', 'failed'],
  /** The network was or may have been asked. Ended only by the network's word or by voiding at the network. */
  minting: ['awaiting_result', 'failed'],
  /** A credential exists, sealed; the merchant has not had its report confirmed. */
  awaiting_result: ['completed', 'failed'],
  /** Reported as approved and confirmed. Terminal. */
  completed: [],
  /** No payment came of it; `failure_code` says why. Terminal. */
  failed: [],
} as const satisfies Record<ChargeStatus, readonly ChargeStatus[]>
