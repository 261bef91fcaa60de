import type { CartStatus } from '@mintmark/contract'
import type { Transitions } from '../../platform/states.ts'

/** What may become of a cart. */
export const CART_TRANSITIONS: Transitions<CartStatus> = {
  /** Products may be put in and taken out; it shows today's prices. */
  open: ['ordered', 'abandoned'],
  /** It shows what was ordered, at the prices that were paid. */
  ordered: [],
  /** Nothing was changed in it for `CART_DAYS`. */
  abandoned: [],
}
