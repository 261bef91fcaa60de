import type { ChargeStatus, SessionStatus } from '@mintmark/contract'
import { CHARGE_TRANSITIONS } from '../charges/states.ts'

/** The status of a payment session is its charge's, in the words of the wire. It is stored nowhere else. */
export const SESSION_STATUS_OF = {
  /** Created; the cardholder has not approved. Ended by approval, cancel, revoke or the session's lifetime. */
  initiated: 'pending',
  /** Approved; the network call is open or its outcome unknown. Ended by the network's word, or by revoke. */
  minting: 'processing',
  /** A credential exists. Ended by the merchant's report or by the lapse of the per-checkout mandate. */
  awaiting_result: 'awaiting_result',
  /** Reported as approved. Terminal. */
  completed: 'completed',
  /** Ended without a payment; the charge's failure says why. Terminal. */
  failed: 'failed',
} as const satisfies Record<ChargeStatus, SessionStatus>

/** Which status a payment session may move to: the moves of its charge. */
export const SESSION_TRANSITIONS = Object.fromEntries(
  Object.entries(CHARGE_TRANSITIONS).map(([from, targets]) => [
    SESSION_STATUS_OF[from as ChargeStatus],
    targets.map((to) => SESSION_STATUS_OF[to]),
  ]),
) as Record<string, SessionStatus[]> as Record<SessionStatus, readonly SessionStatus[]>

/** A session that sets up a mandate never awaits a result. */
export type SetupStatus = Exclude<SessionStatus, 'awaiting_result'>

/** Which status such a session may move to: the moves of its mandate until it is active. */
export const SETUP_TRANSITIONS = {
  /** The cardholder has not approved. */
  pending: ['processing', 'failed'],
  /** Approved; the network has not said whether it registered the instruction. */
  processing: ['completed', 'failed'],
  /** The mandate was active. What becomes of it then is its own matter. Terminal. */
  completed: [],
  /** No mandate came of it. Terminal. */
  failed: [],
} as const satisfies Record<SetupStatus, readonly SetupStatus[]>
