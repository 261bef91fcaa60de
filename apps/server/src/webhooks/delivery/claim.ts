import { type Change, command, type Rollback, rollback } from '../../db/command.ts'
import { later } from '../../db/pipeline.ts'
import type { Tx } from '../../db/transaction.ts'
import { leaseEnd } from '../../jobs/work.ts'
import { unmoved } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { isOwnDestination } from '../seal.ts'
import { deliveryDay } from './day.ts'
import { type DeliveryDeps, NO_EVENT } from './deps.ts'
import { getEventBody } from './payload.ts'
import { chooseNext, giveBack, type Next, sendable } from './queue.ts'
import { findQueue, NONE } from './queue-store.ts'
import { takesDeliveries } from './rules.ts'
import * as store from './store.ts'
import * as throttle from './throttle.ts'
import { lockApplication } from './throttle-store.ts'

// The first stage: what is sent next is decided, and the try is counted, before anything is sent.

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
  /** When the slot for it was taken, on the monotonic clock, and until when it is held. */
  startedMillis: number
  flightUntil: number
}

/** An endpoint that is held, and what to do: send this, or read again what there is. */
export interface Started {
  claim: store.EndpointClaim
  next: Attempt | 'again'
}

/** The next attempt of an endpoint that this worker holds. Null: there is none now, and the endpoint is given back. */
export async function claimNext(deps: DeliveryDeps, held: store.EndpointClaim): Promise<Attempt | null> {
  const { merchantId, id: endpointId } = held
  for (;;) {
    const turn = await store.findTurn(deps.pool, { merchantId, endpointId, except: NONE })
    // Endpoints are never deleted as rows.
    if (turn === undefined) throw new Error('There is work on an endpoint that is not there.')
    const started = await claim(deps, merchantId, turn, held)
    if (started === null) return null
    if (started.next !== 'again') return started.next
  }
}

/** What is of use no more once the endpoint has changed: secrets may have to be asked for at a key service. */
interface Prepared {
  deliveryId: string
  body: string
  secrets: readonly Secret[]
}

/**
 * Claims the endpoint unless `held`, takes a slot of the application and counts the try, all in one transaction; or
 * gives the endpoint back until it may have a slot. Null: that, or another worker has the endpoint. What the request
 * needs is read before: to ask a key service takes time, and its outage costs no try.
 */
export async function claim(
  deps: DeliveryDeps,
  merchantId: string,
  turn: store.Turn,
  held?: store.EndpointClaim,
): Promise<Started | null> {
  const prepared = await prepare(deps, merchantId, turn)
  for (;;) {
    const started = await claimOnce(deps, { merchantId, turn, held, prepared })
    if (started !== 'no application') return started
    await throttle.insertApplication(deps, merchantId)
  }
}

/** Null: as it was seen, nothing is to be sent. */
async function prepare(deps: DeliveryDeps, merchantId: string, turn: store.Turn): Promise<Prepared | null> {
  const at = deps.clock.now()
  const next = sendable(turn, turn, at)
  if (next === null) return null
  const secrets = await deps.openSecrets(merchantId, turn, at)
  const body = next.body ?? (await getEventBody(deps, { merchantId, eventId: next.eventId }))
  return { deliveryId: next.deliveryId, body, secrets }
}

interface Claiming {
  merchantId: string
  turn: store.Turn
  held: store.EndpointClaim | undefined
  prepared: Prepared | null
}

type Counted = Omit<Attempt, 'number'> & { counted: ReturnType<typeof store.insertAttempt> }

async function claimOnce(deps: DeliveryDeps, claiming: Claiming): Promise<Started | null | 'no application'> {
  const { merchantId, turn, prepared } = claiming
  const declaration = { name: 'webhooks.claim_attempt', why: NO_EVENT, together: 'pipeline' } as const
  let hasApplication = true
  type Outcome = { claim: store.EndpointClaim; next: Counted | 'again' } | 'over' | Rollback
  const claimed = await command(deps, declaration, async ({ tx }): Promise<Outcome> => {
    const { application, claim, endpoint: locked, queue } = await lockAll(deps, tx, claiming)
    hasApplication = application !== undefined
    if (application === undefined || claim === undefined || locked === undefined) return rollback
    const endpoint = asSealed(deps, merchantId, locked)
    // Read under the lock: a worker that waited for it claims now, not when it began to wait.
    const change = { tx, at: deps.clock.now() }
    const even = unmoved(deps.clock)
    if (isTooEarly(change, claim, { application, endpoint, even })) return 'over'
    const next = await chooseNext(change, claim, endpoint, isSameRevision(endpoint, turn) ? queue : undefined)
    if (next === null) return 'over'
    if (prepared?.deliveryId !== next.deliveryId || !hasSameSecrets(endpoint, turn)) return { claim, next: 'again' }
    const counted = count(change, merchantId, next, throttle.withClaim(application, endpoint.id, even))
    const times = { startedMillis: performance.now(), flightUntil: throttle.flightEnd(even) }
    return { claim, next: { ...next, ...prepared, ...times, endpoint, counted } }
  })
  if (!hasApplication) return 'no application'
  if (claimed === null || claimed === 'over') return null
  const { claim, next } = claimed
  if (next === 'again') return { claim, next }
  const number = (await next.counted)?.number
  // It was being moved to a partition of its own, and nothing was counted.
  return { claim, next: number === undefined ? 'again' : { ...next, number } }
}

/** True: the throttle has no slot for the endpoint, which is given back until it may have one. */
function isTooEarly(
  { tx, at }: Change,
  claim: store.EndpointClaim,
  { application, endpoint, even }: { application: throttle.Throttle; endpoint: store.Endpoint; even: Date },
): boolean {
  const early = takesDeliveries(endpoint) ? throttle.tooEarlyUntil(application, endpoint.id, even) : null
  if (early === null) return false
  if (early.because === 'flights') throttle.keep(tx, claim.merchantId, throttle.withWaiting(application, endpoint.id))
  giveBack(tx, claim, new Date(at.getTime() + early.until.getTime() - even.getTime()))
  return true
}

/** Sent with the COMMIT: the number is known behind it. */
function count({ tx, at }: Change, merchantId: string, { deliveryId }: Next, moved: throttle.Throttle) {
  return later(tx, () =>
    store.insertAttempt(tx, { merchantId, deliveryId, day: deliveryDay(deliveryId), at, ...moved }),
  )
}

/**
 * An edited endpoint takes no deliveries. What waits for it ends with its time, or when its owner deletes it.
 */
function asSealed(deps: DeliveryDeps, merchantId: string, endpoint: store.Endpoint): store.Endpoint {
  // A deleted one has no seal, and takes none either.
  if (endpoint.deletedAt !== null || isOwnDestination(deps, merchantId, endpoint)) return endpoint
  return { ...endpoint, enabled: false }
}

/** Locks in their order, and the queue as it is under them; sent together. */
async function lockAll(deps: DeliveryDeps, tx: Tx, { merchantId, turn, held }: Claiming) {
  const at = deps.clock.now()
  const { id: endpointId, liveRevision: revision } = turn
  const claiming = { at, leaseUntil: leaseEnd(deps, at) }
  const [application, claim, endpoint, queue] = await Promise.all([
    lockApplication(tx, { merchantId }),
    held ?? store.endpointWork.claimOne(tx, { merchantId, id: endpointId }, claiming),
    held === undefined ? store.lockOnlyEndpoint(tx, { merchantId, endpointId }) : store.lockHeld(tx, held),
    findQueue(tx, { merchantId, endpointId, revision, except: NONE }),
  ])
  return { application, claim, endpoint, queue }
}

function isSameRevision(one: store.Endpoint, other: store.Endpoint): boolean {
  return one.liveRevision === other.liveRevision
}

/** After a rotation the new secret signs, also what was about to be sent with the one before. */
function hasSameSecrets(one: store.Endpoint, other: store.Endpoint): boolean {
  return isSame(one.secretSealed, other.secretSealed) && isSame(one.formerSecretSealed, other.formerSecretSealed)
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}
