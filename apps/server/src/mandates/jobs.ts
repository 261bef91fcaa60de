import { command } from '../db/command.ts'
import { workBeside } from '../jobs/handle.ts'
import type { Job } from '../jobs/loop.ts'
import type { Claim } from '../jobs/work.ts'
import { mandateEvent } from './events.ts'
import type { MandateDeps } from './service.ts'
import { finishHeld } from './setup.ts'
import { findSetup } from './setup-store.ts'
import * as store from './store.ts'
import { END_JOB, mandateWork } from './store.ts'

/** Mandates of one process at a time. Many of them wait for the network. */
const MAX_AT_ONCE = 50

/**
 * What the network has to be asked or told of mandates: approved ones are registered, ended ones ended. Time ends the
 * standing ones.
 */
export function carryingOutEnds(deps: MandateDeps): Job {
  return workBeside(deps, mandateWork, {
    name: END_JOB,
    limit: MAX_AT_ONCE,
    async handle(work) {
      switch (work.status) {
        case 'cancelled':
          return cancelAtNetwork(deps, work)
        case 'active':
        case 'paused':
          return expire(deps, work)
        case 'expired':
          return releaseAtNetwork(deps, work)
        // It ended otherwise meanwhile, and the network knows of that end.
        case 'consumed':
          return finish(deps, work)
        case 'pending':
          return finishAgain(deps, work)
      }
    },
  })
}

/** An approval whose process died, or a network that said nothing: it is asked again. */
async function finishAgain(deps: MandateDeps, work: Claim): Promise<boolean> {
  const { merchantId, id } = work
  const setup = await findSetup(deps.pool, { merchantId, id })
  // Settled, or ended, since the claim.
  if (setup === undefined) return true
  return (await finishHeld(deps, { ...work, ...setup })) !== 'unknown'
}

type Ended = Claim & { endedChargeId: string | null }

async function cancelAtNetwork(deps: MandateDeps, work: Ended): Promise<boolean> {
  const answer = await deps.network.cancelInstruction({ mandateId: work.id })
  // `declined` is final too: there is nothing to cancel. Retry only `unknown`.
  if (answer.outcome === 'unknown' || !(await releaseEnded(deps, work, REVOKED_SPENT))) return false
  return finish(deps, work)
}

/** The network ends a mandate by its time; whether its credential was spent it has to be asked. */
async function releaseAtNetwork(deps: MandateDeps, work: Ended): Promise<boolean> {
  return (await releaseEnded(deps, work, LAPSED_SPENT)) && finish(deps, work)
}

const REVOKED_SPENT = {
  alarm: 'revoked_credential_used',
  message: 'the credential of a revoked session was spent',
} as const
const LAPSED_SPENT = { alarm: 'lapsed_credential_used', message: 'a credential was spent and never reported' } as const

/** What was minted for a checkout that has ended is released. False: the network did not answer. */
async function releaseEnded(
  { network, log }: MandateDeps,
  { merchantId, endedChargeId: chargeId }: Ended,
  { alarm, message }: typeof REVOKED_SPENT | typeof LAPSED_SPENT,
): Promise<boolean> {
  if (chargeId === null) return true
  const answer = await network.release({ chargeId })
  if (answer.outcome === 'ok' && answer.value.state === 'used')
    log.error(message, { alarm, merchant_id: merchantId, charge_id: chargeId })
  return answer.outcome !== 'unknown'
}

async function finish(deps: MandateDeps, work: Claim): Promise<boolean> {
  const why = 'The end of the mandate was the event; that nothing is left to do is not one.'
  await command(deps, { name: END_JOB, why, together: 'statement' }, ({ on }) => mandateWork.finish(on, work))
  return true
}

/**
 * Its time is over: what every read has said since is written, with its event. The network ends it by the same time of
 * its own. False when it was moved meanwhile, or has time left; the work is then looked at again.
 */
async function expire(deps: MandateDeps, { merchantId, id }: Claim): Promise<boolean> {
  const mandate = await store.findMandate(deps.pool, { merchantId, id, mostCharges: 0 })
  if (mandate === undefined) throw new Error(`Mandate ${id} has work and no row.`)
  const declaration = { name: 'mandates.expire', events: ['mandate.expired'], together: 'statement' } as const
  const event = mandateEvent('mandate.expired', mandate, 'expired')
  const expired = await command(deps, declaration, ({ on, at, prepare }) =>
    store.updateExpiredByTime(on, { merchantId, id, version: mandate.version, at, ...prepare(event) }),
  )
  return expired !== undefined
}
