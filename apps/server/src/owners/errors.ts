import { declareError } from '../platform/errors.ts'

export const notSignedIn = declareError('AUTH_1002', 'Sign in with your passkey.')
export const signInOver = declareError('AUTH_1003', 'You were signed out: sign in again.')
/** The browser has a passkey that no owner here has, or has no more. */
export const passkeyUnknown = declareError('PASSKEY_FAILED', 'This passkey is not known here.')
