import { declareError, notFound } from '../platform/errors.ts'

export const noSuchAccount = notFound
export const noSuchContact = declareError('NOT_FOUND', 'The account has no such contact.')
export const alreadyContact = declareError('INVALID_STATE', 'The address is a contact of the account already.')
export const tooManyContacts = declareError('INVALID_STATE', 'The account has as many contacts as it may have.')
export const alreadyVerified = declareError('INVALID_STATE', 'The address was confirmed already.')
export const linkTooYoung = declareError(
  'INVALID_STATE',
  'A link was mailed less than a minute ago. Try again shortly.',
)
