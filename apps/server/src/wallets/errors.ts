import { declareWalletError } from '../platform/errors.ts'

/** What exists in the sandbox only. */
export const sandboxOnly = declareWalletError('OPERATION_NOT_ALLOWED', 'This is possible in the sandbox only.')
