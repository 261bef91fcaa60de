import { type Change, pipelinedCommand, type Rollback, rollback } from '../../db/command.ts'
import { later } from '../../db/pipeline.ts'
import type { Tx } from '../../db/transaction.ts'
import { wake } from '../../jobs/wake.ts'
import { unmoved } from '../../platform/clock.ts'
import { destinationSeal, isOwnDestination } from '../seal.ts'
import { deliveryDay } from './day.ts'
import type { Attempt } from './deliver.ts'
import type { DeliveryDeps } from './deps.ts'
import { DELIVER_JOB } from './fan-out.ts'
import { closeIncident, openIncident } from './incidents.ts'
import { lockHeld, updatePace } from './locks.ts'
import * as pace from './pace.ts'
import * as rules from './rules.ts'
import { giveBack, settle } from './settle.ts'
import * as store from './store.ts'

interface Sent {
  /** Null: nothing was sent after all; the try counts as one that was lost. */
  result: rules.SendResult | null
  /** Whether the caller could send another one under the same lease. */
  mayGoOn: boolean
}

/**
 * Writes down what a try came to, if the caller still has the lease: what a worker says that was taken for dead changes nothing.
 * True: the caller keeps the lease and may go on.
 */
export async function record(
  deps: DeliveryDeps,
  claim: store.EndpointClaim,
  attempt: Attempt,
  { result, mayGoOn }: Sent,
): Promise<boolean> {
  const verdict = result === null ? null : rules.verdictOf(result)
  for (let tries = 1; ; tries += 1) {
    try {
      return await recordOnce(deps, claim, attempt, { verdict, mayGoOn })
    } catch (error) {
      if (!(error instanceof RowMoved) || tries === MAX_TRIES) throw error
    }
  }
}

/**
 * A row of the net was being moved to a partition of its own (`db/partitions.ts`): an update that waits for that finds it gone.
 * The next try finds it where it is.
 */
class RowMoved extends Error {}
const MAX_TRIES = 3

async function recordOnce(
  deps: DeliveryDeps,
  claim: store.EndpointClaim,
  attempt: Attempt,
  { verdict, mayGoOn }: { verdict: rules.Verdict | null; mayGoOn: boolean },
): Promise<boolean> {
  const { merchantId, id: endpointId } = claim
  const declaration = { name: 'webhooks.record_attempt', silent: 'telling' } as const
  const goesOn = await pipelinedCommand(deps, declaration, async ({ tx }): Promise<boolean | Rollback> => {
    const { application, endpoint, delivery, queue, others } = await lockAll(deps, tx, claim, attempt)
    if (application === undefined) throw new Error('A request was sent that no application has.')
    const [at, even] = [deps.clock.now(), unmoved(deps.clock)]
    const isOurs = application.flights[endpointId] === attempt.flightUntil
    const landed = pace.withLanding(application, endpointId, even)
    if (!isOurs && endpoint === undefined) return rollback
    if (isOurs) updatePace(tx, merchantId, landed)
    // A worker that lost the lease may find that the endpoint waits for this request; the holder finds the work in its own hands.
    const waiting = endpoint === undefined ? [...application.waiting, endpointId] : application.waiting
    if (waiting.length > 0) later(tx, () => store.updateWaiting(tx, { merchantId, waiting, at }))
    wake(tx, DELIVER_JOB)
    if (endpoint === undefined) return false
    if (delivery === undefined) throw new RowMoved()
    const change = { tx, at }
    const judged = verdict === null ? null : await recordVerdict(deps, change, claim, { attempt, endpoint, verdict })
    const now = judged?.endpoint ?? endpoint
    // What was seen beside this delivery is the queue, if this one has left it and no other revision is live.
    const isAsSeen = judged?.hasLeft === true && rules.liveRevision(now) === rules.liveRevision(attempt.endpoint)
    if ((await settle(change, claim, now, isAsSeen ? queue : undefined)) === null) return false
    return takeTurn(change, claim, { allowed: timeUntil(landed, even), mayGoOn, others: others?.count ?? 0 })
  })
  return goesOn ?? false
}

/** Locks in their order, and what else there is to send, as it is under them; sent together. */
async function lockAll(
  deps: DeliveryDeps,
  tx: Tx,
  claim: store.EndpointClaim,
  { deliveryId, endpoint: seen }: Attempt,
) {
  const { merchantId, id: endpointId } = claim
  const soon = new Date(deps.clock.now().getTime() + 1000)
  const revision = rules.liveRevision(seen)
  const [application, endpoint, delivery, queue, others] = await Promise.all([
    store.lockApplication(tx, { merchantId }),
    lockHeld(tx, claim),
    store.lockDelivery(tx, { merchantId, deliveryId, day: deliveryDay(deliveryId) }),
    store.findQueue(tx, { merchantId, endpointId, revision, except: deliveryId }),
    store.countOthersDue(tx, { merchantId, endpointId, soon }),
  ])
  return { application, endpoint, delivery, queue, others }
}

/** Until the rate allows the next claim, in milliseconds. */
function timeUntil(landed: pace.Pace, even: Date): number {
  return pace.rateAllowsAt(landed, even).getTime() - even.getTime()
}

/** There is more to send: now, if no other endpoint waits, or after the others had their turn. */
function takeTurn(
  { tx, at }: Change,
  claim: store.EndpointClaim,
  { allowed, mayGoOn, others }: { allowed: number; mayGoOn: boolean; others: number },
): boolean {
  const millis = Math.max(pace.turnMillis(others), allowed)
  if (millis <= 0 && mayGoOn) return true
  giveBack(tx, claim, new Date(at.getTime() + millis))
  return false
}

interface Judged {
  attempt: Attempt
  /** As it is now. */
  endpoint: store.Endpoint
  verdict: rules.Verdict
}

/** Returns the endpoint as the try leaves it, and whether the delivery has left the queue. */
async function recordVerdict(
  deps: DeliveryDeps,
  change: Change,
  { merchantId }: store.EndpointClaim,
  { attempt, endpoint, verdict }: Judged,
): Promise<{ endpoint: store.Endpoint; hasLeft: boolean }> {
  const { tx, at } = change
  const { deliveryId, number, windowEndsAt } = attempt
  // What one destination said is no word about another, nor about one that was edited in the database meanwhile.
  const hasMoved =
    rules.liveRevision(endpoint) !== attempt.endpoint.revision || !isOwnDestination(deps, merchantId, endpoint)
  const end = endOf(verdict, hasMoved, { attempts: number, windowEndsAt, at })
  const { httpStatus, category } = verdict
  const place = { merchantId, deliveryId, day: deliveryDay(deliveryId), number }
  later(tx, () => store.updateAttempt(tx, { ...place, httpStatus, category, ...end, at }))
  logAttempt(deps, merchantId, attempt, verdict)
  const now = hasMoved ? endpoint : await moveCircuit(deps, change, merchantId, endpoint, verdict)
  return { endpoint: now, hasLeft: end.state !== 'queued' }
}

function logAttempt(
  { log }: DeliveryDeps,
  merchantId: string,
  attempt: Attempt,
  { httpStatus, category }: rules.Verdict,
): void {
  log.info('webhook attempt', {
    merchant_id: merchantId,
    endpoint_id: attempt.endpoint.id,
    delivery_id: attempt.deliveryId,
    event_id: attempt.eventId,
    attempt: attempt.number,
    status: httpStatus ?? undefined,
    cause: category ?? undefined,
  })
}

type End = { state: 'queued' | 'delivered' | 'failed' | 'cancelled'; sendAt: Date; finishedAt: Date | null }

/** How a delivery stands after a try. */
function endOf(
  { category, disables, retryAfter }: rules.Verdict,
  hasMoved: boolean,
  attempt: { attempts: number; windowEndsAt: Date; at: Date },
): End {
  const { at } = attempt
  if (hasMoved || disables !== null) return { state: 'cancelled', sendAt: at, finishedAt: at }
  if (category === null) return { state: 'delivered', sendAt: at, finishedAt: at }
  // A date in the header is the receiver's, so it is compared with the machine's time.
  const retryAfterSeconds = rules.retryAfterSeconds(retryAfter, new Date())
  const next = rules.nextTry({ ...attempt, retryAfterSeconds, random: Math.random() })
  if (next === null) return { state: 'failed', sendAt: at, finishedAt: at }
  return { state: 'queued', sendAt: next, finishedAt: null }
}

async function moveCircuit(
  deps: DeliveryDeps,
  change: Change,
  merchantId: string,
  endpoint: store.Endpoint,
  { category, disables }: rules.Verdict,
): Promise<store.Endpoint> {
  const { tx, at } = change
  const isAcknowledged = category === null
  // The common case writes nothing.
  if (isAcknowledged && endpoint.failures === 0 && endpoint.circuitUntil === null) return endpoint
  const circuit =
    disables === null ? rules.circuitAfter(endpoint, isAcknowledged, at) : { failures: 0, circuitUntil: null }
  const revision = endpoint.revision + (disables === null ? 0 : 1)
  const moved = { ...endpoint, ...circuit, disabledReason: disables ?? endpoint.disabledReason, revision }
  const ref = { merchantId, endpointId: endpoint.id }
  const { disabledReason } = moved
  const seal = destinationSeal(deps, { ...moved, merchantId })
  await store.updateCircuit(tx, { ...ref, ...circuit, disabledReason, revision, seal, at })
  if (isAcknowledged) await closeIncident(deps, change, ref)
  else if (disables !== null) await openIncident(deps, change, ref, disables)
  else if (circuit.circuitUntil !== null) await openIncident(deps, change, ref, 'circuit_open')
  return moved
}
