import { declareWalletError } from '../../platform/errors.ts'

export const walletNotFound = declareWalletError('WALLET_NOT_FOUND', 'The customer has no such wallet.')
