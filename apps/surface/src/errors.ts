import type { SurfaceErrorCode } from '@mintmark/contract/surface'
import { text } from './text/text.ts'

/** The backend refused a call: the envelope's code and details, and the response's id for support. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly details: Readonly<Record<string, string>>
  readonly reference: string | null
  readonly retryAfterSeconds: number | null

  /** `message` is for developers; it is never shown. */
  constructor(refusal: {
    code: string
    status: number
    message: string
    details: Record<string, string>
    reference: string | null
    retryAfterSeconds: number | null
  }) {
    super(refusal.message)
    this.code = refusal.code
    this.status = refusal.status
    this.details = refusal.details
    this.reference = refusal.reference
    this.retryAfterSeconds = refusal.retryAfterSeconds
  }
}

/** No answer came: offline, a network failure, a timeout. Whether the call took effect is unknown. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/**
 * What the page does about a code. `field`: a message in the form; `expired`, `revoked`, `link`: a last screen;
 * `reload`: the session moved elsewhere, so ask where it stands; `wait`: slow down; `retry`: offer to try again;
 * `stop`: trying again cannot help; `passkey` and `frame`: the ceremony's own screens.
 */
export type Reaction =
  | 'field'
  | 'expired'
  | 'revoked'
  | 'link'
  | 'reload'
  | 'wait'
  | 'retry'
  | 'stop'
  | 'passkey'
  | 'frame'

interface ErrorRule {
  reaction: Reaction
  text: string
}

const REACTIONS: Record<SurfaceErrorCode, Reaction> = {
  AUTH_1001: 'link',
  AUTH_1002: 'link',
  AUTH_1003: 'expired',
  AUTH_1004: 'revoked',
  NOT_FOUND: 'link',
  VAL_2001: 'field',
  INVALID_REQUEST: 'field',
  INVALID_STATE: 'reload',
  RATE_LIMITED: 'wait',
  INTERNAL_ERROR: 'retry',
  SERVICE_UNAVAILABLE: 'retry',
  NOT_IMPLEMENTED: 'stop',
  CONFIG_ERROR: 'stop',
  MERCHANT_LOOKUP_ERROR: 'stop',
  TRIES_EXHAUSTED: 'stop',
  CARD_NOT_FOUND: 'field',
  CARD_INACTIVE: 'field',
  CARD_REFUSED: 'field',
  STEP_UP_INVALID: 'field',
  MANDATE_EXPIRED: 'expired',
  NETWORK_UNAVAILABLE: 'retry',
  PASSKEY_REQUIRED: 'reload',
  PASSKEY_FAILED: 'passkey',
  PASSKEY_FRAME_REFUSED: 'frame',
}

/** A code this page does not know is still an answer: what may pass is offered again, the rest is not. */
export function ruleFor(refusal: Refusal): ErrorRule {
  const { code, status } = refusal
  if (isUnreadPasskey(refusal)) return { reaction: 'passkey', text: text.errors.PASSKEY_FAILED }
  if (isKeyOf(REACTIONS, code)) return { reaction: REACTIONS[code], text: reasonText(refusal) ?? text.errors[code] }
  if (status === 429) return { reaction: 'wait', text: text.errors.RATE_LIMITED }
  if (status >= 500) return { reaction: 'retry', text: text.errors.INTERNAL_ERROR }
  return { reaction: 'stop', text: text.unknownError }
}

/** The service could not read what the passkey's dialog gave. No cardholder typed that: there is nothing to check, and another one may do. */
function isUnreadPasskey({ code, details }: Refusal): boolean {
  return code === 'VAL_2001' && Object.keys(details).some((path) => /^response(?:\.|$)/.test(path))
}

/** What `details.reason` adds to the code; null when there is none, or none this page knows. */
export function reasonText({ code, details }: Refusal): string | null {
  const { reason = '' } = details
  if (code === 'CARD_REFUSED' && isKeyOf(text.cardRefusals, reason)) return text.cardRefusals[reason]
  if (code === 'PASSKEY_FAILED' && isKeyOf(text.passkeyRefusals, reason)) return text.passkeyRefusals[reason]
  return null
}

function isKeyOf<Table extends object>(table: Table, key: PropertyKey): key is keyof Table {
  return Object.hasOwn(table, key)
}
