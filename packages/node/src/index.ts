export type { PrivateKey } from './agent/key.ts'
export {
  type AgentCredential,
  openPayload,
  PayloadError,
  type PayloadProblem,
} from './agent/open-payload.ts'
export { type RequestSigning, signRequest } from './agent/sign-request.ts'
export { type ShopSigning, type ShopTag, signShopRequest } from './agent/sign-shop-request.ts'
export type { RequestToSign } from './agent/signature.ts'
export { MintmarkApiError, OutcomeUnknownError } from './api-error.ts'
export type * from './api-types.ts'
export { type ChallengeAnswer, challengeAnswer, type EndpointVerification } from './challenge.ts'
export {
  type AgentLinks,
  type AgentSelf,
  type AgentSessions,
  MintmarkAgent,
  type MintmarkAgentOptions,
  type NewAgentKey,
} from './client/agent.ts'
export type { Call, CallOptions, Input } from './client/call.ts'
export type { Charge, Charges, Mandates } from './client/mandates.ts'
export { type Events, Mintmark, type MintmarkOptions } from './client/merchant.ts'
export type { Cards, Customers, Enrollments, Sessions } from './client/merchant-sessions.ts'
export type { TestHelpers } from './client/sandbox.ts'
export type { Catalog, Quotes } from './client/shops.ts'
export type { WaitOptions } from './client/wait.ts'
export type { WebhookDeliveries, WebhookEndpoints } from './client/webhooks.ts'
export type { ConnectionOptions, RetryNotice } from './connection.ts'
export { EVENT_TYPES } from './event-names.ts'
export type * from './event-types.ts'
export { type EventPage, events, type FeedOptions } from './feed.ts'
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
