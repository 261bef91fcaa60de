import type { PasskeyRefusal } from '@mintmark/contract'
import { declareError, type ErrorOptions, type PublicError } from '../platform/errors.ts'

/** One text for every reason a ceremony is refused: which check failed would help only an attacker. */
export const passkeyFailed = declareError('PASSKEY_FAILED', 'The passkey could not be verified. Try again.')
export const passkeyInUse = refusedFor('PASSKEY_IN_USE', 'This passkey cannot be used here. Use another one.')
export const passkeyFlagged = refusedFor('PASSKEY_BLOCKED', 'This passkey can no longer be used.')
export const passkeyChanged = refusedFor(
  'PASSKEY_CHANGED',
  'This passkey has changed since it was created. It is not taken any more.',
)
export const passkeyRequired = declareError('PASSKEY_REQUIRED', 'Create a passkey first.')
export const passkeyExists = declareError('INVALID_STATE', 'There is a passkey already. Use it to approve.')
export const noPasskeyToReplace = declareError('INVALID_STATE', 'The customer has no passkey to replace.')
export const notFlagged = declareError('INVALID_STATE', 'The customer has no flagged passkey.')
export const passkeyFrameRefused = declareError(
  'PASSKEY_FRAME_REFUSED',
  'The browser does not allow passkeys inside this page. Continue in a tab of its own.',
)

/** An error that names its reason: the customer may know these; the failed check of a ceremony is never named. */
function refusedFor(reason: PasskeyRefusal, message: string): (options?: ErrorOptions) => PublicError {
  const make = declareError('PASSKEY_FAILED', message)
  return (options) => make({ ...options, details: { reason } })
}
