import type { Money } from '../platform/money.ts'
import { DECLINE_REASONS, type DeclineReason } from './port.ts'

/** A rule's result: nothing against it, or the reason. */
export type Decision = { allowed: true } | { allowed: false; reason: DeclineReason }

/** Reasons and whether each applies. The order of the port decides which is given, not the order written here. */
export type Findings = Partial<Record<DeclineReason, boolean>>

export function decide(findings: Findings): Decision {
  const reason = DECLINE_REASONS.find((candidate) => findings[candidate] === true)
  return reason === undefined ? { allowed: true } : { allowed: false, reason }
}

/** An instruction as it stands, behind its lock. */
export interface LimitFacts {
  tokenActive: boolean
  instructionActive: boolean
  /** The caller named the reference that the registration of the mandate returned. */
  referenceRight: boolean
  validUntil: Date
  cap: Money
  maxCharges: number | null
  /** Charges minted and not confirmed as declined. */
  chargeCount: number
  /** Their sum in the window `now` lies in. */
  spentMinor: bigint
  /** Null: any merchant. */
  lockedHost: string | null
  now: Date
}

/**
 * What stands against a mint. Written once: for the simulated network, and for those whose provider has no counterpart
 * of an instruction, where we hold its limits ourselves.
 */
export function limitFindings(facts: LimitFacts, request: { amount: Money; merchantHost: string | null }): Findings {
  const { amount, merchantHost } = request
  return {
    TOKEN_NOT_ACTIVE: !facts.tokenActive,
    INSTRUCTION_NOT_ACTIVE: !facts.instructionActive,
    INSTRUCTION_EXPIRED: facts.validUntil <= facts.now,
    CURRENCY_MISMATCH: amount.currency !== facts.cap.currency,
    MERCHANT_NOT_ALLOWED: merchantHost === null || (facts.lockedHost !== null && merchantHost !== facts.lockedHost),
    MAX_CHARGES_EXCEEDED: facts.maxCharges !== null && facts.chargeCount >= facts.maxCharges,
    THRESHOLD_EXCEEDED: facts.spentMinor + amount.minor > facts.cap.minor,
    NOT_FOUND: !facts.referenceRight,
  }
}
