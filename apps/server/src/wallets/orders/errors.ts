import { declareWalletError } from '../../platform/errors.ts'

export const orderNotFound = declareWalletError('NOT_FOUND', 'The customer has no such order.')
export const insufficientFunds = declareWalletError('INSUFFICIENT_FUNDS', 'There is not enough in the wallet.')
export const outOfStock = declareWalletError('INVALID_QUANTITY', 'There are not so many.')
export const otherCurrency = declareWalletError('INVALID_STATE', 'The cart is in another currency than the wallet.')
export const otherAmount = declareWalletError('INVALID_STATE', 'The cart costs another amount by now.')
