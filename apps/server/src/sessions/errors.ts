import { declareError } from '../platform/errors.ts'

export const sessionNotFound = declareError('NOT_FOUND', 'There is no such session.')
export const transactionNotFound = declareError('NOT_FOUND', 'The session has no transaction with this txn_ref_id.')
export const simulationNotAllowed = declareError(
  'SANDBOX_SIMULATION_NOT_ALLOWED',
  'sandbox_simulation is for quote-backed payment sessions of the sandbox only.',
)
export const sessionCreateError = declareError('SESSION_CREATE_ERROR', 'The session could not be created. Try again.')
export const recurringMustBeScoped = declareError(
  'MANDATE_RECURRING_MUST_BE_SCOPED',
  'A mandate that renews must name its merchant: send merchant_scope "listed".',
)
export const noTransactionAwaiting = declareError('INVALID_STATE', 'The session has no transaction awaiting a result.')
export const reportedByService = declareError(
  'INVALID_STATE',
  'The service itself buys what was quoted, and reports it: read the payment result.',
)
export const alreadyReported = declareError(
  'INVALID_STATE',
  'The transaction was already reported with the other outcome.',
)
export const notRevocable = declareError('INVALID_STATE', 'The session can no longer be revoked.')
export const mandateExpired = declareError('MANDATE_EXPIRED', 'The approval lapsed before an outcome was reported.')
export const productNotFound = declareError(
  'PRODUCT_NOT_FOUND',
  'A product of product_statuses is not part of the session.',
)
export const confirmationFailed = declareError(
  'NETWORK_CONFIRMATION_FAILED',
  'The card network did not confirm the outcome. It is kept; send the same report again.',
)
export const reportStatusError = declareError(
  'REPORT_STATUS_ERROR',
  'The report could not be processed. Send it again.',
)
export const sessionExpired = declareError('AUTH_1003', 'The session has expired.')
export const sessionRevoked = declareError('AUTH_1004', 'The session was revoked.')
export const sessionTokenInvalid = declareError('AUTH_1001', 'The session token is not valid.')
export const sessionTokenMissing = declareError('AUTH_1002', 'Send the session token as Authorization: Bearer.')
export const sessionOver = declareError('INVALID_STATE', 'The session is over.')
export const moreTimeTooEarly = declareError(
  'INVALID_STATE',
  'More time can be asked for in the last two minutes of the session.',
)
export const moreTimeGiven = declareError('INVALID_STATE', 'The session was given more time before: it is given once.')
export const moreTimeNever = declareError(
  'INVALID_STATE',
  'The session is given no more time: what it is for ends before.',
)
export const newCodeTooEarly = declareError(
  'INVALID_STATE',
  'A new code can be asked for half a minute after the last one was sent.',
)
export const newCodesSpent = declareError('INVALID_STATE', 'The session has asked for as many new codes as it may.')
export const cardNotProven = declareError(
  'INVALID_STATE',
  'Enter the security code of this card first: it was not used with a passkey yet.',
)
export const merchantSuspended = declareError('MERCHANT_LOOKUP_ERROR', 'This shop takes no payments now.')
export const sessionChanged = declareError(
  'INVALID_STATE',
  'The session changed meanwhile. Reload to see where it stands.',
)
