import type { Currency, RecurringFrequency, ReportedOutcome } from '@mintmark/contract'
import type { Money } from '../platform/money.ts'
import type { Secret } from '../platform/secret.ts'

/**
 * The card network, as the service sees it. Adapters (the simulator, real networks) pass one conformance suite.
 *
 * Every call names the service's own id for the operation, and the network is idempotent on it: the same id again
 * returns the first outcome. A call ends in one of three ways. `ok` and `declined` are the network's word. `unknown`
 * says that the question may or may not have arrived (time-out, broken connection, an answer that makes no sense);
 * the caller asks again or inquires, and never takes it for a refusal. Adapters return `unknown` instead of throwing.
 */
export type NetworkAnswer<T> =
  | { outcome: 'ok'; value: T }
  | { outcome: 'declined'; reason: DeclineReason }
  | { outcome: 'unknown'; cause: string }

/** Why a network says no to a card: another one may do. */
const CARD_DECLINE_REASONS = [
  'CARD_NUMBER_INVALID',
  'CARD_EXPIRED',
  'CVV_MISMATCH',
  'BIN_COUNTRY_NOT_ALLOWED',
  'BIN_ISSUER_NOT_ALLOWED',
  'CARD_DECLINED',
  'STEP_UP_EXHAUSTED',
  'STEP_UP_CODE_WRONG',
  'DEVICE_BINDING_FAILED',
  'TOKEN_NOT_ACTIVE',
] as const
export type CardDeclineReason = (typeof CARD_DECLINE_REASONS)[number]

/** Why a network says no, most specific first: when several apply the first in this list is given. */
export const DECLINE_REASONS = [
  ...CARD_DECLINE_REASONS,
  'INSTRUCTION_NOT_ACTIVE',
  'INSTRUCTION_EXPIRED',
  'CURRENCY_MISMATCH',
  'MERCHANT_NOT_ALLOWED',
  'MAX_CHARGES_EXCEEDED',
  'THRESHOLD_EXCEEDED',
  'NOT_FOUND',
  'CONFIRMATION_REFUSED',
] as const
export type DeclineReason = (typeof DECLINE_REASONS)[number]

export function isOfTheCard(reason: DeclineReason): reason is CardDeclineReason {
  return CARD_DECLINE_REASONS.some((one) => one === reason)
}

export interface ProvisionRequest {
  /** Our card id. A card has one token: a later call with the same id and other card data is a new attempt unless it succeeded. */
  cardId: string
  /**
   * One entry of the cardholder; idempotency key. Another entry of the same card is judged anew, CVV included, also when
   * the card has its token already, and changes nothing of the token.
   */
  entryId: string
  cardNumber: Secret
  expiryMonth: number
  expiryYear: number
  /** Null: the merchant provisions a card of theirs, and its cardholder is not there to enter one. */
  cvv: Secret | null
  /**
   * `required`: ask the cardholder for a code, whatever the network itself would do. `never`: they are not there; the network
   * accepts the card as it is, or refuses it.
   */
  stepUp: StepUp
}

export type StepUp = 'if_needed' | 'required' | 'never'

export interface StepUpRequest {
  cardId: string
  /** The entry that was answered with `step_up`. */
  entryId: string
  code: Secret
}

/** How the issuer wants its card shown: colours as `#rrggbb`. */
export type CardDesign = { background: string; foreground: string; label: string }

export interface TokenResult {
  tokenRef: string
  /** Null: the network knows of none. */
  design: CardDesign | null
}

/** `step_up`: the network sent the cardholder a code; `completeStepUp` finishes. */
export type ProvisionResult = ({ state: 'provisioned' } & TokenResult) | { state: 'step_up'; hint: string }

/** A card that is to be looked at, not to be provisioned. */
export type VerifyRequest = Pick<ProvisionRequest, 'cardNumber' | 'expiryMonth' | 'expiryYear' | 'cvv'>

export interface InstructionRequest {
  /** Our mandate id; idempotency key. */
  mandateId: string
  tokenRef: string
  cap: Money
  /** Spending windows the network enforces; `one_time` has one window, its whole life, and one charge in it. */
  frequency: RecurringFrequency
  /** Charges that came to nothing do not count. */
  maxCharges: number | null
  /**
   * The merchant every mint must name; null when the cardholder allowed any. A credential is locked to the merchant of
   * its mint either way. Hosts are compared as `merchantHost` says.
   */
  merchant: { name: string; url: string; country: string } | null
  validUntil: Date
  /** SHA-256 of the canonical approval statement, hex: the cardholder's evidence. */
  approvalHash: string
}

export interface Registration {
  instructionRef: string
  /** Where the windows of the instruction begin, by the network's own clock; the same in every answer. */
  registeredAt: Date
}

export interface MintRequest {
  /** Our charge id; idempotency key. */
  chargeId: string
  mandateId: string
  instructionRef: string
  amount: Money
  merchantUrl: string
  /**
   * How long the credential lives from its mint, unless its instruction ends before; the expiry that is printed on it covers that. Null: as
   * long as its instruction, or until the month that is printed on it is over.
   */
  lifeMinutes: number | null
}

/** A single-use virtual card. Lives in the clear only between adapter and vault. */
export interface MintedCredential {
  token: Secret
  dynamicCvv: Secret
  expiryMonth: string
  expiryYear: string
  validUntil: Date
}

/**
 * What the network knows of a charge id: minted (the same credential again); returned, which was minted and confirmed as declined or
 * released since, so that its credential is none any more, or released before it came, so that there will be none; refused; or never seen.
 */
export type InquiryResult =
  | { state: 'minted'; credential: MintedCredential }
  | { state: 'returned' }
  | { state: 'declined'; reason: DeclineReason }
  | { state: 'not_found' }

/**
 * What became of a credential that was to be ended: it is dead, and its amount and its count are back; it was spent before, or reported as
 * spent; or there was none, and for this charge id there will be none.
 */
export const RELEASE_STATES = ['released', 'used', 'not_minted'] as const
export type ReleaseState = (typeof RELEASE_STATES)[number]

/** What the network knows of a token or an instruction: there and good; ended, whoever did that; or none. */
export const STANDINGS = ['active', 'ended', 'not_found'] as const
export type Standing = (typeof STANDINGS)[number]

export interface ConfirmRequest {
  chargeId: string
  outcome: ReportedOutcome
  currency: Currency
  amountPaid: Money | null
  authorizationCode: string | null
  responseCode: string | null
}

export interface CardNetwork {
  provision(request: ProvisionRequest): Promise<NetworkAnswer<ProvisionResult>>
  completeStepUp(request: StepUpRequest): Promise<NetworkAnswer<TokenResult>>
  /** Whether number, expiry and CVV are a card's that may be provisioned. Changes nothing. */
  verifyCard(request: VerifyRequest): Promise<NetworkAnswer<Record<never, never>>>
  /**
   * Ends a token with every instruction and credential made from it. `NOT_FOUND`: there is no such token. `tokenRef` null: the caller does
   * not know whether there is one. Whichever the card id has is ended, and one that has none gets none from then on.
   */
  deleteToken(request: { cardId: string; tokenRef: string | null }): Promise<NetworkAnswer<Record<never, never>>>
  /** How a token stands. Changes nothing. */
  inquireToken(request: { cardId: string; tokenRef: string }): Promise<NetworkAnswer<{ state: Standing }>>
  registerInstruction(request: InstructionRequest): Promise<NetworkAnswer<Registration>>
  /**
   * Ends an instruction: nothing is minted from it any more, and one never registered is refused from then on. A credential that was minted
   * before is ended by `release`. Some networks end it here as well: a caller who wants it to last cancels only after its end.
   */
  cancelInstruction(request: { mandateId: string }): Promise<NetworkAnswer<Record<never, never>>>
  /** How an instruction stands; its time aside, which both sides know. Changes nothing. */
  inquireInstruction(request: { mandateId: string }): Promise<NetworkAnswer<{ state: Standing }>>
  mint(request: MintRequest): Promise<NetworkAnswer<MintedCredential>>
  inquire(request: { chargeId: string }): Promise<NetworkAnswer<InquiryResult>>
  confirm(request: ConfirmRequest): Promise<NetworkAnswer<Record<never, never>>>
  /**
   * Ends the credential of a charge that was neither reported nor spent, and gives back what it took of its instruction. Where a
   * release and a payment at the acquirer race, one happens. A charge id that was never minted is refused from then on.
   */
  release(request: { chargeId: string }): Promise<NetworkAnswer<{ state: ReleaseState }>>
}
