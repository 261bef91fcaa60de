/** How an endpoint stands. `circuit_open`: it failed five times in a row and rests; `disabled`: by the service, for good. */
export const ENDPOINT_STATES = ['paused', 'unverified', 'active', 'circuit_open', 'disabled'] as const
export type EndpointState = (typeof ENDPOINT_STATES)[number]

/** Why the service disabled an endpoint: it answered 410, or its address is one that nothing may be sent to. */
export const DISABLED_REASONS = ['gone', 'forbidden_address'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** Why an incident is open. */
export const INCIDENT_REASONS = ['circuit_open', ...DISABLED_REASONS] as const
export type IncidentReason = (typeof INCIDENT_REASONS)[number]

/** Where a delivery stands. `failed`: all its attempts or its time were used; `cancelled`: its destination is no more. */
export const DELIVERY_STATES = ['queued', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]
