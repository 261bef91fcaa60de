/** What a key-encryption key is for. A key that is retired has no row. */
export const KEY_STATES = ['added', 'current', 'former'] as const
export type KeyState = (typeof KEY_STATES)[number]

/** Which state may follow which. */
export const KEY_TRANSITIONS = {
  /** Known, and wraps nothing yet: processes prove meanwhile that they reach it. */
  added: ['current'],
  /** Wraps every new data key. There is exactly one. */
  current: ['former'],
  /** Wraps nothing new. What it wrapped still opens, until it is wrapped again and the key is retired. */
  former: ['current'],
} as const satisfies Record<KeyState, readonly KeyState[]>
