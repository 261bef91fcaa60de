import { single } from '../db/command.ts'
import type { Job, JobResult } from '../jobs/loop.ts'
import { workOff } from '../jobs/work.ts'
import type { MandateDeps, MandateService } from './service.ts'
import { mandateWork } from './store.ts'

/** A mandate that ends wakes this job, so that what the network may still mint is voided within milliseconds. */
export const CANCEL_JOB = 'mandates.cancel_at_network'

/** Tells the network of permissions that ended. */
export function cancelAtNetwork(deps: MandateDeps, limit: number): Promise<JobResult> {
  const name = CANCEL_JOB
  return workOff(deps, mandateWork, {
    name,
    limit,
    async handle(mandate) {
      const answer = await deps.network.cancelInstruction({ mandateId: mandate.id })
      if (answer.outcome === 'unknown') return false
      // `declined` is final too: there is nothing to cancel. Retry only `unknown`.
      const silent = 'The end of the mandate was the event; that the network knows of it is not one.'
      await single(deps, { name, silent }, ({ on }) => mandateWork.finish(on, mandate))
      return true
    },
  })
}

export function mandateJobs(mandates: MandateService): Job[] {
  return [{ name: CANCEL_JOB, run: () => mandates.cancelAtNetwork(20) }]
}
