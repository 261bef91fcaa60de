import { single } from '../db/command.ts'
import { bound } from '../platform/bound.ts'
import { unmoved } from '../platform/clock.ts'
import { beginEpoch, type EpochDeps } from './epoch.ts'
import * as store from './store.ts'

export type { Ending } from './epoch.ts'

interface Deps extends EpochDeps {
  /** The operator's own account, whose customers the owners of agents are. */
  merchantId: string
}

const MAX_SHOWN = 500

/**
 * How the deployment stands since a restore, what the network has said of what came back, and which keys and agents are good again: no
 * network knows of those that were revoked since.
 */
export async function show(deps: Pick<Deps, 'pool' | 'merchantId'>) {
  const { pool } = deps
  const [restored, counts, followed, keys, agents] = await Promise.all([
    store.findRestored(pool),
    store.countSubjects(pool),
    store.listByWord(pool, { limit: MAX_SHOWN }),
    store.listKeysUsedLast(pool, { limit: MAX_SHOWN }),
    agentsUsedLast(deps),
  ])
  const closedSince = restored?.closedSince ?? null
  const sum = counts.map(({ kind, word, count }) => ({ kind, network_says: word, count }))
  return {
    state: closedSince === null ? 'open' : 'closed',
    closed_since: closedSince,
    agents_held_since: restored?.agentsHeldSince ?? null,
    is_listed: restored?.isListed ?? false,
    unanswered: sum.filter(({ network_says }) => network_says === null).reduce((all, { count }) => all + count, 0),
    counts: sum,
    followed: followed.map(({ merchantId, kind, id, word, heardAt }) => ({
      ...{ merchant_id: merchantId, kind, id, network_says: word, heard_at: heardAt },
    })),
    keys_used_last: keys.map(({ merchantId, id, kind, lastUsedAt }) => ({
      ...{ merchant_id: merchantId, key_id: id, kind, last_used_at: lastUsedAt },
    })),
    agents: agents.map((agent) => ({
      ...{ agent_id: agent.id, customer_id: agent.customerId, name: agent.name, last_charged_on: agent.lastChargedOn },
      ...{ limits: agent.limits, limits_changed_at: agent.limitsChangedAt, key_changed_at: agent.keyChangedAt },
    })),
  }
}

/** Active agents, the one that was charged by last first. */
async function agentsUsedLast({ pool, merchantId }: Pick<Deps, 'pool' | 'merchantId'>) {
  const all: Awaited<ReturnType<typeof store.listAgents>> = []
  for (;;) {
    const page = await store.listAgents(pool, { merchantId, after: all.at(-1)?.id ?? '', limit: MAX_SHOWN })
    all.push(...page)
    if (page.length < MAX_SHOWN) break
  }
  // Dates as PostgreSQL writes them are in the order of their texts.
  const newestFirst = all.sort((one, other) => (other.lastChargedOn ?? '').localeCompare(one.lastChargedOn ?? ''))
  return newestFirst.slice(0, MAX_SHOWN)
}

/** Throws what is missing before the door may be opened. */
export async function check(deps: Deps, { force }: { force: boolean }) {
  const before = await show(deps)
  const missing = before.closed_since === null || force ? null : whatIsMissing(before)
  if (missing === null) return before
  throw new Error(
    `${missing} A process with background work (all or worker) asks; or open it with --force. Nothing was changed.`,
  )
}

/**
 * Lets callers in. Refused while the network has not been asked about everything, unless `force`. One of several operators opens it, and
 * the others are told that it is open.
 */
export async function open(deps: Deps, { force }: { force: boolean }) {
  const before = await check(deps, { force })
  if (before.closed_since === null) return { ...before, opened: false }
  const change = { closedSince: before.closed_since, signaturesSince: unmoved(deps.clock) }
  const count = await single(deps, { name: 'restored.open', silent: 'operator' }, ({ on }) =>
    store.updateOpen(on, change),
  )
  return { ...before, state: 'open', opened: count === 1 }
}

/** Lets agents in: the operator has ended again those that had ended. One of several operators does. */
export async function releaseAgents(deps: Deps) {
  const before = await show(deps)
  const heldSince = before.agents_held_since
  if (heldSince === null) return { ...before, released: false }
  const count = await single(deps, { name: 'restored.release_agents', silent: 'operator' }, ({ on }) =>
    store.updateReleased(on, { heldSince }),
  )
  return { ...before, agents_held_since: null, released: count === 1 }
}

function whatIsMissing({ is_listed, unanswered, counts }: Awaited<ReturnType<typeof show>>): string | null {
  if (!is_listed) return 'What has to be asked of the network was not listed yet.'
  if (unanswered === 0) return null
  const parts = counts
    .filter(({ network_says }) => network_says === null)
    .map(({ kind, count }) => `${count} of kind ${kind}`)
  return `The network has not answered about ${parts.join(', ')}.`
}

export const createRestoredService = (deps: Deps) => bound(deps, { show, check, open, releaseAgents, beginEpoch })
