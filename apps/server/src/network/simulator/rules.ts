import type { RecurringFrequency } from '@mintmark/contract'
import type { Money } from '../../platform/money.ts'
import { type ConfirmRequest, DECLINE_REASONS, type DeclineReason } from '../port.ts'
import type { CardFacts } from './card-number.ts'
import type { ResponseCode } from './response-codes.ts'
import type { CredentialState } from './states.ts'
import type { Behaviour } from './test-cards.ts'

/** A rule's result: nothing against it, or the reason. */
export type Decision = { allowed: true } | { allowed: false; reason: DeclineReason }

/** Reasons and whether each applies. The order of the port decides which is given, not the order written here. */
type Findings = Partial<Record<DeclineReason, boolean>>

function decide(findings: Findings): Decision {
  const reason = DECLINE_REASONS.find((candidate) => findings[candidate] === true)
  return reason === undefined ? { allowed: true } : { allowed: false, reason }
}

/** Whether a card gets a token. */
export function decideProvision(card: CardFacts, expiry: { month: number; year: number }, now: Date): Decision {
  return decide({
    CARD_NUMBER_INVALID: !card.valid,
    CARD_EXPIRED: hasMonthPassed(expiry, now),
    CVV_MISMATCH: !card.cvvAccepted || card.behaviour === 'cvv_mismatch',
    BIN_COUNTRY_NOT_ALLOWED: card.behaviour === 'bin_country_refused',
    BIN_ISSUER_NOT_ALLOWED: card.behaviour === 'bin_issuer_refused',
    CARD_DECLINED: card.behaviour === 'card_declined',
  })
}

/** A card is good through the last moment of its month, UTC. A month that does not exist has passed. */
export function hasMonthPassed(expiry: { month: number; year: number }, now: Date): boolean {
  const exists = Number.isInteger(expiry.year) && expiry.month >= 1 && expiry.month <= 12
  return !exists || monthEnd(expiry) <= now
}

/** The first moment after a month, UTC. */
export function monthEnd(expiry: { month: number; year: number }): Date {
  return new Date(Date.UTC(expiry.year, expiry.month, 1))
}

interface Printed {
  frequency: RecurringFrequency
  validUntil: Date
  /** When the credential lapses, if its life was asked for. */
  end: Date | null
}

/**
 * The month that a minted card carries: the next one, so that every merchant's form takes it today, or a later one in which the
 * credential still lives. Without a life of its own that is the end of an instruction for one payment, which may take as long; a
 * recurring one outlives many cards.
 */
export function printedMonth(now: Date, { frequency, validUntil, end }: Printed) {
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
  const last = end ?? (frequency === 'one_time' ? validUntil : next)
  const printed = last > next ? last : next
  return { year: printed.getUTCFullYear(), month: printed.getUTCMonth() + 1 }
}

interface RegistrationFacts {
  /** The card's script says so. */
  isRefused: boolean
  tokenActive: boolean
  /** The mandate id was cancelled, or is in use with other terms. */
  mandateTaken: boolean
  validUntil: Date
  /** Undefined: any merchant. Null: the merchant's URL names no host. */
  merchantHost: string | null | undefined
  now: Date
}

/** Whether an instruction may be registered. */
export function decideRegistration(facts: RegistrationFacts): Decision {
  return decide({
    CARD_DECLINED: facts.isRefused,
    TOKEN_NOT_ACTIVE: !facts.tokenActive,
    INSTRUCTION_NOT_ACTIVE: facts.mandateTaken,
    INSTRUCTION_EXPIRED: facts.validUntil <= facts.now,
    MERCHANT_NOT_ALLOWED: facts.merchantHost === null,
  })
}

export interface MintFacts {
  behaviour: Behaviour
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

/** Whether a credential may be minted. */
export function decideMint(facts: MintFacts, request: { amount: Money; merchantHost: string | null }): Decision {
  const { amount, merchantHost } = request
  return decide({
    CARD_DECLINED: facts.behaviour === 'mint_declined',
    TOKEN_NOT_ACTIVE: !facts.tokenActive,
    INSTRUCTION_NOT_ACTIVE: !facts.instructionActive,
    INSTRUCTION_EXPIRED: facts.validUntil <= facts.now,
    CURRENCY_MISMATCH: amount.currency !== facts.cap.currency,
    MERCHANT_NOT_ALLOWED: merchantHost === null || (facts.lockedHost !== null && merchantHost !== facts.lockedHost),
    MAX_CHARGES_EXCEEDED: facts.maxCharges !== null && facts.chargeCount >= facts.maxCharges,
    THRESHOLD_EXCEEDED: facts.spentMinor + amount.minor > facts.cap.minor,
    NOT_FOUND: !facts.referenceRight,
  })
}

export interface CredentialFacts {
  state: CredentialState
  behaviour: Behaviour
  amount: Money
  merchantHost: string
  validUntil: Date
  now: Date
}

export interface PresentedFacts {
  cvvRight: boolean
  expiryRight: boolean
  amount: Money
  merchantHost: string | null
}

/**
 * The acquirer's answer, first match wins. A blocked credential gives 62 for a right and a wrong CVV alike, and the CVV
 * comes before all else: a caller who does not know it learns nothing about the credential.
 */
export function decideAuthorization(credential: CredentialFacts | null, presented: PresentedFacts): ResponseCode {
  if (credential === null) return '14'
  if (credential.state === 'blocked') return '62'
  if (!presented.cvvRight) return '82'
  if (!presented.expiryRight) return '54'
  if (credential.state === 'closed') return '62'
  if (credential.state === 'used') return '57'
  if (credential.validUntil <= credential.now) return '54'
  if (presented.amount.currency !== credential.amount.currency) return '12'
  if (presented.merchantHost !== credential.merchantHost) return '03'
  if (presented.amount.minor > credential.amount.minor) return '61'
  if (credential.behaviour === 'credential_expired') return '54'
  if (credential.behaviour === 'do_not_honour') return '05'
  if (credential.behaviour === 'insufficient_funds' && presented.amount.minor > 0n) return '51'
  return '00'
}

/** What the acquirer saw of a charge. */
export interface Authorized {
  wasTried: boolean
  approvedMinor: bigint | null
}

/**
 * Whether a report says something else than the acquirer knows: declined of what it approved, approved of what it refused
 * every time, or more than it approved. It knows nothing of a charge it never saw: that may have been paid elsewhere.
 */
export function contradicts(
  { outcome, amountPaid }: Pick<ConfirmRequest, 'outcome' | 'amountPaid'>,
  { wasTried, approvedMinor }: Authorized,
): boolean {
  if (!wasTried) return false
  if (outcome === 'DECLINED') return approvedMinor !== null
  return approvedMinor === null || (amountPaid !== null && amountPaid.minor > approvedMinor)
}
