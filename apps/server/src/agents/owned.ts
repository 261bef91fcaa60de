import type { Queryable } from '../db/statement.ts'
import { isUntouched } from '../platform/row-seals.ts'
import type { AgentDeps } from './deps.ts'
import { agentNotFound } from './errors.ts'
import { type Renewals, renewalsAfter } from './limits.ts'
import { checkLink } from './link.ts'
import { listLinks, listLinksOfOwner, type StoredLink } from './link-store.ts'
import { checkAgent } from './seal.ts'
import * as store from './store.ts'

// What an owner sees of their agents.

const MAX_SHOWN = 200

/** An agent, and when there will be more of its limits. */
export interface Owned extends store.OwnedAgent {
  renews: Renewals
  /** What it was called when it was linked, if it calls itself otherwise by now. */
  linkedAs: string | null
}

/** Newest first. One that was edited outside the program is left out, with an alarm: the others are still to be seen, and to be ended. */
export async function listOwned(deps: AgentDeps, on: Queryable, customerId: string): Promise<Owned[]> {
  const { clock, merchantId } = deps
  const now = clock.now()
  const owner = { merchantId, customerId, limit: MAX_SHOWN }
  const [rows, links] = await Promise.all([store.listOwned(on, { ...owner, at: now }), listLinksOfOwner(on, owner)])
  const whole = rows.filter((row) => isUntouched(() => check(deps, row)))
  const names = linkedNames(deps, links)
  return whole.map((row) => ({ ...row, renews: renewalsAfter(row.limits, now), linkedAs: linkedAs(row, names) }))
}

/** Throws `RowTampered`. */
export async function findOwned(deps: AgentDeps, customerId: string, agentId: string): Promise<Owned> {
  const { pool, clock, merchantId } = deps
  const now = clock.now()
  const found = await store.findOwned(pool, { merchantId, customerId, agentId, at: now })
  if (found === undefined) throw agentNotFound()
  check(deps, found)
  const names = linkedNames(deps, await listLinks(pool, { merchantId, linkIds: [found.linkId] }))
  return { ...found, renews: renewalsAfter(found.limits, now), linkedAs: linkedAs(found, names) }
}

type Linked = Pick<store.OwnedAgent, 'linkId' | 'name'>

/**
 * What agents were called when they were linked, by their links: an agent names itself as it likes, and its owner has to know which one of
 * theirs it is. None of a link that was edited outside the program, with an alarm, or that was erased.
 */
function linkedNames(deps: AgentDeps, links: readonly StoredLink[]): Map<string, string> {
  const whole = links.filter((link) => isUntouched(() => checkLink(deps, link)))
  return new Map(whole.map(({ id, name }) => [id, name]))
}

function linkedAs({ linkId, name }: Linked, names: ReadonlyMap<string, string>): string | null {
  const known = names.get(linkId)
  return known === undefined || known === name ? null : known
}

function check({ seals, merchantId }: AgentDeps, owned: store.OwnedAgent): void {
  checkAgent(seals, { ...owned, merchantId })
}
