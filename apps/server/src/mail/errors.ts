import { declareError, notFound } from '../platform/errors.ts'

export const noSuchAccount = notFound
export const noSuchContact = declareError('NOT_FOUND', 'The account has no such contact.')
export const alreadyContact = declareError('INVALID_STATE', 'The address is a contact of the account already.')
export const tooManyContacts = declareError('INVALID_STATE', 'The account has as many contacts as it may have.')
export const alreadyVerified = declareError('INVALID_STATE', 'The address was confirmed already.')
export const tooManyCodes = declareError(
  'INVALID_STATE',
  'A code was mailed less than a minute ago, or too many were in this hour. Try again later.',
)
export const codeOver = declareError('INVALID_STATE', 'The code is over: its time, or its tries. Ask for another one.')
export const codeWrong = declareError('STEP_UP_INVALID', 'That is not the code that was mailed.')
export const tooManyVisits = declareError(
  'RATE_LIMITED',
  'This address was mailed many codes in the last hour. Look there, or wait.',
)
export const addressTaken = declareError('INVALID_STATE', 'Another owner has proven this address.')
export const addressNotProven = declareError(
  'INVALID_STATE',
  'Prove your address first: this visit is over, or has not.',
)
export const noMailHere = declareError('INVALID_STATE', 'This service sends no mails.')
export const linkTooYoung = declareError(
  'INVALID_STATE',
  'A link was mailed less than a minute ago. Try again shortly.',
)
