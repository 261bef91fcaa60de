import { type Static, Type } from 'typebox'
import { MANDATE_STATES, MANDATE_STATUSES, MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '../states.ts'
import { ConsolePayment } from './console.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

// What the console and its backend say to each other of permissions: the standing mandates of an account.

const Time = Type.String()

/** A line of their list. */
export const ConsolePermission = Type.Object({
  mandate_id: Type.String(),
  state: oneOf(MANDATE_STATES),
  status: oneOf(MANDATE_STATUSES),
  frequency: oneOf(RECURRING_FREQUENCIES),
  merchant_scope: oneOf(MERCHANT_SCOPES),
  merchant: Type.String(),
  /** As the account names them; null: they were erased. */
  customer: nullable(Type.String()),
  agent_id: nullable(Type.String()),
  /** What a window, and a charge, may cost at most. */
  amount: Type.String(),
  /** What the current window has taken: paid, or without an outcome. */
  spent: Type.String(),
  left: Type.String(),
  currency: Type.String(),
  /** Over its whole life. */
  charge_count: Type.Integer(),
  max_charges: nullable(Type.Integer()),
  /** When the next window begins; null: there is none. It may lie behind `valid_until`. */
  renews_at: nullable(Time),
  /** Null: its time begins when it is approved. */
  valid_until: nullable(Time),
  /** Null: it has not ended, or ended by its time alone. */
  ended_at: nullable(Time),
  is_approved: Type.Boolean(),
  created_at: Time,
})
export type ConsolePermission = Static<typeof ConsolePermission>

export const PermissionsQuery = Type.Object(
  {
    state: Type.Optional(oneOf(MANDATE_STATES)),
    before: Type.Optional(Type.String({ pattern: '^mdt_[a-z0-9]{1,40}$' })),
  },
  STRICT,
)
export type PermissionsQuery = Static<typeof PermissionsQuery>

export const ConsolePermissions = Type.Object({
  permissions: Type.Array(ConsolePermission),
  /** Where the next page begins; also behind one that is not full: it was looked for so far. Null: there is no more. */
  next_before: nullable(Type.String()),
})
export type ConsolePermissions = Static<typeof ConsolePermissions>

/** No rule on the form of an id: an id that is not one of ours is not found. */
export const PermissionParams = Type.Object({
  permissionId: Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' }),
})

export const ConsolePermissionView = Type.Object({
  permission: ConsolePermission,
  /** What of `spent` has an outcome, and what has none yet. */
  used: Type.String(),
  held: Type.String(),
  /** What the passkey signed, as one sentence; null: not approved, or not kept any more. */
  sentence: nullable(Type.Object({ text: Type.String(), locale: Type.String() })),
  /** Its newest charges, the newest first. */
  payments: Type.Array(ConsolePayment),
})
export type ConsolePermissionView = Static<typeof ConsolePermissionView>
