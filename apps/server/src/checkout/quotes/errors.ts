import { declareError, fieldErrors } from '../../platform/errors.ts'

export const quoteNotFound = declareError('QUOTE_NOT_FOUND', 'There is no quote with this quote_id.')
export const quoteExpired = declareError('QUOTE_EXPIRED', 'The quote has expired. Ask for another one.')
export const quoteAlreadyUsed = declareError('QUOTE_ALREADY_USED', 'A session was created from this quote before.')
export const quoteAmountMismatch = declareError(
  'QUOTE_AMOUNT_MISMATCH',
  'total_amount and currency must be those of the quote.',
)
export const outOfStock = declareError('OUT_OF_STOCK', 'The merchant does not have as many as were asked for.')
export const merchantUnavailable = declareError('MERCHANT_UNAVAILABLE', 'The merchant cannot be asked right now.')

/** The shop gave no answer that makes sense, or is disabled: both may pass. */
export const shopNotReached = () => merchantUnavailable({ retryAfterSeconds: RETRY_SECONDS })
const RETRY_SECONDS = 10

/** The shop answers, and sells nothing so: a caller who is told to come back later would come for ever. */
export const noOffer = () =>
  fieldErrors({
    items: 'are such that the merchant makes no offer; it may want an email, a shipping_address or other items',
  })

export const productNotFound = declareError('NOT_FOUND', 'There is no such product.')
