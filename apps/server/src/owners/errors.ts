import { declareError } from '../platform/errors.ts'

export const notSignedIn = declareError('AUTH_1002', 'Sign in with your passkey.')
export const signInOver = declareError('AUTH_1003', 'You were signed out: sign in again.')
export const sessionNotFound = declareError('NOT_FOUND', 'This session is not there any more.')
/** No page of this session has sent it, or one that has not read the session since its token changed. */
export const pageTokenWrong = declareError(
  'FORBIDDEN',
  'This is not the token of your session: read the session again.',
)
/** The browser has a passkey that no owner here has, or has no more. */
export const passkeyUnknown = declareError('PASSKEY_FAILED', 'This passkey is not known here.')
export const ownPasskeyNotFound = declareError('NOT_FOUND', 'This passkey is not there any more.')
export const lastPasskey = declareError(
  'INVALID_STATE',
  'It is the last passkey that signs: make another one before you end it.',
)
export const deviceNotFound = declareError('NOT_FOUND', 'There is no such device.')
export const deviceOver = declareError(
  'INVALID_STATE',
  'This code is over, was typed on another device, or is not waited for. Show another one on the device that is signed in.',
)
export const ownerUnknown = declareError('INVALID_STATE', 'No owner has proven this address.')
/** Its browser, or whoever would stop it, comes too late; or there never was one. */
export const recoveryOver = declareError(
  'INVALID_STATE',
  'This recovery is over, was stopped or has come to its end: look at how it stands, or begin another one.',
)
export const recoveryNotFound = declareError('NOT_FOUND', 'There is no such recovery.')
export const recoveryTriesSpent = declareError(
  'RATE_LIMITED',
  'Security codes of your cards were tried too often today. Try again tomorrow.',
)
/** A passkey was made in place of lost ones: for a week agents are allowed nothing more. */
export const widenedTooEarly = declareError(
  'INVALID_STATE',
  'A new passkey was made a short while ago: for seven days no agent is allowed more than before.',
)
