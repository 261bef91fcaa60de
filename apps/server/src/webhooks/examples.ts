import { EVENT_KINDS } from '@mintmark/contract/wire/events'
import type {
  CreatedEndpoint,
  CreateEndpointBody,
  DeletedEndpoint,
  RotatedSecret,
  TestResult,
  WebhookEndpoint,
  WebhookEventKindList,
} from '@mintmark/contract/wire/webhooks'

const SECRET = 'whsec_bm90IGEgc2VjcmV0LCBvbmx5IGFuIGV4YW1wbGUhISE='

export const CREATE_BODY: CreateEndpointBody = {
  name: 'Orders',
  url: 'https://shop.example/webhooks',
  events: ['payment.succeeded', 'payment.failed'],
}

const CREATED_ENDPOINT: WebhookEndpoint = {
  id: 'we_06gq2w9k5v8c3x1t7n4m0r2hzd',
  ...CREATE_BODY,
  enabled: false,
  verified: false,
  state: 'unverified',
  pause_reason: 'unverified',
  revision: 1,
  open_incident: null,
  created_at: '2026-11-21T12:00:00.000Z',
  updated_at: '2026-11-21T12:00:00.000Z',
}

export const CREATED_EXAMPLE: CreatedEndpoint = { endpoint: CREATED_ENDPOINT, signing_secret: SECRET }

export const VERIFIED_EXAMPLE: WebhookEndpoint = {
  ...CREATED_ENDPOINT,
  verified: true,
  state: 'paused',
  pause_reason: 'not_enabled',
  updated_at: '2026-11-21T12:01:00.000Z',
}

export const ENDPOINT_EXAMPLE: WebhookEndpoint = {
  ...VERIFIED_EXAMPLE,
  enabled: true,
  state: 'active',
  pause_reason: null,
  updated_at: '2026-11-21T12:02:00.000Z',
}

export const ROTATED_EXAMPLE: RotatedSecret = {
  endpoint: ENDPOINT_EXAMPLE,
  signing_secret: SECRET,
  former_secret_expires_at: '2026-11-22T12:02:00.000Z',
}

export const DELETED_EXAMPLE: DeletedEndpoint = { id: ENDPOINT_EXAMPLE.id, deleted: true }

export const TEST_EXAMPLE: TestResult = {
  event_id: 'evt_06gq2w9k5v8c3x1t7n4m0r2hzd',
  delivery_id: 'whd_06gq2w9k5v8c3x1t7n4m0r2hzd',
  queued: false,
  result: { acknowledged: true, http_status: 204, category: null, duration_ms: 83 },
}

const { description, schema, example } = EVENT_KINDS['payment.succeeded']
export const KINDS_EXAMPLE: WebhookEventKindList = {
  data: [{ type: 'payment.succeeded', description, schema: { type: schema.type }, example: { ...example } }],
  next_cursor: null,
}
