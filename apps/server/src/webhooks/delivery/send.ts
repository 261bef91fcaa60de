import { signedHeaders } from '../signature.ts'
import type { Attempt } from './claim.ts'
import type { DeliveryDeps } from './deps.ts'
import type { SendResult } from './rules.ts'
import { STALE_MILLIS } from './throttle.ts'

/** The second stage, outside of every transaction: one signed request. Null: nothing was sent. */
export async function send(
  deps: DeliveryDeps,
  { endpoint, eventId, deliveryId, secrets, startedMillis, body }: Attempt,
): Promise<SendResult | null> {
  const { headerPrefix: prefix } = deps
  // The time of the machine: receivers compare it with theirs.
  const headers = signedHeaders({ id: eventId, deliveryId, body, secrets, at: new Date(), prefix })
  if (performance.now() - startedMillis > STALE_MILLIS) return null
  return deps.send({ url: endpoint.url, headers, body })
}
