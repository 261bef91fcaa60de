import type { Change } from '../db/command.ts'
import * as store from './store.ts'

/**
 * Deletes grants and tokens of agents of an owner who is forgotten, in the transaction of that. None of them was good
 * any more.
 */
export async function deleteGrants(
  { tx }: Pick<Change, 'tx'>,
  { merchantId, agentIds }: { merchantId: string; agentIds: string[] },
): Promise<void> {
  if (agentIds.length > 0) await store.deleteOfAgents(tx, { merchantId, agentIds })
}
