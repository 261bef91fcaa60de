import { FRAME_PROTOCOL, type FrameMessage, type ParentMessage } from '@mintmark/contract/frame'
import { originMatches } from '@mintmark/contract/origin-matching'
import type { SurfaceCard } from '@mintmark/contract/wire/surface'

/** What of a MessageEvent matters. */
interface Incoming {
  source: unknown
  origin: string
  data: unknown
}

/** True when an origin is one the merchant registered. */
export function originAllowed(origin: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => originMatches(origin, pattern))
}

/** A message of our protocol with nothing missing and nothing added; null otherwise. */
export function parseParentMessage(data: unknown): ParentMessage | null {
  if (typeof data !== 'object' || data === null || Object.getPrototypeOf(data) !== Object.prototype) return null
  if (Object.keys(data).length !== 2) return null
  if (!('protocol' in data) || data.protocol !== FRAME_PROTOCOL || !('type' in data)) return null
  switch (data.type) {
    case 'hello':
    case 'cancel':
    case 'close':
      return { protocol: FRAME_PROTOCOL, type: data.type }
    default:
      return null
  }
}

/** Lets one window talk to the page, from the first of the allowed origins that says hello. */
interface FrameGate {
  /** The message to act on, or null: dropped silently, because an answer would tell a stranger something. */
  accept(event: Incoming): ParentMessage | null
  /** The only origin messages may be sent to; null until the first hello. */
  pinned(): string | null
  dropped(): number
}

export function createFrameGate(parent: unknown, allowedOrigins: readonly string[]): FrameGate {
  const allowed = [...allowedOrigins]
  let pinnedOrigin: string | null = null
  let droppedCount = 0
  return {
    accept(event) {
      const message = admit(event)
      if (message === null) droppedCount += 1
      return message
    },
    pinned: () => pinnedOrigin,
    dropped: () => droppedCount,
  }

  function admit(event: Incoming): ParentMessage | null {
    if (parent === null || parent === undefined || event.source !== parent) return null
    if (pinnedOrigin !== null ? event.origin !== pinnedOrigin : !originAllowed(event.origin, allowed)) return null
    const message = parseParentMessage(event.data)
    if (message?.type === 'hello') pinnedOrigin ??= event.origin
    return pinnedOrigin === null ? null : message
  }
}

type WithoutProtocol<Message> = Message extends unknown ? Omit<Message, 'protocol'> : never
export type Outgoing = WithoutProtocol<FrameMessage>

/** Only the fields the protocol names: any other field of an object never leaves the page. */
export function frameMessage(message: Outgoing): FrameMessage {
  switch (message.type) {
    case 'loading':
    case 'asking':
    case 'escape':
      return { protocol: FRAME_PROTOCOL, type: message.type }
    case 'ready':
    case 'cancelled':
      return { protocol: FRAME_PROTOCOL, type: message.type, session_id: message.session_id }
    case 'change':
      return {
        protocol: FRAME_PROTOCOL,
        type: 'change',
        step: message.step,
        complete: message.complete,
        brand: message.brand,
      }
    case 'card_collected':
      return { protocol: FRAME_PROTOCOL, type: 'card_collected', card: publicCard(message.card) }
    case 'completed': {
      const { session_id, outcome, error_code } = message
      return { protocol: FRAME_PROTOCOL, type: 'completed', session_id, outcome, error_code }
    }
    case 'error': {
      const { code, message: text, retryable } = message
      return { protocol: FRAME_PROTOCOL, type: 'error', code, message: text, retryable }
    }
    case 'resize':
      return { protocol: FRAME_PROTOCOL, type: 'resize', height: message.height }
  }
}

function publicCard(card: SurfaceCard): SurfaceCard {
  const { card_id, card_last4, card_brand, card_exp_month, card_exp_year } = card
  return { card_id, card_last4, card_brand, card_exp_month, card_exp_year }
}
