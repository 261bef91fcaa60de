import { EVENT_TYPES } from '@mintmark/contract'
import { EVENT_KINDS } from '@mintmark/contract/wire/events'
import type {
  CreatedEndpoint,
  CreateEndpointBody,
  RotatedSecret,
  TestResult,
  UpdateEndpointBody,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEventKindList,
} from '@mintmark/contract/wire/webhooks'
import type { MerchantCaller } from '../merchants/service.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import type { EndpointRef } from './ref.ts'
import { pauseReasonOf, stateOf } from './rules.ts'
import type { Created, Endpoint, EndpointChanges, Rotated, TestResult as Tested } from './service.ts'

export function fromWireRef({ merchantId }: MerchantCaller, { endpointId }: { endpointId: string }): EndpointRef {
  return { merchantId, endpointId }
}

/** An endpoint to make once for a key: the answer is stored as it is shown, without the secret. */
export function fromWireCreate(body: CreateEndpointBody, key: string) {
  const { url, events } = body
  return {
    endpoint: { name: foldWhiteSpace(body.name), url, events },
    once: { key, input: inputOf(body), answer: (made: Endpoint) => JSON.stringify(toWireEndpoint(made)) },
  }
}

export function fromWireRotate({ endpointId }: EndpointRef, key: string) {
  const answer = (endpoint: Endpoint, formerUntil: Date) =>
    JSON.stringify({ endpoint: toWireEndpoint(endpoint), former_secret_expires_at: formerUntil.toISOString() })
  return { key, input: endpointId, answer }
}

/** Equal bodies have equal texts: fields in a fixed order. */
function inputOf({ name, url, events }: CreateEndpointBody): string {
  return JSON.stringify([name, url, events])
}

export function fromWireChanges({ name, url, events, enabled }: UpdateEndpointBody): EndpointChanges {
  return { name: name === undefined ? undefined : foldWhiteSpace(name), url, events, enabled }
}

export function toWireCreated({ answer, secret }: Created): CreatedEndpoint {
  return { endpoint: JSON.parse(answer), ...shownOnce(secret) }
}

export function toWireRotated({ answer, secret }: Rotated): RotatedSecret {
  return { ...JSON.parse(answer), ...shownOnce(secret) }
}

const shownOnce = (secret: Created['secret']) => (secret === null ? {} : { signing_secret: secret.reveal() })

export function toWireList(endpoints: readonly Endpoint[]): WebhookEndpointList {
  return { data: endpoints.map(toWireEndpoint), next_cursor: null }
}

export function toWireEndpoint(endpoint: Endpoint): WebhookEndpoint {
  const { id, name, url, events, enabled, verifiedAt, revision, createdAt, updatedAt } = endpoint
  return {
    id,
    name,
    url,
    // Only known kinds are stored.
    events: events as WebhookEndpoint['events'],
    enabled,
    verified: verifiedAt !== null,
    state: stateOf(endpoint),
    pause_reason: pauseReasonOf(endpoint),
    revision,
    open_incident: toWireIncident(endpoint),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }
}

function toWireIncident({ incidentId: id, incidentReason: reason, incidentOpenedAt: openedAt }: Endpoint) {
  if (id === null || reason === null || openedAt === null) return null
  return { id, reason, opened_at: openedAt.toISOString() }
}

export function toWireTested({ eventId, deliveryId, result }: Tested): TestResult {
  return { event_id: eventId, delivery_id: deliveryId, queued: result === null, result: result && toWireResult(result) }
}

function toWireResult({ httpStatus, category, durationMillis }: NonNullable<Tested['result']>): TestResult['result'] {
  return { acknowledged: category === null, http_status: httpStatus, category, duration_ms: durationMillis }
}

export function toWireKinds(): WebhookEventKindList {
  const data = EVENT_TYPES.map((type) => {
    const { description, schema, example } = EVENT_KINDS[type]
    return { type, description, schema: { ...schema }, example: { ...example } }
  })
  return { data, next_cursor: null }
}
