import { declareError } from '../platform/errors.ts'

export const emailRequired = declareError(
  'ENROLL_USER_EMAIL_REQUIRED',
  'Send user_email: there is none stored for this user_id.',
)
export const binCountryNotAllowed = declareError('BIN_COUNTRY_NOT_ALLOWED', 'Cards of this country are not accepted.')
export const binIssuerNotAllowed = declareError('BIN_ISSUER_NOT_ALLOWED', 'Cards of this issuer are not accepted.')
export const statusUnsupported = declareError(
  'SESSION_STATUS_UNSUPPORTED',
  'The session enrolls no card. Read the payment result instead.',
)
export const actionNotFound = declareError(
  'ENROLLMENT_ACTION_NOT_FOUND',
  'The session enrolls a card, and contradicts its enrollment. Contact the operator.',
)
