import { command, type Rollback, rollback } from '../../db/command.ts'
import type { Secret } from '../../platform/secret.ts'
import { signedHeaders } from '../signature.ts'
import { deliveryDay } from './day.ts'
import { type DeliveryDeps, NO_EVENT } from './deps.ts'
import { lockApplication, lockHeld, updatePace } from './locks.ts'
import * as pace from './pace.ts'
import { findEventBody } from './payload.ts'
import { record } from './record.ts'
import { type SendResult, takesDeliveries } from './rules.ts'
import { giveBack, settle } from './settle.ts'
import * as store from './store.ts'

/** A try that was counted and may be sent. */
export interface Try {
  endpoint: store.Endpoint
  deliveryId: string
  eventId: string
  /** What is sent where it is no event of the feed. */
  body: string | null
  /** Which try of the delivery it is. */
  number: number
  windowEndsAt: Date
  /** When the place for it was taken, on the monotonic clock, and until when it is held. */
  begunMillis: number
  flightUntil: number
}

/** A process that was stopped for longer between the claim and the request sends nothing: its place may be another's by then. */
const STALE_MILLIS = 2_000

/** Then other endpoints have their turn, and a worker that is to stop can. */
const MOST_IN_A_ROW = 5

/** Serves an endpoint under its lease: one delivery after the other while its turn lasts. It always gives the lease back. */
export async function serve(deps: DeliveryDeps, claim: store.EndpointClaim): Promise<void> {
  for (let sent = 0; ; ) {
    const endpoint = await store.findEndpoint(deps.pool, { merchantId: claim.merchantId, endpointId: claim.id })
    // Endpoints are never deleted as rows.
    if (endpoint === undefined) throw new Error('There is work on an endpoint that is not there.')
    const next = takesDeliveries(endpoint) ? await begin(deps, claim, endpoint) : await settleOnly(deps, claim)
    if (next === 'again') continue
    if (next === 'over') return
    const result = await sendTry(deps, claim, next)
    sent += 1
    if (!(await record(deps, claim, next, { result, mayGoOn: sent < MOST_IN_A_ROW }))) return
  }
}

/** The endpoint takes nothing now: what is over or left behind is ended, and nothing is sent. */
async function settleOnly(deps: DeliveryDeps, claim: store.EndpointClaim): Promise<'over' | 'again'> {
  const declaration = { name: 'webhooks.settle', silent: NO_EVENT }
  const next = await command(deps, declaration, async ({ tx, at }) => {
    const endpoint = await lockHeld(tx, claim)
    if (endpoint === undefined) return rollback
    if (takesDeliveries(endpoint)) return 'again'
    await settle({ tx, at }, claim, endpoint)
    return 'over'
  })
  return next ?? 'over'
}

/**
 * Takes a place among the requests of the application and counts the try, or gives the endpoint back until it may have one. The
 * secrets are opened before: that may be a call to a key service, and is of no use once they have changed.
 */
async function begin(
  deps: DeliveryDeps,
  claim: store.EndpointClaim,
  seen: store.Endpoint,
): Promise<(Try & { secrets: readonly Secret[] }) | 'over' | 'again'> {
  const { merchantId, id: endpointId } = claim
  const secrets = await deps.openSecrets(merchantId, seen, deps.clock.now())
  const declaration = { name: 'webhooks.begin_attempt', silent: NO_EVENT }
  const begun = await command(deps, declaration, async ({ tx }): Promise<Try | 'over' | 'again' | Rollback> => {
    const application = await lockApplication(tx, merchantId)
    // Read under the lock: who waited for it claims now, not when it began to wait.
    const at = deps.clock.now()
    const early = pace.tooEarlyUntil(application, endpointId, at)
    if (early !== null) {
      const waits = early.because === 'flights' && (await lockHeld(tx, claim)) !== undefined
      if (waits) await updatePace(tx, merchantId, pace.withWaiting(application, endpointId))
      await giveBack(tx, claim, early.until)
      return 'over'
    }
    const endpoint = await lockHeld(tx, claim)
    if (endpoint === undefined) return rollback
    if (!takesDeliveries(endpoint) || !hasSameSecrets(endpoint, seen)) return 'again'
    const delivery = await settle({ tx, at }, claim, endpoint)
    if (delivery === null) return 'over'
    const { id: deliveryId, eventId, body, windowEndsAt } = delivery
    const place = { merchantId, deliveryId, day: deliveryDay(deliveryId), at }
    const attempt = await store.insertAttempt(tx, { ...place, ...pace.withClaim(application, endpointId, at) })
    if (attempt === undefined) return rollback
    const times = { begunMillis: performance.now(), flightUntil: pace.flightEnd(at) }
    return { endpoint, deliveryId, eventId, body, windowEndsAt, number: attempt.number, ...times }
  })
  if (begun === null) return 'over'
  return typeof begun === 'string' ? begun : { ...begun, secrets }
}

/** After a rotation the new secret signs, also what was about to be sent with the one before. */
function hasSameSecrets(one: store.Endpoint, other: store.Endpoint): boolean {
  return isSame(one.secretSealed, other.secretSealed) && isSame(one.formerSecretSealed, other.formerSecretSealed)
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}

/** Outside of every transaction. Null: nothing was sent. */
async function sendTry(
  deps: DeliveryDeps,
  { merchantId }: store.EndpointClaim,
  { endpoint, eventId, deliveryId, secrets, begunMillis, body: ownBody }: Try & { secrets: readonly Secret[] },
): Promise<SendResult | null> {
  const body = ownBody ?? (await findEventBody(deps, { merchantId, eventId }))
  const { headerPrefix: prefix } = deps
  // The time of the machine: receivers compare it with theirs.
  const headers = signedHeaders({ id: eventId, deliveryId, body, secrets, at: new Date(), prefix })
  if (performance.now() - begunMillis > STALE_MILLIS) return null
  return deps.send({ url: endpoint.url, headers, body })
}
