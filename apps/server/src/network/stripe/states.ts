// What we hold of cards at an issuer. Its own states are read there.

export const TOKEN_STATES = ['asked', 'active', 'deleted'] as const
type TokenState = (typeof TOKEN_STATES)[number]

export const TOKEN_TRANSITIONS = {
  /** The issuer may have made its cardholder. Ended by its word, or by the service. */
  asked: ['active', 'deleted'],
  /** There is a cardholder. Ended by the service. */
  active: ['deleted'],
  /** Also the tombstone of a deletion that came before the provisioning. Terminal. */
  deleted: [],
} as const satisfies Record<TokenState, readonly TokenState[]>

export const INSTRUCTION_STATES = ['active', 'cancelled'] as const
type InstructionState = (typeof INSTRUCTION_STATES)[number]

export const INSTRUCTION_TRANSITIONS = {
  /** Registered; mints until its time is over or its limits are reached. Ended by the service or with its token. */
  active: ['cancelled'],
  /** Mints no more; also the tombstone of a cancellation that came before the registration. Terminal. */
  cancelled: [],
} as const satisfies Record<InstructionState, readonly InstructionState[]>

export const CARD_STATES = ['asked', 'minted', 'declined', 'returned'] as const
type CardState = (typeof CARD_STATES)[number]

export const CARD_TRANSITIONS = {
  /** Amount and count are taken, and the issuer may have made the card. Ended by its word, or by the service. */
  asked: ['minted', 'declined', 'returned'],
  /** There is a card. Ended when it is dead and was not paid with. */
  minted: ['returned'],
  /** There is a reason. Terminal. */
  declined: [],
  /** What it took is given back; also the tombstone of a release that came before the mint. Terminal. */
  returned: [],
} as const satisfies Record<CardState, readonly CardState[]>
