import { declareError } from '../platform/errors.ts'

/** One text for every reason a ceremony is refused: which check failed helps only whoever forges one. */
export const passkeyFailed = declareError('PASSKEY_FAILED', 'The passkey could not be verified. Try again.')
export const passkeyInUse = declareError('PASSKEY_FAILED', 'This passkey cannot be used here. Use another one.')
export const passkeyFlagged = declareError('PASSKEY_FAILED', 'This passkey can no longer be used.')
export const passkeyRequired = declareError('PASSKEY_REQUIRED', 'Create a passkey first.')
export const passkeyExists = declareError('INVALID_STATE', 'There is a passkey already. Use it to approve.')
export const passkeyFrameRefused = declareError(
  'PASSKEY_FRAME_REFUSED',
  'The browser does not allow passkeys inside this page. Continue in a tab of its own.',
)
