import { declareError, declareWalletError } from '../platform/errors.ts'

/** The key is wrong: unknown and revoked read alike, so that an attacker does not learn which keys once existed. */
export const invalidKey = declareError('AUTH_1001', 'The API key is not valid.')

/** The header is wrong: there is no key to look at. */
export const invalidAuthorization = declareError(
  'AUTH_1002',
  'The Authorization header is missing or malformed. Send "Authorization: Bearer <key>".',
)

/** The same of the wallet API, whatever is wrong with the key. */
export const unauthorized = declareWalletError(
  'UNAUTHORIZED',
  'The Api-Key header is missing, or its key is not valid. Send "Api-Key: <key>".',
)

/** For the wallet API, where a suspended account reads how things stand, and changes nothing. */
export const accountSuspended = declareWalletError(
  'OPERATION_NOT_ALLOWED',
  'The account is suspended: it can read, and change nothing. Contact the operator.',
)

/** Said to one who has the key, which everyone can have: it keeps other people's pages from using it. */
export const originNotAllowed = declareError(
  'FORBIDDEN',
  'A publishable key works from a page on one of the allowed origins of the account.',
)

export const merchantLookupFailed = declareError(
  'MERCHANT_LOOKUP_ERROR',
  'The merchant account could not be resolved. Contact the operator.',
)
export const configMissing = declareError(
  'CONFIG_ERROR',
  'The merchant account has no payment configuration. Contact the operator.',
)
export const allowanceExhausted = declareError('TRIES_EXHAUSTED', 'The session allowance of the account is used up.')
