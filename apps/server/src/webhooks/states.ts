import type { EndpointState } from '@mintmark/contract'

/** Which state of an endpoint may follow which. None is stored: they are what `stateOf` (rules.ts) makes of the row. */
export const ENDPOINT_TRANSITIONS = {
  /** Its URL has not returned a challenge. Ends when it does. */
  unverified: ['paused'],
  /** It has, and its owner does not want it to be sent to. Ends by its owner. */
  paused: ['active', 'unverified'],
  /** It is sent to. */
  active: ['paused', 'unverified', 'circuit_open', 'disabled'],
  /** It failed five times in a row. Ends by a probe that it acknowledges, or by its owner. */
  circuit_open: ['active', 'paused', 'unverified', 'disabled'],
  /**
   * The service gave it up: it is gone, or where nothing may be sent. Ends when its URL returns a challenge again, or
   * by another URL.
   */
  disabled: ['paused', 'unverified'],
} as const satisfies Record<EndpointState, readonly EndpointState[]>
