import type { ErrorCode } from '@mintmark/contract/errors'

/** The backend refused a call, with the envelope's code and the response's id for whoever helps. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly details: Readonly<Record<string, string>>
  readonly reference: string | null
  readonly retryAfterSeconds: number | null

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

/** The codes the surface's backend may answer with. Each is in the contract; a misspelled one does not compile. */
export type SurfaceErrorCode = Extract<
  ErrorCode,
  | 'AUTH_1001'
  | 'AUTH_1002'
  | 'AUTH_1003'
  | 'AUTH_1004'
  | 'NOT_FOUND'
  | 'VAL_2001'
  | 'INVALID_REQUEST'
  | 'INVALID_STATE'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE'
  | 'NOT_IMPLEMENTED'
  | 'CONFIG_ERROR'
  | 'MERCHANT_LOOKUP_ERROR'
  | 'TRIES_EXHAUSTED'
  | 'CARD_NOT_FOUND'
  | 'CARD_INACTIVE'
  | 'CARD_REFUSED'
  | 'STEP_UP_INVALID'
  | 'MANDATE_EXPIRED'
  | 'NETWORK_UNAVAILABLE'
  | 'PASSKEY_REQUIRED'
  | 'PASSKEY_FAILED'
  | 'PASSKEY_FRAME_REFUSED'
>

/**
 * What the page does about a code. `field`: a message in the form; `expired`, `revoked`, `link`: a last screen; `reload`: someone else moved the session, so ask where it stands; `wait`: slow down; `retry`: offer to try
 * again; `stop`: trying again cannot help; `passkey` and `frame`: the ceremony's own screens.
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

const RULES = {
  AUTH_1001: { reaction: 'link', text: 'This link does not open a payment.' },
  AUTH_1002: { reaction: 'link', text: 'This link does not open a payment.' },
  AUTH_1003: { reaction: 'expired', text: 'The time for this payment is over.' },
  AUTH_1004: { reaction: 'revoked', text: 'The merchant withdrew this payment.' },
  NOT_FOUND: { reaction: 'link', text: 'This link does not open a payment.' },
  VAL_2001: { reaction: 'field', text: 'Check what you entered and try again.' },
  INVALID_REQUEST: { reaction: 'field', text: 'Check what you entered and try again.' },
  INVALID_STATE: { reaction: 'reload', text: 'This payment moved on elsewhere.' },
  RATE_LIMITED: { reaction: 'wait', text: 'That was too fast for us.' },
  INTERNAL_ERROR: { reaction: 'retry', text: 'Something went wrong on our side.' },
  SERVICE_UNAVAILABLE: { reaction: 'retry', text: 'The payment service is busy at the moment.' },
  NOT_IMPLEMENTED: { reaction: 'stop', text: 'The payment service does not offer this.' },
  CONFIG_ERROR: { reaction: 'stop', text: 'The merchant’s account is not set up for this payment.' },
  MERCHANT_LOOKUP_ERROR: { reaction: 'retry', text: 'Something went wrong on our side.' },
  TRIES_EXHAUSTED: { reaction: 'stop', text: 'There were too many tries for this payment.' },
  CARD_NOT_FOUND: { reaction: 'field', text: 'This card is no longer saved. Choose another one.' },
  CARD_INACTIVE: { reaction: 'field', text: 'This card cannot be used any more. Choose another one.' },
  CARD_REFUSED: {
    reaction: 'field',
    text: 'The card network did not accept this card. Check the details or use another card.',
  },
  STEP_UP_INVALID: { reaction: 'field', text: 'That code is not right. Check the latest message from your bank.' },
  MANDATE_EXPIRED: { reaction: 'expired', text: 'The time for this approval is over.' },
  NETWORK_UNAVAILABLE: { reaction: 'retry', text: 'The card network does not answer at the moment.' },
  PASSKEY_REQUIRED: { reaction: 'reload', text: 'A passkey is needed first.' },
  PASSKEY_FAILED: { reaction: 'passkey', text: 'The passkey could not be verified.' },
  PASSKEY_FRAME_REFUSED: { reaction: 'frame', text: 'This browser does not allow passkeys inside another page.' },
} as const satisfies Record<SurfaceErrorCode, ErrorRule>

function isSurfaceCode(code: string): code is SurfaceErrorCode {
  return Object.hasOwn(RULES, code)
}

/** A code this page does not know is still an answer: what may pass is offered again, the rest is not. */
export function ruleFor(refusal: Refusal): ErrorRule {
  if (isSurfaceCode(refusal.code)) return RULES[refusal.code]
  if (refusal.status === 429) return RULES.RATE_LIMITED
  return refusal.status >= 500 ? RULES.INTERNAL_ERROR : { reaction: 'stop', text: 'This payment cannot go on.' }
}
