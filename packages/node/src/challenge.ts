import type { EventBody } from './event-types.ts'

/**
 * Sent when an endpoint is verified: it proves that the address is yours by answering with the challenge. It is no
 * event: it is in no feed, and needs no deduplication.
 */
export type EndpointVerification = EventBody<
  'webhook.endpoint_verification',
  'webhook_endpoint',
  { challenge: string }
> & { challenge: string }

/** What an endpoint answers to its verification, as JSON and with status 200. */
export interface ChallengeAnswer {
  challenge: string
}

/**
 * The answer to a verification; undefined for every other event. Call it with what `verifyWebhook` returned, never
 * before.
 */
export function challengeAnswer(event: { type: string; challenge?: unknown }): ChallengeAnswer | undefined {
  if (event.type !== 'webhook.endpoint_verification' || typeof event.challenge !== 'string') return undefined
  return { challenge: event.challenge }
}
