import { single } from '../../db/command.ts'
import type { Queryable } from '../../db/statement.ts'
import { leaseBound } from '../../jobs/due.ts'
import { holding, retryTime } from '../../jobs/handle.ts'
import type { Job } from '../../jobs/loop.ts'
import { leaseEnd } from '../../jobs/work.ts'
import { begin, serve } from './deliver.ts'
import type { DeliveryDeps } from './deps.ts'
import { DELIVER_JOB } from './fan-out.ts'
import { RECOVER_JOB } from './recover.ts'
import { keepPartitionsJob } from './retention.ts'
import type { DeliveryService } from './service.ts'
import * as store from './store.ts'

/** Requests of one process at a time. Most of them wait for a receiver. */
const MAX_AT_ONCE = 200
/** Endpoints of one claim. */
const LIMIT = 50

/** Sends what is due, and queues what is asked for again. */
export function deliveryJobs(deps: DeliveryDeps, deliveries: Pick<DeliveryService, 'makePages'>): Job[] {
  const recover: Job = { name: RECOVER_JOB, restMillis: 60_000, run: () => deliveries.makePages(RECOVERIES) }
  return [deliverJob(deps), recover, keepPartitionsJob(deps)]
}

/** Pages of recoveries in one run. */
const RECOVERIES = 10

/**
 * Sends what is due. A claimed endpoint is served beside the loop: a receiver that lets its ten seconds pass keeps no other
 * endpoint waiting.
 */
export function deliverJob(deps: DeliveryDeps): Job {
  /** Endpoints that this process is at; until the claim is through others see them as due, and so does the next look. */
  const inHand = new Map<string, Promise<void>>()
  let isStopping = false
  const take = async (merchantId: string, limit: number) => {
    const at = deps.clock.now()
    const look = { merchantId, at, leaseBound: leaseBound(at), inHand: [...inHand.keys()], limit, except: store.NONE }
    return (await store.listTurns(deps.pool, look)).map((turn) => ({ merchantId, turn }))
  }
  return {
    name: DELIVER_JOB,
    async run() {
      if (!deps.isOn) return { taken: 0, nextDueAt: null }
      isStopping = false
      if (inHand.size >= MAX_AT_ONCE) await Promise.race(inHand.values())
      const limit = Math.min(LIMIT, MAX_AT_ONCE - inHand.size)
      const { rows, nextDueAt } = await store.endpointWork.claimBy(deps, limit, take)
      for (const { merchantId, turn } of rows) {
        const served = serveDue(deps, merchantId, turn, () => !isStopping).finally(() => inHand.delete(turn.id))
        inHand.set(turn.id, served)
      }
      return { taken: rows.length, nextDueAt }
    },
    stop() {
      isStopping = true
    },
    async settled() {
      while (inHand.size > 0) await Promise.all(inHand.values())
    },
  }
}

/** Never fails: what could not be done is tried again later. */
async function serveDue(
  deps: DeliveryDeps,
  merchantId: string,
  turn: store.Turn,
  mayGoOn: () => boolean,
): Promise<void> {
  // The stop came while this was looked for.
  if (!mayGoOn()) return
  let claim: store.EndpointClaim | undefined
  try {
    const begun = await begin(deps, merchantId, turn)
    if (begun === null) return
    claim = begun.claim
    await holding(deps, store.endpointWork, claim, () => serve(deps, begun, mayGoOn))
  } catch (error) {
    await postpone(deps, merchantId, turn.id, claim, error).catch(() => false)
  }
}

async function postpone(
  deps: DeliveryDeps,
  merchantId: string,
  id: string,
  held: store.EndpointClaim | undefined,
  error: unknown,
): Promise<void> {
  const declaration = { name: 'webhooks.postpone', silent: 'work' } as const
  const claim = held ?? (await single(deps, declaration, ({ on, at }) => claimOne(on, at)))
  // Another worker has it.
  if (claim === undefined) return
  const { attempts } = claim
  deps.log.failure('work failed', error, { job: DELIVER_JOB, merchant_id: merchantId, attempt: attempts })
  await single(deps, declaration, ({ on, at }) => store.endpointWork.postpone(on, claim, retryTime(at, attempts)))

  function claimOne(on: Queryable, at: Date) {
    return store.endpointWork.claimOne(on, { merchantId, id }, { at, leaseUntil: leaseEnd(deps, at) })
  }
}
