import { isUntouched } from '../platform/row-seals.ts'
import type { AgentDeps } from './deps.ts'
import { agentNotFound } from './errors.ts'
import { type Renewals, renewalsAfter } from './limits.ts'
import { checkAgent } from './seal.ts'
import * as store from './store.ts'

// What an owner sees of their agents.

const MOST_SHOWN = 200

/** An agent, and when there will be more of its limits. */
export interface Owned extends store.OwnedAgent {
  renews: Renewals
}

/** Newest first. One that was edited outside the program is left out, with an alarm: the others are still to be seen, and to be ended. */
export async function listOwned(deps: AgentDeps, customerId: string): Promise<Owned[]> {
  const { pool, clock, merchantId } = deps
  const now = clock.now()
  const rows = await store.listOwned(pool, { merchantId, customerId, at: now, limit: MOST_SHOWN })
  return rows
    .filter((row) => isUntouched(() => check(deps, row)))
    .map((row) => ({ ...row, renews: renewalsAfter(row.limits, now) }))
}

/** Throws `RowTampered`. */
export async function findOwned(deps: AgentDeps, customerId: string, agentId: string): Promise<Owned> {
  const { pool, clock, merchantId } = deps
  const now = clock.now()
  const found = await store.findOwned(pool, { merchantId, customerId, agentId, at: now })
  if (found === undefined) throw agentNotFound()
  check(deps, found)
  return { ...found, renews: renewalsAfter(found.limits, now) }
}

function check({ seals, merchantId }: AgentDeps, owned: store.OwnedAgent): void {
  checkAgent(seals, { ...owned, merchantId })
}
