import type { CardStatus } from '@mintmark/contract'

/** Which status a card may move to. A change is one UPDATE that names the allowed origins. */
export const CARD_TRANSITIONS = {
  /**
   * Entered, and the network has not accepted it yet. Ended by the network's word, after a day without one, or with its
   * payment.
   */
  provisioning: ['active', 'deleted'],
  /**
   * The network gave a token; the card can pay. Ended by the merchant, or with the payment that it was entered for
   * alone.
   */
  active: ['deleted'],
  /**
   * Ended, refused or left half entered; its number is shredded. One that was active once is enrolled again by entering
   * it.
   */
  deleted: ['provisioning'],
} as const satisfies Record<CardStatus, readonly CardStatus[]>
