import type { DeclineReason } from '../network/port.ts'
import { declareError } from '../platform/errors.ts'

export const cardNotFound = declareError('CARD_NOT_FOUND', 'There is no such card.')
export const customerNotFound = declareError('CUSTOMER_NOT_FOUND', 'There is no such customer.')
export const networkDeleteFailed = declareError(
  'NETWORK_DELETE_FAILED',
  'The card network did not delete the card. The card is as it was; try again.',
)
export const cardInactive = declareError('CARD_INACTIVE', 'This card can no longer be used.')
export const cardRefused = declareError(
  'CARD_REFUSED',
  'This card was not accepted. Check the details or use another card.',
)
export const stepUpInvalid = declareError('STEP_UP_INVALID', 'That code is not right. Check the message and try again.')
export const networkUnavailable = declareError(
  'NETWORK_UNAVAILABLE',
  'The card network did not answer. Nothing was charged; try again in a moment.',
)

export const numbersNotTaken = declareError(
  'FORBIDDEN',
  'Card numbers are not taken here: the card network of this service does not work with numbers that are typed.',
)

export const accountNotUsed = declareError('FORBIDDEN', 'No cards are made from an account here.')

/** What the network said, as the cause of a refusal whose public reason is less precise. */
export class Declined extends Error {
  override readonly name = 'Declined'
  readonly reason: DeclineReason

  constructor(reason: DeclineReason) {
    super(`The card network declined: ${reason}.`)
    this.reason = reason
  }
}
