// The simulated network's own states: those of another system, so they are in no contract of ours.

export const TOKEN_STATES = ['step_up', 'step_up_exhausted', 'active', 'deleted'] as const
export type TokenState = (typeof TOKEN_STATES)[number]

/** A card without a token may also be entered again, with another number: that is a new attempt, not a transition. */
export const TOKEN_TRANSITIONS = {
  /** The cardholder was sent a code. Ended by the right one, by the last wrong one, or by the service. */
  step_up: ['step_up_exhausted', 'active', 'deleted'],
  /** No try is left. */
  step_up_exhausted: ['deleted'],
  /** There is a token. Ended by the service. */
  active: ['deleted'],
  /** Its instructions and credentials ended with it; also the tombstone of a deletion that came before the provisioning. Terminal. */
  deleted: [],
} as const satisfies Record<TokenState, readonly TokenState[]>

export const STEP_UP_STATES = ['open', 'exhausted', 'passed'] as const
export type StepUpState = (typeof STEP_UP_STATES)[number]

export const STEP_UP_TRANSITIONS = {
  /** The cardholder was sent a code. */
  open: ['exhausted', 'passed'],
  /** No try is left. Terminal. */
  exhausted: [],
  /** The right code came. Terminal. */
  passed: [],
} as const satisfies Record<StepUpState, readonly StepUpState[]>

export const INSTRUCTION_STATES = ['active', 'cancelled'] as const
export type InstructionState = (typeof INSTRUCTION_STATES)[number]

export const INSTRUCTION_TRANSITIONS = {
  /** Registered; mints until its time is over or its limits are reached. Ended by the service or with its token. */
  active: ['cancelled'],
  /** Mints no more, and leaves what it minted alone; also the tombstone of a cancellation that came before the registration. Terminal. */
  cancelled: [],
} as const satisfies Record<InstructionState, readonly InstructionState[]>

export const MINT_STATES = ['deciding', 'minted', 'declined', 'released'] as const
export type MintState = (typeof MINT_STATES)[number]

export const MINT_TRANSITIONS = {
  /** Seen only inside the transaction that claimed the charge id. */
  deciding: ['minted', 'declined'],
  /** There is a credential. Ended by the service, if it was neither spent nor reported. */
  minted: ['released'],
  /** There is a reason. Terminal. */
  declined: [],
  /** What it took is given back; also the tombstone of a release that came before the mint. Terminal. */
  released: [],
} as const satisfies Record<MintState, readonly MintState[]>

export const CREDENTIAL_STATES = ['open', 'used', 'blocked', 'closed'] as const
export type CredentialState = (typeof CREDENTIAL_STATES)[number]

export const CREDENTIAL_TRANSITIONS = {
  /** May be spent. Ended by an approval, by the last wrong CVV, or by the service. */
  open: ['used', 'blocked', 'closed'],
  /** Approved once. A guess at its CVV still counts. */
  used: ['blocked'],
  /** Ended by the service: reported or released, or its token was deleted. A guess at its CVV still counts. */
  closed: ['blocked'],
  /** Too many wrong CVVs. Terminal. */
  blocked: [],
} as const satisfies Record<CredentialState, readonly CredentialState[]>
