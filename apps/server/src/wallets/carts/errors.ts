import { declareWalletError } from '../../platform/errors.ts'

export const cartNotFound = declareWalletError('CART_NOT_FOUND', 'No such cart.')
export const cartNotOpen = declareWalletError('INVALID_STATE', 'The cart is not open any more.')
export const cartEmpty = declareWalletError('INVALID_QUANTITY', 'There is nothing in the cart.')
export const invalidQuantity = declareWalletError('INVALID_QUANTITY', 'There are fewer than that of a product.')
