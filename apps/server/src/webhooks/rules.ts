import type { AttemptFailure, DisabledReason, EgressFailure, EndpointState, PauseReason } from '@mintmark/contract'
import { valueAt } from '../platform/json.ts'
import { parseStrictJson } from '../platform/strict-json.ts'

/** What the state of an endpoint is made of. */
export interface Standing {
  enabled: boolean
  verifiedAt: Date | null
  disabledReason: DisabledReason | null
  circuitUntil: Date | null
  revision: number
}

/** The one answer to how an endpoint stands. Several things may keep it from being sent to; what its owner has to do first wins. */
export function stateOf({ enabled, verifiedAt, disabledReason, circuitUntil }: Standing): EndpointState {
  if (disabledReason !== null) return 'disabled'
  if (verifiedAt === null) return 'unverified'
  if (!enabled) return 'paused'
  return circuitUntil === null ? 'active' : 'circuit_open'
}

/** Null while it is active. */
export function pauseReasonOf(endpoint: Standing): PauseReason | null {
  const state = stateOf(endpoint)
  switch (state) {
    case 'active':
      return null
    case 'paused':
      return 'not_enabled'
    case 'unverified':
      return endpoint.revision === 1 ? 'unverified' : 'url_changed'
    case 'circuit_open':
      return state
    case 'disabled':
      return endpoint.disabledReason
  }
}

/** What decides whether an endpoint is sent to, and where. */
type Destination = Pick<Standing, 'enabled' | 'verifiedAt' | 'disabledReason' | 'revision'> & { url: string }

/** A new one is paused and unverified. */
export const FIRST = { revision: 1, enabled: false, verifiedAt: null, disabledReason: null }

/**
 * The destination after a change (null: not given). Another URL is another destination: it is not verified, not enabled, and nothing that
 * was found out about the one before holds. Null: it would be enabled without being verified.
 */
export function changedDestination(
  { url: present, revision, enabled: isEnabled, verifiedAt, disabledReason }: Destination,
  { url, enabled }: { url: string | null; enabled: boolean | null },
): (Destination & { isNew: boolean }) | null {
  const isMoved = url !== null && url !== present
  if (enabled === true && (isMoved || verifiedAt === null || disabledReason !== null)) return null
  if (isMoved) return { ...FIRST, url, revision: revision + 1, isNew: true }
  return { url: present, revision, verifiedAt, disabledReason, enabled: enabled ?? isEnabled, isNew: enabled === false }
}

export const MAX_ENDPOINTS = 5

/** For how long the secret before a rotation signs beside the new one. */
export const ROTATION_SECONDS = 24 * 60 * 60

/** What a request to a receiver came to. */
export type Answered =
  | { kind: 'answered'; status: number; body: Buffer; isComplete: boolean }
  | { kind: 'failed'; category: EgressFailure }
/** As much of it as says whether it was acknowledged. */
type Outcome = { kind: 'answered'; status: number } | { kind: 'failed'; category: EgressFailure }

/** Null: acknowledged. */
export function failureOf(outcome: Outcome): AttemptFailure | null {
  if (outcome.kind === 'failed') return outcome.category
  const { status } = outcome
  if (status >= 200 && status < 300) return null
  if (status === 410) return 'gone'
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/**
 * Whether a body is a JSON object whose own member `challenge` is the challenge; receivers add members of theirs. Two equal keys are none, as
 * parsers differ in which they take. What only repeats what it was sent has not understood it: the request has the challenge twice, an
 * answer has it once. It has no character that JSON could spell in another way.
 */
export function isEcho({ body, isComplete }: { body: Buffer; isComplete: boolean }, challenge: string): boolean {
  if (!isComplete || body.toString('latin1').split(challenge).length !== 2) return false
  try {
    return valueAt(parseStrictJson(body), 'challenge') === challenge
  } catch {
    return false
  }
}
