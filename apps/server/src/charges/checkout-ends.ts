import type { Confirmation, PaymentFailure } from '@mintmark/contract'
import { command, rollback, single, singleWithEvent } from '../db/command.ts'
import { releaseCredential } from './confirm.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import type { ChargeEnds, Minted, Recorded, ReportEnds } from './ends.ts'
import { nextEvent, paymentEvent, valuesOf } from './events.ts'
import { postpone } from './postpone.ts'
import { recordUsed } from './standing-lapse.ts'
import type { ChargeWork } from './store.ts'
import * as store from './store.ts'
import type { ReportedWork } from './work-fragments.ts'

// The charge of a checkout: its mandate is made for it, and ends with it. Locks: mandate, work, charge.

function minted(
  deps: ChargeDeps,
  work: ChargeWork,
  { instructionRef, sealed: credential, validUntil: lapsesAt }: Minted,
): Recorded {
  const declaration = { name: 'charges.finish_minted', emits: ['payment.credentials_ready'] } as const
  const { sealed, keyId } = credential
  return singleWithEvent(deps, declaration, nextEvent('payment.credentials_ready', work), (context) =>
    store.updateMinted(context.on, { ...valuesOf(work, context), instructionRef, sealed, keyId, lapsesAt }),
  )
}

function refused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Recorded {
  const declaration = { name: 'charges.finish_refused', emits: ['payment.failed'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.failed', work, failure), (context) => {
    deps.mandates.wakeCancellation(context.on)
    return store.updateRefused(context.on, { ...valuesOf(work, context), failure })
  })
}

function paid(deps: ChargeDeps, work: ReportedWork, confirmation: Confirmation): Recorded {
  const declaration = { name: 'charges.finish_paid', emits: ['payment.succeeded'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.succeeded', work), (context) =>
    store.updatePaid(context.on, { ...valuesOf(work, context), confirmation }),
  )
}

function declined(deps: ChargeDeps, work: ReportedWork, confirmation: Confirmation): Recorded {
  const declaration = { name: 'charges.finish_declined', emits: ['payment.failed'] } as const
  const event = nextEvent('payment.failed', work, 'PAYMENT_DECLINED')
  return singleWithEvent(deps, declaration, event, (context) => {
    deps.mandates.wakeCancellation(context.on)
    return store.updateDeclined(context.on, { ...valuesOf(work, context), confirmation })
  })
}

export const checkoutEnds: ChargeEnds & ReportEnds<ReportedWork> = {
  minted,
  refused,
  paid,
  declined,
  runOut,
}

/** Its time is over; or it ends before, with its card: unused it comes to nothing, used it waits for its report as ever. */
async function runOut(deps: ChargeDeps, work: ChargeWork): Recorded {
  const { id: chargeId, merchantId, mandateId, lapsesAt, isCardDeleted } = work
  const isEarly = isCardDeleted === true && lapsesAt !== null && lapsesAt > deps.clock.now()
  if (!isEarly) return lapse(deps, { merchantId, chargeId, mandateId })
  const became = await releaseCredential(deps, { chargeId })
  if (became === 'used') return recordUsed(deps, work, lapsesAt)
  if (became === 'unknown') {
    await postpone(deps, work)
    return { postponed: true }
  }
  const silent = 'The end of the charge is the event, which follows.'
  await single(deps, { name: 'charges.bring_lapse_forward', silent }, ({ on, at }) =>
    store.updateLapseNow(on, { merchantId, chargeId, at }),
  )
  return lapse(deps, { merchantId, chargeId, mandateId })
}

/**
 * The credential's time passed without a report, or was ended before (`updateLapseNow`): it is erased. Undefined: a report came first.
 */
export async function lapse(deps: ChargeDeps, charge: ChargeRef & { mandateId: string }): Recorded {
  const declaration = { name: 'charges.lapse', emits: ['payment.failed'] } as const
  const lapsed = await command(deps, declaration, async ({ tx, at, emit }) => {
    await deps.mandates.chargeLapsed({ tx, at }, { merchantId: charge.merchantId, id: charge.mandateId })
    const ended = await store.updateLapsed(tx, { ...charge, at })
    if (ended === undefined) return rollback
    emit(paymentEvent('payment.failed', ended, ended.failure))
    return ended
  })
  return lapsed ?? undefined
}
