import { command, rollback, single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { SessionDeps } from './deps.ts'

/**
 * An approval is one statement. What an agent has asked for is approved behind a lock of the agent, in a transaction: nothing is once it was
 * revoked, and whoever revokes it meanwhile finds what was approved. Undefined: `write` had nothing to write, or the agent has ended.
 */
export async function approving<T extends object>(
  deps: SessionDeps,
  { agentId }: { agentId: string | null },
  declaration: { name: string; silent: string },
  write: (context: { on: Queryable; at: Date }) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (agentId === null) return single(deps, declaration, write)
  const made = await command(deps, declaration, async ({ tx, at }) => {
    if (!(await deps.agents.lockActive(tx, agentId))) return rollback
    return (await write({ on: tx, at })) ?? rollback
  })
  return made ?? undefined
}
