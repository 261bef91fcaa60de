import { type Change, command, type Rollback, rollback } from '../../db/command.ts'
import { wake } from '../../jobs/wake.ts'
import { deliveryDay } from './day.ts'
import type { Try } from './deliver.ts'
import { type DeliveryDeps, NO_EVENT } from './deps.ts'
import { DELIVER_JOB } from './fan-out.ts'
import { closeIncident, openIncident } from './incidents.ts'
import { lockApplication, lockHeld, updatePace } from './locks.ts'
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
  tried: Try,
  { result, mayGoOn }: Sent,
): Promise<boolean> {
  const verdict = result === null ? null : rules.verdictOf(result)
  for (let tries = 1; ; tries += 1) {
    try {
      return await recordOnce(deps, claim, tried, { verdict, mayGoOn })
    } catch (error) {
      if (!(error instanceof RowMoved) || tries === MOST_TRIES) throw error
    }
  }
}

/**
 * A row of the net was being moved to a partition of its own (`db/partitions.ts`): an update that waits for that finds it gone.
 * The next try finds it where it is.
 */
class RowMoved extends Error {}
const MOST_TRIES = 3

async function recordOnce(
  deps: DeliveryDeps,
  claim: store.EndpointClaim,
  tried: Try,
  { verdict, mayGoOn }: { verdict: rules.Verdict | null; mayGoOn: boolean },
): Promise<boolean> {
  const { merchantId, id: endpointId } = claim
  const declaration = { name: 'webhooks.record_attempt', silent: NO_EVENT }
  const goesOn = await command(deps, declaration, async ({ tx }): Promise<boolean | Rollback> => {
    const application = await lockApplication(tx, merchantId)
    const at = deps.clock.now()
    const isOurs = application.flights[endpointId] === tried.flightUntil
    const landed = pace.withLanding(application, endpointId, at)
    const endpoint = await lockHeld(tx, claim)
    if (!isOurs && endpoint === undefined) return rollback
    if (isOurs) await updatePace(tx, merchantId, landed)
    await store.updateWaiting(tx, { merchantId, waiting: [...application.waiting, endpointId], at })
    wake(tx, DELIVER_JOB)
    if (endpoint === undefined) return false
    const change = { tx, at }
    const now = verdict === null ? endpoint : await recordVerdict(deps, change, claim, { tried, endpoint, verdict })
    if ((await settle(change, claim, now)) === null) return false
    return takeTurn(change, claim, landed, mayGoOn)
  })
  return goesOn ?? false
}

/** There is more to send: now, if nobody else waits, or after the others had their turn. */
async function takeTurn({ tx, at }: Change, claim: store.EndpointClaim, landed: pace.Pace, mayGoOn: boolean) {
  const { merchantId, id: endpointId } = claim
  const soon = new Date(at.getTime() + 1000)
  const { count: others = 0 } = (await store.countOthersDue(tx, { merchantId, endpointId, soon })) ?? {}
  const turn = new Date(at.getTime() + pace.turnMillis(others))
  const allowed = pace.rateAllowsAt(landed, at)
  const dueAt = turn > allowed ? turn : allowed
  if (dueAt <= at && mayGoOn) return true
  await giveBack(tx, claim, dueAt)
  return false
}

interface Judged {
  tried: Try
  /** As it is now. */
  endpoint: store.Endpoint
  verdict: rules.Verdict
}

/** Returns the endpoint as the try leaves it. */
async function recordVerdict(
  deps: DeliveryDeps,
  change: Change,
  { merchantId }: store.EndpointClaim,
  { tried, endpoint, verdict }: Judged,
): Promise<store.Endpoint> {
  const { tx, at } = change
  const { deliveryId, number, windowEndsAt } = tried
  // What one destination said is no word about another.
  const hasMoved = rules.liveRevision(endpoint) !== tried.endpoint.revision
  const end = endOf(verdict, hasMoved, { attempts: number, windowEndsAt, at })
  const { httpStatus, category } = verdict
  const place = { merchantId, deliveryId, day: deliveryDay(deliveryId), number }
  if ((await store.updateAttempt(tx, { ...place, httpStatus, category, ...end, at })) === 0) throw new RowMoved()
  logTry(deps, merchantId, tried, verdict)
  return hasMoved ? endpoint : moveCircuit(deps, change, merchantId, endpoint, verdict)
}

function logTry({ log }: DeliveryDeps, merchantId: string, tried: Try, { httpStatus, category }: rules.Verdict): void {
  log.info('webhook attempt', {
    merchant_id: merchantId,
    endpoint_id: tried.endpoint.id,
    delivery_id: tried.deliveryId,
    event_id: tried.eventId,
    attempt: tried.number,
    status: httpStatus ?? undefined,
    cause: category ?? undefined,
  })
}

type End = { state: 'queued' | 'delivered' | 'failed' | 'cancelled'; sendAt: Date; finishedAt: Date | null }

/** How a delivery stands after a try. */
function endOf(
  { category, disables, retryAfter }: rules.Verdict,
  hasMoved: boolean,
  tried: { attempts: number; windowEndsAt: Date; at: Date },
): End {
  const { at } = tried
  if (hasMoved || disables !== null) return { state: 'cancelled', sendAt: at, finishedAt: at }
  if (category === null) return { state: 'delivered', sendAt: at, finishedAt: at }
  // A date in the header is the receiver's, so it is compared with the machine's time.
  const retryAfterSeconds = rules.retryAfterSeconds(retryAfter, new Date())
  const next = rules.nextTry({ ...tried, retryAfterSeconds, random: Math.random() })
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
  await store.updateCircuit(tx, { ...ref, ...circuit, disabledReason, revision, at })
  if (isAcknowledged) await closeIncident(deps, change, ref)
  else if (disables !== null) await openIncident(deps, change, ref, disables)
  else if (circuit.circuitUntil !== null) await openIncident(deps, change, ref, 'circuit_open')
  return moved
}
