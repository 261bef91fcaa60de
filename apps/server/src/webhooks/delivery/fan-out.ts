import { dayOf } from '../../db/partitions.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Numbered } from '../../events/service.ts'
import { wake } from '../../jobs/wake.ts'
import { addSeconds } from '../../platform/clock.ts'
import { idBefore } from '../../platform/ids.ts'
import { insertFannedOut } from './fan-out-store.ts'
import { WINDOW_SECONDS } from './rules.ts'

export const DELIVER_JOB = 'webhooks.deliver'

/**
 * Queues what was just numbered for the merchant's endpoints, in the transaction that numbers them: no delivery exists
 * before its event can be read, and none is forgotten after. An endpoint that is added later gets nothing of it.
 */
export async function onNumbered(tx: Tx, { merchantId, after, upTo, at }: Numbered): Promise<void> {
  const endpoints = await insertFannedOut(tx, { merchantId, after, upTo, at, ...generation(at) })
  if (endpoints.length > 0) wake(tx, DELIVER_JOB)
}

/**
 * What deliveries that are queued now have in common. Each is sent within its window, a replay within one of its own.
 */
export function generation(at: Date): { idStart: string; day: string; windowEndsAt: Date } {
  return { idStart: idBefore('delivery', at), day: dayOf(at), windowEndsAt: addSeconds(at, WINDOW_SECONDS) }
}
