import { addSeconds } from '../platform/clock.ts'
import { PublicError } from '../platform/errors.ts'
import { mandateInvalidTransition } from './errors.ts'
import { cancel } from './move.ts'
import type { MandateDeps } from './service.ts'
import * as store from './store.ts'

/** What was approved just before the end of its agent may become active behind it, when the network has registered it. */
const BEHIND_SECONDS = 24 * 60 * 60

const MOST_SHOWN = 200

/** What a customer has given to agents: open ones, and those that were cancelled. Newest first. */
export const listOfAgents = (
  { pool, clock }: MandateDeps,
  merchantId: string,
  customerId: string,
): Promise<store.MandateOfAgent[]> =>
  store.listOfAgents(pool, { merchantId, customerId, at: clock.now(), limit: MOST_SHOWN })

/** Cancels standing mandates of agents that were revoked: nobody else may charge them. Returns how many there were, of `limit` at most. */
export async function cancelOfRevoked(deps: MandateDeps, merchantId: string, limit: number): Promise<number> {
  const revokedAfter = addSeconds(deps.clock.now(), -BEHIND_SECONDS)
  const rows = await store.listOfRevokedAgents(deps.pool, { merchantId, revokedAfter, at: deps.clock.now(), limit })
  for (const { id } of rows) {
    await cancel(deps, { merchantId }, id).catch((error: unknown) => {
      // Somebody else was first.
      if (!(error instanceof PublicError) || error.code !== mandateInvalidTransition.code) throw error
    })
  }
  return rows.length
}
