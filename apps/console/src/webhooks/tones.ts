import type { DeliveryState, EndpointState } from '@mintmark/contract/webhooks'

/** How a state is meant, before its words are read. */
export const DELIVERY_TONES = {
  queued: 'warn',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'calm',
} as const satisfies Record<DeliveryState, string>

export const ENDPOINT_TONES = {
  active: 'good',
  paused: 'calm',
  unverified: 'warn',
  circuit_open: 'bad',
  disabled: 'bad',
} as const satisfies Record<EndpointState, string>
