import type { Queryable } from '../db/statement.ts'
import { endOverdue } from '../jobs/overdue.ts'
import { addSeconds } from '../platform/clock.ts'
import { PublicError } from '../platform/errors.ts'
import { mandateInvalidTransition } from './errors.ts'
import { cancel } from './move.ts'
import type { MandateDeps } from './service.ts'
import * as store from './store.ts'

/** What was approved just before the end of its agent may become active behind it, when the network has registered it. */
const BEHIND_SECONDS = 24 * 60 * 60

const MAX_SHOWN = 200

/** What a customer has given to agents: open ones, and those that were cancelled. Newest first. */
export const listOfAgents = (
  { clock }: MandateDeps,
  on: Queryable,
  { merchantId, customerId }: { merchantId: string; customerId: string },
): Promise<store.MandateOfAgent[]> =>
  store.listOfAgents(on, { merchantId, customerId, at: clock.now(), limit: MAX_SHOWN })

/** Cancels standing mandates of agents that were revoked: no other caller may charge them. One that fails rests, and delays no other. */
const endRevoked = endOverdue<MandateDeps & { merchantId: string }>(
  {
    async list({ pool, clock, merchantId }, limit, resting) {
      const at = clock.now()
      const revokedAfter = addSeconds(at, -BEHIND_SECONDS)
      const rows = await store.listOfRevokedAgents(pool, { merchantId, revokedAfter, at, resting, limit })
      return { rows: rows.map(({ id }) => ({ merchantId, id })), nextDueAt: null }
    },
  },
  {
    name: 'mandates.cancel_of_revoked',
    async handle(deps, { merchantId, id }) {
      try {
        await cancel(deps, { merchantId }, id)
        return true
      } catch (error) {
        if (error instanceof PublicError && error.code === mandateInvalidTransition.code) return false
        throw error
      }
    },
  },
)

/** Returns how many were looked at, of `limit` at most. */
export async function cancelOfRevoked(deps: MandateDeps, merchantId: string, limit: number): Promise<number> {
  return (await endRevoked({ ...deps, merchantId }, limit)).taken
}
