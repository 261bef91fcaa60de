import type { MandateStatus, SetupFailure } from '@mintmark/contract'
import { type Change, single, singleWithEvent } from '../db/command.ts'
import { holding, retryTime } from '../jobs/handle.ts'
import { wake } from '../jobs/wake.ts'
import type { Registration } from '../network/port.ts'
import { windowAt } from '../network/windows.ts'
import { unbounded } from '../platform/bounds.ts'
import { RowTampered } from '../platform/row-seals.ts'
import { setupEvent } from './events.ts'
import type { Instruction } from './fragments.ts'
import { askToRegister, sealedMandate } from './instruction.ts'
import type { MandateDeps, MandateRef, NewMandate } from './service.ts'
import type { SetupFacts, SetupWork } from './setup-fragments.ts'
import { refusalOf } from './setup-rules.ts'
import * as store from './setup-store.ts'
import { END_JOB, mandateWork } from './store.ts'

// A standing mandate from its approval to its activation. Its session made it (`INSERT_STANDING_MANDATE`) and approves it
// (`ALLOW_MANDATE`); from then on it is open work until the network has said what becomes of it.

type SignedMandate = NewMandate & Pick<Instruction, 'frequency' | 'merchantScope' | 'maxCharges'>

/** The values of a standing mandate as it was allowed (`ALLOW_MANDATE`). */
export function allowedMandate({ seals }: MandateDeps, signed: SignedMandate) {
  const { id: mandateId, approvedMinor: amountMinor, ...row } = signed
  return { ...row, mandateId, amountMinor, mandateSeal: seals.seal(sealedMandate(signed)) }
}

/** How a mandate stands once the network's word is recorded; null where that is to be read. */
export type Settled = {
  mandateStatus: MandateStatus
  setupFailure: SetupFailure | null
  activatedAt: Date | null
  changedAt: Date
} | null

/**
 * Takes an approved mandate to its activation: the network is asked outside any transaction, and its word is recorded in one
 * statement, also when the caller has hung up meanwhile. Called by the approval itself and, for what a crash or a silent network
 * left open, by the worker.
 */
export async function settle(deps: MandateDeps, work: SetupWork): Promise<Settled> {
  return holding(deps, mandateWork, work, async () => {
    const settled = await settleHeld(deps, work).catch((error: unknown) => {
      deps.log.failure('mandate stays pending', error, { merchant_id: work.merchantId, mandate_id: work.id })
      return 'unknown' as const
    })
    if (settled !== 'unknown') return settled
    await unbounded(() =>
      single(deps, { name: 'mandates.postpone', silent: 'work' }, ({ on, at }) =>
        mandateWork.postpone(on, work, retryTime(at, work.attempts)),
      ),
    )
    return null
  })
}

/** As `settle`, for one who keeps the lease and gives it back. Unknown is never failed. */
export async function settleHeld(deps: MandateDeps, work: SetupWork): Promise<Settled | 'unknown'> {
  const answer = await ask(deps, work)
  switch (answer.outcome) {
    case 'unknown':
      return 'unknown'
    case 'ok':
      return unbounded(() => activate(deps, work, answer.value))
    case 'refused':
      return unbounded(() => refuse(deps, work, answer.failure))
  }
}

/** Nothing is registered for a suspended merchant, or for a row that is not what was signed. */
async function ask(deps: MandateDeps, work: SetupWork) {
  const refused = (failure: SetupFailure) => ({ outcome: 'refused' as const, failure })
  if (!work.merchantActive) return refused('PAYMENT_FAILED')
  try {
    const answer = await askToRegister(deps, work)
    if (answer.outcome !== 'declined') return answer
    return refused(refusalOf(answer.reason))
  } catch (error) {
    if (error instanceof RowTampered) return refused('PAYMENT_FAILED')
    throw error
  }
}

/**
 * It is active since the network registered it: the windows of both begin then, however late the answer came. Two moments
 * would be two windows, and the network would refuse near each boundary what the service says is left.
 */
async function activate(deps: MandateDeps, work: SetupWork, registration: Registration): Promise<Settled> {
  const declaration = { name: 'mandates.activate', emits: ['mandate.created'] } as const
  const { merchantId, id, leaseFence, validUntil, frequency } = work
  const { instructionRef, registeredAt: activatedAt } = registration
  const event = setupEvent('mandate.created', factsOf(work))
  return singleWithEvent(deps, declaration, event, async ({ on, at, event }) => {
    const window = windowAt(frequency, activatedAt, at)
    const values = { merchantId, id, leaseFence, instructionRef, activatedAt, validUntil, at, ...event }
    const windows = { windowStartedAt: window.startsAt, windowEndsAt: window.endsAt }
    const active = await store.updateActive(on, { ...values, ...windows })
    return noted(deps, work, active && { mandateStatus: 'active', setupFailure: null, activatedAt, changedAt: at })
  })
}

async function refuse(deps: MandateDeps, work: SetupWork, failure: SetupFailure): Promise<Settled> {
  const declaration = { name: 'mandates.refuse_setup', emits: ['mandate.creation_failed'] } as const
  const { merchantId, id, leaseFence } = work
  const event = setupEvent('mandate.creation_failed', factsOf(work), failure)
  return singleWithEvent(deps, declaration, event, async ({ on, at, event }) => {
    wake(on, END_JOB)
    const ended = await store.updateSetupRefused(on, { merchantId, id, leaseFence, failure, at, ...event })
    const now = { mandateStatus: 'cancelled' as const, setupFailure: failure, activatedAt: null, changedAt: at }
    return noted(deps, work, ended && now)
  })
}

/** Nothing was written when the mandate was ended, or its lease taken over, while the network was asked. */
function noted({ log }: MandateDeps, { merchantId, id }: SetupWork, settled: Settled | undefined): Settled {
  if (settled === undefined) log.info('mandate was settled elsewhere', { merchant_id: merchantId, mandate_id: id })
  return settled ?? null
}

function factsOf(work: SetupWork): SetupFacts {
  return { ...work, currency: work.mandateCurrency }
}

const ENDINGS = {
  expired: { type: 'mandate.creation_expired', failure: 'SESSION_EXPIRED', update: store.updateSetupExpired },
  cancelled: { type: 'mandate.creation_cancelled', failure: 'CANCELLED', update: store.updateSetupCancelled },
  revoked: { type: 'mandate.creation_cancelled', failure: 'SESSION_REVOKED', update: store.updateSetupCancelled },
} as const

/** Ends a mandate together with the session that sets it up; returns its event. None: it waits no more. */
export async function endSetup(
  _deps: MandateDeps,
  { tx, at }: Change,
  { merchantId, id }: MandateRef,
  ending: keyof typeof ENDINGS,
) {
  const { type, failure, update } = ENDINGS[ending]
  const ended = await update(tx, { merchantId, id, failure, at })
  if (ended === undefined) return undefined
  wake(tx, END_JOB)
  return setupEvent(type, ended, failure)
}
