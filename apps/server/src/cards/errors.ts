import type { DeclineReason } from '../network/port.ts'
import { declareError } from '../platform/errors.ts'

export const cardNotFound = declareError('CARD_NOT_FOUND', 'There is no such card.')
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

/** What the cardholder reads when the network refuses a card; reasons not named here get the general sentence. */
export const REFUSAL_TEXTS: Partial<Record<DeclineReason, string>> = {
  CARD_NUMBER_INVALID: 'The card number is not valid. Check the digits.',
  CARD_EXPIRED: 'This card has expired. Use another card.',
  CVV_MISMATCH: 'The security code does not match this card.',
  BIN_COUNTRY_NOT_ALLOWED: 'Cards issued in this country are not accepted here. Use another card.',
  BIN_ISSUER_NOT_ALLOWED: 'Cards of this bank are not accepted here. Use another card.',
  CARD_DECLINED: 'The bank declined this card. Use another card.',
  STEP_UP_EXHAUSTED: 'Too many wrong codes. Use another card, or enter this one again.',
  DEVICE_BINDING_FAILED: 'The card could not be linked to this device. Try again.',
}
