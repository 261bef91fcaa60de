import { type Static, Type } from 'typebox'
import { MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '../states.ts'
import { nullable, oneOf } from './schema.ts'

// What the agents of an owner have spent this month, and what they could still spend until it ends.

/** Why an agent cannot use a permission at all. */
const PERMISSION_BARRIERS = ['paused', 'currency', 'merchants', 'hours', 'asks'] as const

const Sum = Type.Object({ amount: Type.String(), currency: Type.String() })

const SpendablePermission = Type.Object({
  mandate_id: Type.String(),
  merchant_name: Type.String(),
  merchant_scope: oneOf(MERCHANT_SCOPES),
  /** By the permission itself, whatever the agent's limits are; in its own currency. */
  amount: Type.String(),
  currency: Type.String(),
  frequency: oneOf(RECURRING_FREQUENCIES),
  /** How often it begins anew until then. */
  renewals: Type.Integer(),
  barrier: nullable(oneOf(PERMISSION_BARRIERS)),
})

const Spender = Type.Object({
  agent_id: Type.String(),
  name: Type.String(),
  /** The most, by all of what follows. */
  amount: Type.String(),
  currency: Type.String(),
  /** What is left of each limit until then; null: there is no such limit. */
  month_left: nullable(Type.String()),
  days_left: nullable(Type.String()),
  /** How many days that is, today among them. */
  days: Type.Integer(),
  /** The most of one charge that does not ask; null: no limit. */
  each: nullable(Type.String()),
  /** What the owner has allowed beyond these limits. */
  allowed: Type.String(),
  permissions: Type.Array(SpendablePermission),
})

export const OwnerMoney = Type.Object({
  /** The end of the month, UTC. */
  until: Type.String(),
  spent: Type.Array(Type.Object({ ...Sum.properties, held: Type.String() })),
  most: Type.Array(Sum),
  agents: Type.Array(Spender),
})
export type OwnerMoney = Static<typeof OwnerMoney>
