import { canBeRead } from '@mintmark/contract/colours'
import { FRAME_PROTOCOL, type FrameAppearance, type FrameMessage, type ParentMessage } from '@mintmark/contract/frame'
import { originMatches } from '@mintmark/contract/origin-matching'
import { BRAND_SCHEMES, MAX_BRAND_RADIUS } from '@mintmark/contract/surface'
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

/** What was said; or which field of a hello is wrong, for who built the page around this one. */
type Heard = ParentMessage | { type: 'refused'; field: string }

/** A message of our protocol with nothing missing and nothing added; null otherwise. */
export function parseParentMessage(data: unknown): Heard | null {
  if (typeof data !== 'object' || data === null || Object.getPrototypeOf(data) !== Object.prototype) return null
  const { protocol, type, ...more } = data as Record<string, unknown>
  if (protocol !== FRAME_PROTOCOL || (type !== 'hello' && Object.keys(more).length > 0)) return null
  switch (type) {
    case 'hello':
      return readAppearance(more)
    case 'cancel':
    case 'close':
      return { protocol: FRAME_PROTOCOL, type }
    default:
      return null
  }
}

const isOneOf =
  (...known: readonly unknown[]) =>
  (value: unknown) =>
    known.includes(value)
const LOOKS: Record<string, (value: unknown) => boolean> = {
  summary: isOneOf('compact', 'full'),
  scheme: isOneOf(...BRAND_SCHEMES),
  accent: (value: unknown) => typeof value === 'string' && canBeRead(value, 'light'),
  accent_dark: (value: unknown) => typeof value === 'string' && canBeRead(value, 'dark'),
  radius: (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_BRAND_RADIUS,
} satisfies Record<keyof FrameAppearance, unknown>

/** How the page shall look, and nothing else. */
function readAppearance(look: Record<string, unknown>): Heard | null {
  const names = Object.keys(look)
  if (!names.every((name) => Object.hasOwn(LOOKS, name))) return null
  const field = names.find((name) => !LOOKS[name]?.(look[name]))
  return field === undefined ? { protocol: FRAME_PROTOCOL, type: 'hello', ...look } : { type: 'refused', field }
}

/** The window that may talk to the page: one, and of the allowed origins the first that says hello. */
interface FrameGate {
  /** The message to act on, or null: dropped silently, because an answer would tell a stranger something. */
  accept(event: Incoming): Heard | null
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
      const message = heardIn(event)
      if (message === null) droppedCount += 1
      return message
    },
    pinned: () => pinnedOrigin,
    dropped: () => droppedCount,
  }

  function heardIn(event: Incoming): Heard | null {
    if (parent === null || parent === undefined || event.source !== parent) return null
    if (pinnedOrigin !== null ? event.origin !== pinnedOrigin : !originAllowed(event.origin, allowed)) return null
    const message = parseParentMessage(event.data)
    if (message?.type === 'hello') pinnedOrigin ??= event.origin
    return pinnedOrigin === null && message?.type !== 'refused' ? null : message
  }
}

type WithoutProtocol<Message> = Message extends unknown ? Omit<Message, 'protocol'> : never
export type Outgoing = WithoutProtocol<FrameMessage>

/** What the protocol names, of each message. */
const FIELDS: { [Type in Outgoing['type']]: readonly (keyof Extract<Outgoing, { type: Type }>)[] } = {
  loading: [],
  asking: [],
  escape: [],
  ready: ['session_id'],
  cancelled: ['session_id'],
  change: ['step', 'complete', 'brand'],
  card_collected: [],
  completed: ['session_id', 'outcome', 'error_code'],
  error: ['code', 'message', 'retryable'],
  resize: ['height'],
}
const CARD: readonly (keyof SurfaceCard)[] = ['card_id', 'card_last4', 'card_brand', 'card_exp_month', 'card_exp_year']

/** Only the fields the protocol names: any other field of an object never leaves the page. */
export function frameMessage(message: Outgoing): FrameMessage {
  const { type } = message
  const card = type === 'card_collected' && { card: pick(message.card, CARD) }
  return { protocol: FRAME_PROTOCOL, type, ...pick(message, FIELDS[type]), ...card } as FrameMessage
}

function pick(from: object, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, (from as Record<string, unknown>)[name]]))
}
