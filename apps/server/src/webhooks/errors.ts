import { declareError } from '../platform/errors.ts'

export const webhooksDisabled = declareError(
  'WEBHOOKS_DISABLED',
  'The delivery of webhooks is switched off. Endpoints cannot be changed now; events can be read.',
)
export const endpointLimit = declareError(
  'WEBHOOK_ENDPOINT_LIMIT',
  'The account has five endpoints, which is the most.',
)
export const endpointNotVerified = declareError(
  'ENDPOINT_NOT_VERIFIED',
  'The endpoint has not returned the challenge of its URL. Verify it first.',
)
export const verificationFailed = declareError(
  'ENDPOINT_VERIFICATION_FAILED',
  'The endpoint did not return the challenge.',
)
export const rotationInProgress = declareError(
  'ROTATION_IN_PROGRESS',
  'The secret was rotated less than 24 hours ago, and the one before it still signs.',
)
