import type { CardStatus } from '@mintmark/contract'

/** Which status a card may move to. A change is one UPDATE that names the allowed origins. */
export const CARD_TRANSITIONS = {
  /** Entered, and the network has not accepted it yet. Ended by the network's word, or after a day without one. */
  provisioning: ['active', 'deleted'],
  /** The network gave a token; the card can pay. Nothing ends it in this version. */
  active: [],
  /** Refused or left half entered; its number is shredded. Terminal: entering it again makes a new card. */
  deleted: [],
} as const satisfies Record<CardStatus, readonly CardStatus[]>
