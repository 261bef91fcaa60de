import { type Static, Type } from 'typebox'
import { CHARGE_LIMITS } from '../agents.ts'
import { ACTIVITY_OUTCOMES } from '../owner-activity.ts'
import { PAYMENT_FAILURE_CODES } from '../states.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

// What an owner sees of the charges of their agents.

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
/** The moment of the last one of the page before, in milliseconds, and its id. */
const Cursor = Type.String({ pattern: '^[0-9]{1,15}_[A-Za-z0-9_]{0,64}$' })

export const ActivityQuery = Type.Object(
  {
    agent: Type.Optional(Id),
    shop: Type.Optional(Type.String({ minLength: 1, maxLength: 200, format: 'clean-text' })),
    /** A calendar month, UTC. */
    month: Type.Optional(Type.String({ pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$' })),
    outcome: Type.Optional(oneOf(ACTIVITY_OUTCOMES)),
    before: Type.Optional(Cursor),
    /** For a file: as many as fit in one answer. */
    size: Type.Optional(Type.Literal('file')),
  },
  STRICT,
)
export type ActivityQuery = Static<typeof ActivityQuery>

export const ActivityCharge = Type.Object({
  charge_id: Type.String(),
  agent_id: Type.String(),
  agent: Type.String(),
  mandate_id: nullable(Type.String()),
  amount: Type.String(),
  currency: Type.String(),
  shop: Type.String(),
  shop_host: Type.String(),
  outcome: oneOf(ACTIVITY_OUTCOMES),
  /** Why nothing was paid. */
  code: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  /** Which limit refused it, where its owner was asked. */
  limit: nullable(oneOf(CHARGE_LIMITS)),
  escalation_id: nullable(Type.String()),
  possible_duplicate: Type.Boolean(),
  created_at: Type.String(),
})
export type ActivityCharge = Static<typeof ActivityCharge>

export const ActivityList = Type.Object({
  charges: Type.Array(ActivityCharge),
  /** Where the next page begins; also behind one that is not full: it was looked for so far. */
  next_before: nullable(Type.String()),
})
export type ActivityList = Static<typeof ActivityList>

export const ShopList = Type.Object({ shops: Type.Array(Type.String()) })
export type ShopList = Static<typeof ShopList>

/** What happened to a charge. `number_made`: for its agent alone, to whose key it was encrypted. */
const CHARGE_MOMENTS = ['asked', 'number_made', 'reported', 'lapsed', 'paid', 'refused', 'given_back'] as const

export const ChargeParams = Type.Object({ chargeId: Id })
export const ChargeLifeView = Type.Object({
  charge: ActivityCharge,
  reference: nullable(Type.String()),
  /** Until when its number can be used; null: none was made. */
  lapses_at: nullable(Type.String()),
  moments: Type.Array(Type.Object({ what: oneOf(CHARGE_MOMENTS), at: Type.String() })),
})
export type ChargeLifeView = Static<typeof ChargeLifeView>
