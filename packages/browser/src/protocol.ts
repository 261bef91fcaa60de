import type { Step } from './options.ts'

/** As in the contract, which is not installed with this package; a test compares them. */
export const PROTOCOL = 'mintmark.frame.1'

export type OwnMessage = 'hello' | 'cancel' | 'close'

interface WireCard {
  card_id: string
  card_last4: string
  card_brand: string | null
  card_exp_month: number
  card_exp_year: number
}

export type PageMessage =
  | { type: 'loading' }
  | { type: 'ready'; session_id: string }
  | { type: 'change'; step: Step; complete: boolean; brand: string | null }
  | { type: 'card_collected'; card: WireCard }
  | {
      type: 'completed'
      session_id: string
      outcome: 'approved' | 'failed' | 'expired' | 'revoked'
      error_code: string | null
    }
  | { type: 'cancelled'; session_id: string }
  | { type: 'error'; code: string; message: string; retryable: boolean }
  | { type: 'resize'; height: number }
  | { type: 'asking' }
  | { type: 'escape' }

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string'
const isTextOrNone: Check = (value) => value === null || isText(value)
const isFlag: Check = (value) => typeof value === 'boolean'
const isNumber: Check = (value) => Number.isFinite(value)
const isCard: Check = (value) =>
  fits(value, {
    card_id: isText,
    card_last4: isText,
    card_brand: isTextOrNone,
    card_exp_month: isNumber,
    card_exp_year: isNumber,
  })

const SHAPES: { [Type in PageMessage['type']]: Record<string, Check> } = {
  loading: {},
  ready: { session_id: isText },
  change: { step: isText, complete: isFlag, brand: isTextOrNone },
  card_collected: { card: isCard },
  completed: { session_id: isText, outcome: isText },
  cancelled: { session_id: isText },
  error: { code: isText, message: isText, retryable: isFlag },
  resize: { height: isNumber },
  asking: {},
  escape: {},
}

/** Null for whatever is no message of the page's. More than is known of is for a later version of this package. */
export function readMessage(data: unknown): PageMessage | null {
  // What a page has put on all objects was not said.
  const message = Object.assign(Object.create(null), data)
  const { protocol, type } = message
  if (protocol !== PROTOCOL || typeof type !== 'string' || !Object.hasOwn(SHAPES, type)) return null
  return fits(message, SHAPES[type as PageMessage['type']]) ? message : null
}

function fits(value: unknown, shape: Record<string, Check>): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(shape).every(
    ([name, check]) => Object.hasOwn(value, name) && check((value as Record<string, unknown>)[name]),
  )
}
