export {
  type AgentCredential,
  type EncryptedPayload,
  openPayload,
  PayloadError,
  type PayloadProblem,
} from './agent/open-payload.ts'
export { type RequestSigning, type RequestToSign, signRequest } from './agent/sign-request.ts'
export { type ChallengeAnswer, challengeAnswer, type EndpointVerification } from './challenge.ts'
export type * from './event-types.ts'
export { EVENT_TYPES } from './event-types.ts'
export { type EventPage, events, type FeedOptions } from './feed.ts'
export { MintmarkApiError, type RetryNotice } from './request.ts'
export { type SignedHeaders, type SignOptions, signWebhook } from './sign.ts'
export {
  type VerificationCode,
  type VerifyOptions,
  verifyWebhook,
  type WebhookBody,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify.ts'
