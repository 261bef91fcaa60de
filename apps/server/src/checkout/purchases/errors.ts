import { declareError } from '../../platform/errors.ts'

export const purchaseNotFound = declareError('NOT_FOUND', 'The merchant has no purchase of this transaction.')
export const notResolvable = declareError(
  'INVALID_STATE',
  'Only a purchase that needs a person, or whose payment the shop has not answered, is resolved, and no other way than before.',
)
export const beingAsked = declareError(
  'INVALID_STATE',
  'The shop is being asked at this moment. Try again in a minute.',
)
