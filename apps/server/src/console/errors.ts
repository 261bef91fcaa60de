import { declareError } from '../platform/errors.ts'

export const notSignedIn = declareError('AUTH_1002', 'Sign in to the console.')
export const signInOver = declareError('AUTH_1003', 'You were signed out: sign in again.')
/** No page of this session has sent it, or one that has not read the session since its token changed. */
export const pageTokenWrong = declareError(
  'FORBIDDEN',
  'This is not the token of your session: read the session again.',
)
export const roleTooSmall = declareError('FORBIDDEN', 'Your role at this account does not allow this.')
export const noDemo = declareError('NOT_FOUND', 'There is no demo account to sign in to.')
export const permissionNotFound = declareError('NOT_FOUND', 'This account has no such permission.')
export const paymentNotFound = declareError('NOT_FOUND', 'This account has no such payment.')
/** The browser has a passkey that no person here has, or has no more. */
export const passkeyUnknown = declareError('PASSKEY_FAILED', 'This passkey is not known here.')
export const noAccount = declareError('INVALID_STATE', 'You look after no account any more: have yourself invited.')
export const usedElsewhere = declareError('INVALID_STATE', 'The passkey was used elsewhere meanwhile: use it again.')
/** What widens asks for the passkey again. */
export const notConfirmed = declareError('PASSKEY_REQUIRED', 'Confirm this with your passkey.')
export const invitationOver = declareError(
  'INVALID_STATE',
  'This invitation was accepted or withdrawn, or its time is over: have yourself invited once more.',
)
export const invitedElse = declareError('INVALID_STATE', 'This invitation is to another address than yours.')
export const addressKnown = declareError(
  'INVALID_STATE',
  'This address has a person already: sign in with the passkey, then open the link again.',
)
export const alreadyInvited = declareError(
  'INVALID_STATE',
  'The address is invited or looks after the account already, or too many invitations wait.',
)
export const noMailAtConsole = declareError('INVALID_STATE', 'This service sends no mails, so it invites no one.')
export const personNotFound = declareError('NOT_FOUND', 'This person does not look after the account any more.')
export const invitationNotFound = declareError('NOT_FOUND', 'This invitation does not wait any more.')
export const lastOwner = declareError(
  'INVALID_STATE',
  'The account needs an owner: make another person one before, or look at the list again, which has changed.',
)
export const ownPasskeyNotFound = declareError('NOT_FOUND', 'This passkey is not there any more.')
export const lastPasskey = declareError(
  'INVALID_STATE',
  'It is the last passkey that signs: make another one before you end it.',
)
export const tooManyPasskeys = declareError(
  'INVALID_STATE',
  'You have as many passkeys as one may have: end one first.',
)
export const sessionNotFound = declareError('NOT_FOUND', 'This session is not there any more.')
export const accountNotFound = declareError('NOT_FOUND', 'You look after no such account.')
/** Its credential id is another's here already. */
export const passkeyTaken = declareError('PASSKEY_FAILED', 'This passkey is in use here already: make another one.')
