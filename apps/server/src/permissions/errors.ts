import { declareError } from '../platform/errors.ts'

export const visitMissing = declareError('AUTH_1002', 'Sign in with your passkey.')
export const visitInvalid = declareError('AUTH_1001', 'This visit is not known: sign in with your passkey.')
export const visitOver = declareError('AUTH_1003', 'Your visit is over: sign in with your passkey again.')
/** The browser has a passkey that no customer of this merchant has, or has no more. */
export const passkeyUnknown = declareError('PASSKEY_FAILED', 'This passkey has allowed nothing here.')
/** The other one of two uses of one passkey came first. */
export const visitChanged = declareError('INVALID_STATE', 'The passkey was used elsewhere meanwhile: try again.')
/** A passkey was made in place of lost ones: for a week nothing that was held goes on. */
export const resumedTooEarly = declareError(
  'INVALID_STATE',
  'A new passkey was made a short while ago: for seven days nothing goes on that was held.',
)
