import { single, singleWithEvent } from '../db/command.ts'
import type { Job, JobResult } from '../jobs/loop.ts'
import { type Claim, workOff } from '../jobs/work.ts'
import { mandateEvent } from './events.ts'
import type { MandateDeps, MandateService } from './service.ts'
import * as store from './store.ts'
import { mandateWork } from './store.ts'

/** A mandate that ends wakes this job, so that what the network may still mint is voided within milliseconds. */
export const END_JOB = 'mandates.end'

/** Carries out what the end of a mandate brings: the network is told of a cancelled one; time ends a standing one. */
export function carryOutEnds(deps: MandateDeps, limit: number): Promise<JobResult> {
  return workOff(deps, mandateWork, {
    name: END_JOB,
    limit,
    async handle(work) {
      switch (work.status) {
        case 'cancelled':
          return cancelAtNetwork(deps, work)
        case 'active':
        case 'paused':
          return expire(deps, work)
        // It ended otherwise meanwhile, and the network knows of that end.
        case 'consumed':
        case 'expired':
          return finish(deps, work)
        case 'pending':
          return false
      }
    },
  })
}

async function cancelAtNetwork(deps: MandateDeps, work: Claim): Promise<boolean> {
  const answer = await deps.network.cancelInstruction({ mandateId: work.id })
  // `declined` is final too: there is nothing to cancel. Retry only `unknown`.
  return answer.outcome === 'unknown' ? false : finish(deps, work)
}

async function finish(deps: MandateDeps, work: Claim): Promise<boolean> {
  const silent = 'The end of the mandate was the event; that nothing is left to do is not one.'
  await single(deps, { name: END_JOB, silent }, ({ on }) => mandateWork.finish(on, work))
  return true
}

/**
 * Its time is over: what every read has said since is written, with its event. The network ends it by the same time of its
 * own. False when it was moved meanwhile, or has time left; the work is then looked at again.
 */
async function expire(deps: MandateDeps, { merchantId, id }: Claim): Promise<boolean> {
  const mandate = await store.findMandate(deps.pool, { merchantId, id, mostCharges: 0 })
  if (mandate === undefined) throw new Error(`Mandate ${id} has work and no row.`)
  const declaration = { name: 'mandates.expire', emits: ['mandate.expired'] } as const
  const event = mandateEvent('mandate.expired', mandate, 'expired')
  const expired = await singleWithEvent(deps, declaration, event, ({ on, at, event }) =>
    store.updateExpiredByTime(on, { merchantId, id, version: mandate.version, at, ...event }),
  )
  return expired !== undefined
}

export function mandateJobs(mandates: MandateService): Job[] {
  return [{ name: END_JOB, run: () => mandates.carryOutEnds(50) }]
}
