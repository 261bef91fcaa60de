import { pipelinedCommand, type Rollback, rollback } from '../../db/command.ts'
import { later } from '../../db/pipeline.ts'
import type { Tx } from '../../db/transaction.ts'
import { leaseEnd } from '../../jobs/work.ts'
import { unmoved } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { isOwnDestination } from '../seal.ts'
import { signedHeaders } from '../signature.ts'
import { deliveryDay } from './day.ts'
import type { DeliveryDeps } from './deps.ts'
import { insertApplication, lockHeld, updatePace } from './locks.ts'
import * as pace from './pace.ts'
import { getEventBody } from './payload.ts'
import { record } from './record.ts'
import { liveRevision, type SendResult, takesDeliveries } from './rules.ts'
import { giveBack, sendable, settle } from './settle.ts'
import * as store from './store.ts'

/** An attempt that was counted and may be sent. */
export interface Attempt {
  endpoint: store.Endpoint
  deliveryId: string
  eventId: string
  body: string
  secrets: readonly Secret[]
  /** Which attempt of the delivery it is. */
  number: number
  windowEndsAt: Date
  /** When the place for it was taken, on the monotonic clock, and until when it is held. */
  begunMillis: number
  flightUntil: number
}

/** An endpoint that is held, and what to do: send this, or look again. */
export interface Begun {
  claim: store.EndpointClaim
  next: Attempt | 'again'
}

/** Then other endpoints have their turn. */
const MAX_IN_A_ROW = 5

/**
 * Serves an endpoint under its lease: one delivery after the other while its turn lasts, and while `mayGoOn`: each of them may take
 * ten seconds, and a worker that is to stop has little more. It always gives the lease back.
 */
export async function serve(deps: DeliveryDeps, { claim, next }: Begun, mayGoOn = () => true): Promise<void> {
  const { merchantId, id: endpointId } = claim
  for (let sent = 0; ; ) {
    if (next === 'again') {
      const turn = await store.findTurn(deps.pool, { merchantId, endpointId, except: store.NONE })
      // Endpoints are never deleted as rows.
      if (turn === undefined) throw new Error('There is work on an endpoint that is not there.')
      const begun = await begin(deps, merchantId, turn, claim)
      if (begun === null) return
      next = begun.next
      continue
    }
    const result = await sendAttempt(deps, next)
    sent += 1
    if (!(await record(deps, claim, next, { result, mayGoOn: sent < MAX_IN_A_ROW && mayGoOn() }))) return
    next = 'again'
  }
}

/** What is of use no more once the endpoint has changed: secrets may have to be asked for at a key service. */
interface Prepared {
  deliveryId: string
  body: string
  secrets: readonly Secret[]
}

/**
 * Claims the endpoint unless `held`, takes a place among the requests of the application and counts the try, all in one transaction;
 * or gives the endpoint back until it may have a place. Null: that, or another worker has the endpoint. What the request needs is
 * read before: to ask a key service takes time, and its outage costs no try.
 */
export async function begin(
  deps: DeliveryDeps,
  merchantId: string,
  turn: store.Turn,
  held?: store.EndpointClaim,
): Promise<Begun | null> {
  const prepared = await prepare(deps, merchantId, turn)
  for (;;) {
    const begun = await beginOnce(deps, { merchantId, turn, held, prepared })
    if (begun !== 'no application') return begun
    await insertApplication(deps, merchantId)
  }
}

/** Null: as it was seen, nothing is to be sent. */
async function prepare(deps: DeliveryDeps, merchantId: string, turn: store.Turn): Promise<Prepared | null> {
  const at = deps.clock.now()
  const next = sendable(turn, turn, at)
  if (next === null) return null
  const secrets = await deps.openSecrets(merchantId, turn, at)
  const body = next.body ?? (await getEventBody(deps, { merchantId, eventId: next.eventId }))
  return { deliveryId: next.id, body, secrets }
}

interface Beginning {
  merchantId: string
  turn: store.Turn
  held: store.EndpointClaim | undefined
  prepared: Prepared | null
}

type Counted = Omit<Attempt, 'number'> & { counted: ReturnType<typeof store.insertAttempt> }

async function beginOnce(deps: DeliveryDeps, beginning: Beginning): Promise<Begun | null | 'no application'> {
  const { merchantId, turn, prepared } = beginning
  const declaration = { name: 'webhooks.begin_attempt', silent: 'telling' } as const
  let hasApplication = true
  type Outcome = { claim: store.EndpointClaim; next: Counted | 'again' } | 'over' | Rollback
  const begun = await pipelinedCommand(deps, declaration, async ({ tx }): Promise<Outcome> => {
    const { application, claim, endpoint: locked, queue } = await lockAll(deps, tx, beginning)
    hasApplication = application !== undefined
    if (application === undefined || claim === undefined || locked === undefined) return rollback
    const endpoint = asSealed(deps, merchantId, locked)
    // Read under the lock: a worker that waited for it claims now, not when it began to wait.
    const at = deps.clock.now()
    const change = { tx, at }
    const even = unmoved(deps.clock)
    const early = takesDeliveries(endpoint) ? pace.tooEarlyUntil(application, endpoint.id, even) : null
    if (early !== null) {
      if (early.because === 'flights') updatePace(tx, merchantId, pace.withWaiting(application, endpoint.id))
      giveBack(tx, claim, new Date(at.getTime() + early.until.getTime() - even.getTime()))
      return 'over'
    }
    const isAsSeen = liveRevision(endpoint) === liveRevision(turn)
    const next = await settle(change, claim, endpoint, isAsSeen ? queue : undefined)
    if (next === null) return 'over'
    if (prepared?.deliveryId !== next.id || !hasSameSecrets(endpoint, turn)) return { claim, next: 'again' }
    const { id: deliveryId, eventId, windowEndsAt } = next
    const place = { merchantId, deliveryId, day: deliveryDay(deliveryId), at }
    const moved = pace.withClaim(application, endpoint.id, even)
    const counted = later(tx, () => store.insertAttempt(tx, { ...place, ...moved }))
    const times = { begunMillis: performance.now(), flightUntil: pace.flightEnd(even) }
    return { claim, next: { endpoint, eventId, windowEndsAt, ...prepared, ...times, counted } }
  })
  if (!hasApplication) return 'no application'
  if (begun === null || begun === 'over') return null
  const { claim, next } = begun
  if (next === 'again') return { claim, next }
  const number = (await next.counted)?.number
  // It was being moved to a partition of its own, and nothing was counted.
  return { claim, next: number === undefined ? 'again' : { ...next, number } }
}

/** One edited in the database takes no deliveries. What waits for it ends with its time, or when its owner deletes it. */
function asSealed(deps: DeliveryDeps, merchantId: string, endpoint: store.Endpoint): store.Endpoint {
  // A deleted one has no seal, and takes none either.
  if (endpoint.deletedAt !== null || isOwnDestination(deps, merchantId, endpoint)) return endpoint
  return { ...endpoint, enabled: false }
}

/** Locks in their order, and the queue as it is under them; sent together. */
async function lockAll(deps: DeliveryDeps, tx: Tx, { merchantId, turn, held }: Beginning) {
  const at = deps.clock.now()
  const { id: endpointId } = turn
  const claiming = { at, leaseUntil: leaseEnd(deps, at) }
  const [application, claim, endpoint, queue] = await Promise.all([
    store.lockApplication(tx, { merchantId }),
    held ?? store.endpointWork.claimOne(tx, { merchantId, id: endpointId }, claiming),
    held === undefined ? store.lockOnlyEndpoint(tx, { merchantId, endpointId }) : lockHeld(tx, held),
    store.findQueue(tx, { merchantId, endpointId, revision: liveRevision(turn), except: store.NONE }),
  ])
  return { application, claim, endpoint, queue }
}

/** After a rotation the new secret signs, also what was about to be sent with the one before. */
function hasSameSecrets(one: store.Endpoint, other: store.Endpoint): boolean {
  return isSame(one.secretSealed, other.secretSealed) && isSame(one.formerSecretSealed, other.formerSecretSealed)
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}

/** Outside of every transaction. Null: nothing was sent. */
async function sendAttempt(
  deps: DeliveryDeps,
  { endpoint, eventId, deliveryId, secrets, begunMillis, body }: Attempt,
): Promise<SendResult | null> {
  const { headerPrefix: prefix } = deps
  // The time of the machine: receivers compare it with theirs.
  const headers = signedHeaders({ id: eventId, deliveryId, body, secrets, at: new Date(), prefix })
  if (performance.now() - begunMillis > (deps.staleMillis ?? pace.STALE_MILLIS)) return null
  return deps.send({ url: endpoint.url, headers, body })
}
