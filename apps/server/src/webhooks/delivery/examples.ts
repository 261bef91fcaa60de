import type {
  RecoverBody,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookRecovery,
} from '@mintmark/contract/wire/deliveries'
import { EVENT_KINDS } from '@mintmark/contract/wire/events'

const ENDPOINT_ID = 'we_06gq2w9k5v8c3x1t7n4m0r2hzd'

export const DELIVERY_EXAMPLE: WebhookDelivery = {
  id: 'whd_06gq2w9k5v8c3x1t7n4m0r2hzd',
  endpoint_id: ENDPOINT_ID,
  event_id: EVENT_KINDS['payment.succeeded'].example.id,
  event_type: 'payment.succeeded',
  test: false,
  state: 'queued',
  replay_of: null,
  attempt_count: 1,
  last_attempt: {
    number: 1,
    started_at: '2026-11-21T12:00:00.040Z',
    finished_at: '2026-11-21T12:00:00.210Z',
    http_status: 503,
    category: 'status',
  },
  next_attempt_at: '2026-11-21T12:00:05.100Z',
  pause_reason: null,
  created_at: '2026-11-21T12:00:00.020Z',
  expires_at: '2026-11-24T12:00:00.020Z',
  finished_at: null,
}

export const DETAIL_EXAMPLE: WebhookDeliveryDetail = {
  ...DELIVERY_EXAMPLE,
  attempts: DELIVERY_EXAMPLE.last_attempt === null ? [] : [DELIVERY_EXAMPLE.last_attempt],
  endpoint: { state: 'active', pause_reason: null, open_incident: null },
  event: EVENT_KINDS['payment.succeeded'].example,
}

export const REPLAY_EXAMPLE: WebhookDelivery = {
  ...DELIVERY_EXAMPLE,
  id: 'whd_06gq6m2e1b9w4z7d5k8f3p0qhn',
  replay_of: DELIVERY_EXAMPLE.id,
  attempt_count: 0,
  last_attempt: null,
  next_attempt_at: '2026-11-25T09:30:00.000Z',
  created_at: '2026-11-25T09:30:00.000Z',
  expires_at: '2026-11-28T09:30:00.000Z',
}

export const RECOVER_BODY: RecoverBody = { from: '2026-11-21T00:00:00.000Z', to: '2026-11-21T18:00:00.000Z' }

export const RECOVERY_EXAMPLE: WebhookRecovery = {
  id: 'whr_06gq2w9k5v8c3x1t7n4m0r2hzd',
  endpoint_id: ENDPOINT_ID,
  from: RECOVER_BODY.from,
  to: '2026-11-21T18:00:00.000Z',
  state: 'running',
  queued_count: 500,
  created_at: '2026-11-21T19:05:00.000Z',
  finished_at: null,
}
