import { declareWalletError } from '../../platform/errors.ts'

export const customerNotFound = declareWalletError('CUSTOMER_NOT_FOUND', 'No such customer.')
export const customerExists = declareWalletError('CUSTOMER_EXISTS', 'There is a customer of this email address.')
/** Answers calls that move money. A customer who was not checked yet may have it moved. */
export const customerRejected = declareWalletError('OPERATION_NOT_ALLOWED', 'The customer was rejected.')
export const customerDecided = declareWalletError('INVALID_STATE', 'The customer was verified or rejected before.')
export const addressNotFound = declareWalletError('ADDRESS_NOT_FOUND', 'The customer has no such address.')
