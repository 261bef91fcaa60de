import type { PaymentFailure } from '@mintmark/contract'
import { single, singleWithEvent } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { workBeside } from '../jobs/handle.ts'
import type { Job } from '../jobs/loop.ts'
import { wake } from '../jobs/wake.ts'
import type { Claim } from '../jobs/work.ts'
import { addSeconds } from '../platform/clock.ts'
import { mandateEvent } from './events.ts'
import type { MandateDeps } from './service.ts'
import { settleHeld } from './setup.ts'
import { findSetup } from './setup-store.ts'
import * as store from './store.ts'
import { END_JOB, mandateWork } from './store.ts'

/** Mandates of one process at a time. Many of them wait for the network. */
const MAX_AT_ONCE = 50

/** What the end of a mandate asks of its charges. */
interface Charges {
  /** They are looked at now, and not when they were due. Returns how many were due later. */
  becomeDue(change: { on: Queryable; at: Date }, charges: { merchantId: string; ids: string[] }): Promise<number>
}

type EndDeps = MandateDeps & { charges: Charges }

/** What the network has to be asked or told of mandates: approved ones are registered, ended ones ended. Time ends the standing ones. */
export function carryingOutEnds(own: MandateDeps, charges: Charges): Job {
  const deps = { ...own, charges }
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
          return settleAgain(deps, work)
      }
    },
  })
}

/** An approval whose process died, or a network that said nothing: it is asked again. */
async function settleAgain(deps: MandateDeps, work: Claim): Promise<boolean> {
  const { merchantId, id } = work
  const setup = await findSetup(deps.pool, { merchantId, id })
  // Settled, or ended, since the claim.
  if (setup === undefined) return true
  return (await settleHeld(deps, { ...work, ...setup })) !== 'unknown'
}

type Ended = Claim & { endedChargeId: string | null; endedBy: PaymentFailure | null }
type Cancelled = Ended & { dueAt: Date; isCardDeleted: boolean }

/** The service charges a cancelled mandate no more by itself. What was minted before lives on, and some networks would end it now. */
async function cancelAtNetwork(deps: EndDeps, work: Cancelled): Promise<boolean> {
  const { merchantId, id } = work
  const open = await store.findOpenCharges(deps.pool, { merchantId, id, at: deps.clock.now() })
  if (open !== undefined && open.ids !== null) {
    const { lastLapsesAt, isMoving } = open
    const isDue = work.isCardDeleted && (await endWithCard(deps, work, open.ids))
    const isSoon = isMoving === true || isDue || lastLapsesAt === null
    // With its card the instruction has ended at the network: nothing is spared by waiting.
    if (isSoon || !work.isCardDeleted) return waitForCharges(deps, work, isSoon ? null : lastLapsesAt)
  }
  const answer = await deps.network.cancelInstruction({ mandateId: id })
  // `declined` is final too: there is nothing to cancel. Retry only `unknown`.
  if (answer.outcome === 'unknown' || !(await releaseEnded(deps, work))) return false
  return finish(deps, work)
}

/** What is in hand, or is about to end, is looked at again so soon. */
const SOON_SECONDS = 5

/**
 * The network is told when the last credential has ended: at the latest when it lapses, mostly when it is reported, for whoever ends a
 * charge of a cancelled mandate makes this due. One who had the charge in hand when this looked may have read the mandate before it was
 * cancelled, and would not: that one is waited for.
 */
async function waitForCharges(deps: MandateDeps, work: Cancelled, lastLapsesAt: Date | null): Promise<boolean> {
  const { merchantId, id, leaseFence, dueAt } = work
  await single(deps, { name: 'mandates.wait_for_charges', silent: 'work' }, ({ on, at }) => {
    wake(on, END_JOB)
    const until = lastLapsesAt ?? addSeconds(at, SOON_SECONDS)
    return store.updateWaiting(on, { merchantId, id, leaseFence, dueAt, until })
  })
  return true
}

/**
 * The card was deleted while a charge was being minted, so that its credential was dead before a caller or worker had written that it was
 * there. It is due now, and ended as those that the deletion found. False: there is none.
 */
async function endWithCard(deps: EndDeps, { merchantId }: Cancelled, ids: string[]): Promise<boolean> {
  const due = await single(deps, { name: 'mandates.end_with_card', silent: 'work' }, (change) =>
    deps.charges.becomeDue(change, { merchantId, ids }),
  )
  return due > 0
}

/** The network ends a mandate by its time; whether its credential was spent it has to be asked. */
async function releaseAtNetwork(deps: MandateDeps, work: Ended): Promise<boolean> {
  return (await releaseEnded(deps, work)) && finish(deps, work)
}

const REVOKED_SPENT = {
  alarm: 'revoked_credential_used',
  message: 'the credential of a revoked session was spent',
} as const
const LAPSED_SPENT = { alarm: 'lapsed_credential_used', message: 'a credential was spent and never reported' } as const

/** What was minted for a checkout that has ended is released. False: the network did not answer. */
async function releaseEnded(
  { network, log }: MandateDeps,
  { merchantId, endedChargeId: chargeId, endedBy }: Ended,
): Promise<boolean> {
  if (chargeId === null) return true
  const answer = await network.release({ chargeId })
  if (answer.outcome === 'ok' && answer.value.state === 'used') {
    const { alarm, message } = endedBy === 'MANDATE_EXPIRED' ? LAPSED_SPENT : REVOKED_SPENT
    log.error(message, { alarm, merchant_id: merchantId, charge_id: chargeId })
  }
  return answer.outcome !== 'unknown'
}

async function finish(deps: MandateDeps, work: Claim): Promise<boolean> {
  await single(deps, { name: END_JOB, silent: 'work' }, ({ on }) => mandateWork.finish(on, work))
  return true
}

/**
 * Its time is over: what every read has said since is written, with its event. The network ends it by the same time of its
 * own. False when it was moved meanwhile, or has time left; the work is then looked at again.
 */
async function expire(deps: MandateDeps, { merchantId, id }: Claim): Promise<boolean> {
  const mandate = await store.findMandate(deps.pool, { merchantId, id, maxListed: 0 })
  if (mandate === undefined) throw new Error(`Mandate ${id} has work and no row.`)
  const declaration = { name: 'mandates.expire', emits: ['mandate.expired'] } as const
  const event = mandateEvent('mandate.expired', mandate, 'expired')
  const expired = await singleWithEvent(deps, declaration, event, ({ on, at, event }) =>
    store.updateExpiredByTime(on, { merchantId, id, version: mandate.version, at, ...event }),
  )
  return expired !== undefined
}
