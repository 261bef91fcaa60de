/** Roles of a person at an account, in an order: each may what those before it may. */
export const CONSOLE_ROLES = ['viewer', 'support', 'developer', 'admin', 'owner'] as const
export type ConsoleRole = (typeof CONSOLE_ROLES)[number]

/**
 * What became of the money. `nothing_yet`: no number was made; `held`: one was, and may be used; `not_known`: the
 * network was asked and has not said, or may have paid.
 */
export const MONEY_STATES = ['nothing_yet', 'held', 'charged', 'not_charged', 'not_known'] as const
export type MoneyState = (typeof MONEY_STATES)[number]

/** What a payment came from: described by its merchant, from a shop's quote, or charged against a permission. */
export const PAYMENT_ORIGINS = ['described', 'quoted', 'permission'] as const
export type PaymentOrigin = (typeof PAYMENT_ORIGINS)[number]

/** The columns of a payment's history: who acted. */
export const HISTORY_LANES = ['backend', 'cardholder', 'network', 'webhooks'] as const
export type HistoryLane = (typeof HISTORY_LANES)[number]

/** The four steps of a first run, in their order. */
export const FIRST_STEPS = ['key_used', 'session_made', 'approved', 'event_received'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

/** What waits for a person at the account. */
export const NEEDS = ['endpoint_paused', 'endpoint_unverified', 'report_overdue', 'outcome_unknown'] as const
export type Need = (typeof NEEDS)[number]

/** What the finder knows. */
export const FOUND_KINDS = ['payment', 'permission', 'event', 'endpoint', 'delivery'] as const
export type FoundKind = (typeof FOUND_KINDS)[number]

/** What people do at the console, as its list of acts says it. */
export const CONSOLE_ACTS = [
  'signed_in',
  'invited',
  'invitation_withdrawn',
  'joined',
  'role_changed',
  'removed',
  'passkey_made',
  'passkey_ended',
  'sessions_ended',
  'delivery_resent',
  'clock_moved',
  'key_made',
  'key_rolled',
  'key_revoked',
] as const
export type ConsoleAct = (typeof CONSOLE_ACTS)[number]

/** Whether a person with the first role may what the second one may. */
export const mayAs = (own: ConsoleRole, wanted: ConsoleRole): boolean =>
  CONSOLE_ROLES.indexOf(own) >= CONSOLE_ROLES.indexOf(wanted)
