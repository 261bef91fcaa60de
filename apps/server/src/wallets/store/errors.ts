import { declareError, declareWalletError } from '../../platform/errors.ts'

/** For an operator who names an account that does not exist. */
export const noSuchAccount = declareError('NOT_FOUND', 'There is no such account.')

export const merchantNotFound = declareWalletError('MERCHANT_NOT_FOUND', 'No such merchant.')
export const productNotFound = declareWalletError('PRODUCT_NOT_FOUND', 'No such product.')
