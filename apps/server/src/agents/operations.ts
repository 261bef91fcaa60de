import type { CustomerRef } from '../customers/service.ts'
import { type Change, type CommandDeps, single } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { OPERATOR } from '../passkeys/ref.ts'
import { bound } from '../platform/bound.ts'
import { notFound } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import { type AgentRef, OWNER } from './deps.ts'
import { publish, unpublish } from './publish.ts'
import * as store from './store.ts'

interface OperationDeps extends Pick<CommandDeps, 'pool' | 'clock'> {
  log: Log
  /** The operator's own account. */
  merchantId: string
  seals: RowSeals
}

const PAGE = 500

/** The job that an agent's end wakes, which ends what it has asked for. */
export const AGENT_REVOKED = 'agents.revoked'

/** What an operator does with agents. */
export const createAgentOperations = (deps: OperationDeps) =>
  bound(deps, { list, revoke, publish, unpublish, endOfErased })

/** All agents, in the order of their ids. */
async function list({ pool, merchantId }: OperationDeps) {
  const all: Awaited<ReturnType<typeof store.listAgents>> = []
  for (;;) {
    const page = await store.listAgents(pool, { merchantId, after: all.at(-1)?.id ?? '', limit: PAGE })
    all.push(...page)
    if (page.length < PAGE) return all
  }
}

/** Ends an agent, on every node from its next request on; with `ownerId` one of theirs alone. `NOT_FOUND` where none is active. */
export async function revoke(deps: OperationDeps, agentId: string, ownerId: string | null = null): Promise<AgentRef> {
  const { merchantId } = deps
  const revoked = await single(deps, { name: 'agents.revoke', silent: 'owner' }, ({ on, at }) => {
    wake(on, AGENT_REVOKED)
    return store.updateRevoked(on, { merchantId, agentId, ownerId, at })
  })
  if (revoked === undefined) throw notFound()
  deps.log.info('an agent was revoked', {
    ...{ audit: 'agent_revoke', actor: ownerId === null ? OPERATOR : OWNER, row_id: agentId },
  })
  return { merchantId, agentId }
}

/**
 * Ends the agents of an owner who is forgotten, in the transaction of that, and forgets what these have said of themselves. Returns all of
 * them. It comes after the owner's passkey was retired, so no link of theirs is approved behind it.
 */
async function endOfErased(_deps: OperationDeps, { tx, at }: Change, owner: CustomerRef): Promise<string[]> {
  const { merchantId, customerId } = owner
  const revoked = await store.updateRevokedOfOwner(tx, { merchantId, customerId, at })
  if (revoked.length > 0) wake(tx, AGENT_REVOKED)
  const unnamed = await store.updateUnnamed(tx, { merchantId, customerId, at })
  return unnamed.map(({ id }) => id)
}
