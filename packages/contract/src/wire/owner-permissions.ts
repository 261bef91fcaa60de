import { type Static, Type } from 'typebox'
import { LISTED_CARD_STATUSES, MANDATE_STATES, MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '../states.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

// The permissions and cards of an owner, as their page shows them.

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })

export const PermissionParams = Type.Object({ mandateId: Id })
export const PermissionQuery = Type.Object({ before: Type.Optional(Id) }, STRICT)

export const OwnerPermission = Type.Object({
  mandate_id: Type.String(),
  agent_id: nullable(Type.String()),
  agent: nullable(Type.String()),
  merchant_name: Type.String(),
  merchant_host: Type.String(),
  merchant_scope: oneOf(MERCHANT_SCOPES),
  frequency: oneOf(RECURRING_FREQUENCIES),
  /** The cap of one window. */
  amount: Type.String(),
  currency: Type.String(),
  spent: Type.String(),
  left: Type.String(),
  renews_at: nullable(Type.String()),
  state: oneOf(MANDATE_STATES),
  charges: Type.Integer(),
  max_charges: nullable(Type.Integer()),
  created_at: Type.String(),
  valid_until: Type.String(),
  ended_at: nullable(Type.String()),
})
export type OwnerPermission = Static<typeof OwnerPermission>

export const PermissionList = Type.Object({
  permissions: Type.Array(OwnerPermission),
  next_before: nullable(Type.String()),
})
export type PermissionList = Static<typeof PermissionList>

export const OwnerCards = Type.Object({
  cards: Type.Array(
    Type.Object({
      card_id: Type.String(),
      brand: nullable(Type.String()),
      last4: Type.String(),
      exp_month: Type.Integer(),
      exp_year: Type.Integer(),
      status: oneOf(LISTED_CARD_STATUSES),
      is_default: Type.Boolean(),
      added_at: Type.String(),
      /** What ends with it. */
      permissions: Type.Array(OwnerPermission),
    }),
  ),
})
export type OwnerCards = Static<typeof OwnerCards>
