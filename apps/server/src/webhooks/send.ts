import { noteAway } from '../platform/bounds.ts'
import { send } from '../platform/egress/send.ts'
import { notFound, unavailable } from '../platform/errors.ts'
import type { Secret } from '../platform/secret.ts'
import type { WebhookDeps } from './deps.ts'
import type { EndpointRef } from './ref.ts'
import type { Answered } from './rules.ts'
import { checkedDestination } from './seal.ts'
import { openSecrets } from './secrets.ts'
import { signedHeaders } from './signature.ts'
import * as store from './store.ts'

/** An endpoint with what its requests are signed with. */
export interface SendableEndpoint extends store.SendableRow {
  merchantId: string
  /** The newest first. */
  secrets: Secret[]
}

/** What a request to an endpoint needs. Undefined: there is no such endpoint (any more). Throws `RowTampered`. */
export async function endpointForSending(
  deps: Pick<WebhookDeps, 'pool' | 'clock' | 'seals' | 'vault' | 'merchants'>,
  ref: EndpointRef,
): Promise<SendableEndpoint | undefined> {
  const row = await store.findSendable(deps.pool, { ...ref })
  if (row === undefined) return undefined
  checkedDestination(deps, ref.merchantId, row)
  return { ...row, merchantId: ref.merchantId, secrets: await openSecrets(deps, ref, row) }
}

export async function getForSending(deps: WebhookDeps, ref: EndpointRef): Promise<SendableEndpoint> {
  const endpoint = await endpointForSending(deps, ref)
  if (endpoint === undefined) throw notFound()
  return endpoint
}

/** Sends one request now, outside the queue but alone, and returns what came of it. */
export async function sendNow(
  deps: WebhookDeps,
  { url, secrets, merchantId, id: endpointId, revision }: SendableEndpoint,
  { id, deliveryId, body }: { id: string; deliveryId: string; body: string },
): Promise<{ outcome: Answered; durationMillis: number }> {
  const policy = { ...deps.policy, totalMillis: Math.min(deps.policy.totalMillis, deps.callerWaitMillis) }
  const ref = { merchantId, endpointId }
  let sent: { outcome: Answered; durationMillis: number } | undefined
  await deps.deliveries.sendAlone(ref, async () => {
    // A request that waited for a place is not sent to a destination that is none any more.
    const now = await store.findSendable(deps.pool, { ...ref })
    if (now === undefined) throw notFound()
    if (now.revision !== revision) throw unavailable({ retryAfterSeconds: 1 })
    const headers = signedHeaders({ id, deliveryId, body, secrets, at: new Date(), prefix: deps.headerPrefix })
    const startedAt = performance.now()
    const outcome = await send({ url, method: 'POST', headers, body, policy })
    sent = { outcome, durationMillis: Math.round(performance.now() - startedAt) }
  })
  if (sent === undefined) throw unavailable()
  noteAway(sent.durationMillis)
  return sent
}
