import type { Confirmation, OutcomeSource, PaymentFailure } from '@mintmark/contract'
import { nextEvent, valuesOf } from '../../charges/events.ts'
import { single, singleWithEvent } from '../../db/command.ts'
import { wake } from '../../jobs/wake.ts'
import type { PurchaseDeps } from './deps.ts'
import { nextInquiry, type Paid } from './rules.ts'
import type { PurchaseWork } from './store.ts'
import * as store from './store.ts'

// How the holder of a purchase records a word about it: one statement each, under the fence. False: the lease was lost, and
// nothing was written.

type Recorded = Promise<boolean>

async function step(
  deps: PurchaseDeps,
  work: PurchaseWork,
  name: string,
  write: (...args: Parameters<typeof store.updateQuoteReady>) => Promise<object | undefined>,
): Recorded {
  const { merchantId, id, leaseFence } = work
  const declaration = { name: `purchases.${name}`, silent: 'middle' } as const
  const made = await single(deps, declaration, ({ on, at }) => write(on, { merchantId, id, leaseFence, at }))
  return made !== undefined
}

export const quoteReady = (deps: PurchaseDeps, work: PurchaseWork): Recorded =>
  step(deps, work, 'quote_ready', store.updateQuoteReady)

export const prepared = (deps: PurchaseDeps, work: PurchaseWork): Recorded =>
  step(deps, work, 'prepared', store.updatePrepared)

/** The alarm that it waits for an operator. */
export function callForPerson({ log }: PurchaseDeps, { merchantId, id }: PurchaseWork): void {
  log.error('a purchase needs a person', { alarm: 'purchase_needs_human', merchant_id: merchantId, charge_id: id })
}

export function needsHuman(deps: PurchaseDeps, work: PurchaseWork): Recorded {
  callForPerson(deps, work)
  return step(deps, work, 'needs_human', store.updateNeedsHuman)
}

export const released = (deps: PurchaseDeps, work: PurchaseWork): Recorded =>
  step(deps, work, 'released', store.updateReleased)

type Minted = Extract<Awaited<ReturnType<PurchaseDeps['charges']['mint']>>, { outcome: 'minted' }>

export function minted(deps: PurchaseDeps, work: PurchaseWork, { instructionRef, sealed: field }: Minted): Recorded {
  const { mandateId, version, validUntil: lapsesAt } = work
  const { sealed, keyId } = field
  return step(deps, work, 'minted', (on, values) =>
    store.updateMinted(on, { ...values, mandateId, version, instructionRef, sealed, keyId, lapsesAt }),
  )
}

export const paid = (deps: PurchaseDeps, work: PurchaseWork, { orderRef, authorizationCode }: Paid): Recorded =>
  step(deps, work, 'paid', (on, values) => store.updatePaid(on, { ...values, orderRef, authorizationCode }))

/** `releaseOwed`: what was prepared is still held. */
export const declined = (
  deps: PurchaseDeps,
  work: PurchaseWork,
  failure: PaymentFailure,
  releaseOwed: boolean,
): Recorded =>
  step(deps, work, 'declined', (on, values) => store.updateDeclined(on, { ...values, failure, releaseOwed }))

interface Unpaid {
  failure: PaymentFailure
  /** The one that says so: the shop, or the service itself. */
  source: OutcomeSource
  releaseOwed: boolean
}

/** It came to nothing before there was a credential: also its charge ends, and its mandate, of which the network is told. */
const ended =
  (name: string, write: typeof store.updateUnpaid) =>
  async (deps: PurchaseDeps, work: PurchaseWork, { failure, source, releaseOwed }: Unpaid): Recorded => {
    const declaration = { name, emits: ['payment.failed'] } as const
    const event = nextEvent('payment.failed', work, failure, source)
    const made = await singleWithEvent(deps, declaration, event, (context) => {
      deps.mandates.wakeCancellation(context.on)
      return write(context.on, { ...valuesOf(work, 'minting', context), confirmation: null, failure, releaseOwed })
    })
    return made !== undefined
  }
export const prepareFailed = ended('purchases.prepare_failed', store.updatePrepareFailed)
export const unpaid = ended('purchases.unpaid', store.updateUnpaid)

/** The card network knows how it ended. */
export async function confirmed(deps: PurchaseDeps, work: PurchaseWork, confirmation: Confirmation): Recorded {
  const made =
    work.reportedOutcome === 'APPROVED'
      ? await confirmedPaid(deps, work, confirmation)
      : await confirmedDeclined(deps, work, confirmation)
  const { merchantId, mandateId: id, mandateStatus } = work
  if (made !== undefined && mandateStatus === 'cancelled') await deps.mandates.chargeEnded({ merchantId, id })
  return made !== undefined
}

function confirmedPaid(deps: PurchaseDeps, work: PurchaseWork, confirmation: Confirmation) {
  const declaration = { name: 'purchases.confirmed_paid', emits: ['payment.succeeded'] } as const
  const event = nextEvent('payment.succeeded', work, null, 'merchant_observed')
  return singleWithEvent(deps, declaration, event, (context) =>
    store.updateConfirmedPaid(context.on, { ...valuesOf(work, 'awaiting_result', context), confirmation }),
  )
}

function confirmedDeclined(deps: PurchaseDeps, work: PurchaseWork, confirmation: Confirmation) {
  const declaration = { name: 'purchases.confirmed_declined', emits: ['payment.failed'] } as const
  const failure = work.failure ?? 'PAYMENT_FAILED'
  const event = nextEvent('payment.failed', work, failure, 'merchant_observed')
  return singleWithEvent(deps, declaration, event, (context) => {
    deps.mandates.wakeCancellation(context.on)
    return store.updateConfirmedDeclined(context.on, {
      ...valuesOf(work, 'awaiting_result', context),
      failure,
      confirmation,
    })
  })
}

/** Gives it back, to be asked about again; with since when the service does not know what became of it. */
export async function askAgain(deps: PurchaseDeps, work: PurchaseWork, unknownSince: Date | null): Promise<void> {
  const { merchantId, id, leaseFence } = work
  await single(deps, { name: 'purchases.ask_again', silent: 'middle' }, ({ on, at }) => {
    wake(on, store.BUY_JOB)
    const retryAt = nextInquiry({ ...work, unknownSince }, at)
    return store.updateAsked(on, { merchantId, id, leaseFence, unknownSince, retryAt })
  })
}

/** A credential whose time is over buys nothing any more. */
export async function erase(deps: PurchaseDeps, work: PurchaseWork): Promise<void> {
  const { merchantId, id, leaseFence } = work
  await single(deps, { name: 'purchases.erase', silent: 'past' }, ({ on, at }) =>
    store.updateErased(on, { merchantId, id, leaseFence, at }),
  )
}
