import type { CommandDeps } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import type { CardNetwork } from '../network/port.ts'
import { bound } from '../platform/bound.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import { originsOf } from '../platform/states.ts'
import { mandateEvent } from './events.ts'
import type { Instruction } from './fragments.ts'
import { register, sealedMandate } from './instruction.ts'
import { carryingOutEnds } from './jobs.ts'
import { cancel, pause, resume } from './move.ts'
import { cancelOfCard } from './of-card.ts'
import { ownerSeal } from './owner.ts'
import type { PurchaseMandates } from './port.ts'
import { find, findOwn, list, listLive, type MandateScope, type ShownMandate, shown } from './read.ts'
import { ONE_PAYMENT } from './rules.ts'
import { allowedMandate, endSetup, finishSetup } from './setup.ts'
import { MANDATE_TRANSITIONS } from './states.ts'
import * as store from './store.ts'
import { END_JOB } from './store.ts'

export type { Instruction } from './fragments.ts'
export { sealedMandate } from './instruction.ts'
export { sealedOwner } from './owner.ts'
export type { MandatePage, MandateScope, ShownMandate } from './read.ts'
export type { SetupWork } from './setup-fragments.ts'
export { endOf, mostTotal, oneTimeEnd } from './setup-rules.ts'
export { fromWireChargingScope } from './wire.ts'

export interface MandateRef {
  merchantId: string
  id: string
}

export interface NewMandate extends MandateRef {
  customerId: string
  cardId: string
  /** The network's token of the card. */
  tokenRef: string
  /** As the cardholder saw it. */
  payeeName: string
  payeeNetworkName: string
  payeeUrl: string
  payeeCountry: string
  approvedMinor: bigint
  currency: string
  validUntil: Date
  /** Hex SHA-256 of the approved terms. */
  approvalHash: string
}

interface NewCheckoutMandate extends NewMandate {
  /** The one charge it is for. */
  chargeId: string
}

export interface MandateDeps extends CommandDeps {
  network: Pick<CardNetwork, 'registerInstruction' | 'cancelInstruction' | 'release'>
  seals: RowSeals
  ofPurchases: PurchaseMandates
  log: Log
  leaseSeconds: number
}

/** The values of the one-time mandate that an ordinary checkout makes of its approval (`START_MINTING`). */
export function checkoutMandate({ seals }: MandateDeps, { tokenRef, ...mandate }: NewCheckoutMandate) {
  const { id: mandateId, approvedMinor: amountMinor, ...row } = { ...mandate, ...ONE_PAYMENT }
  const sealed = sealedMandate({ ...mandate, ...ONE_PAYMENT, tokenRef })
  return { ...row, mandateId, amountMinor, mandateSeal: seals.seal(sealed) }
}

/** What the network must know of such a mandate, whose values are known: it is not read again. */
export function checkoutInstruction(
  _deps: MandateDeps,
  made: ReturnType<typeof checkoutMandate> & { tokenRef: string },
): Instruction {
  const { mandateId, tokenRef, frequency, maxCharges, merchantScope, validUntil, approvalHash, mandateSeal } = made
  return {
    ...{ mandateId, tokenRef, frequency, maxCharges, merchantScope, validUntil, approvalHash, mandateSeal },
    mandateCustomerId: made.customerId,
    approvedMinor: made.amountMinor,
    mandateCurrency: made.currency,
    mandatePayeeName: made.payeeName,
    mandateNetworkName: made.payeeNetworkName,
    mandatePayeeUrl: made.payeeUrl,
    mandatePayeeCountry: made.payeeCountry,
    instructionRef: null,
  }
}

/** Lets the worker look at cancellations as soon as the write that may make one has committed. */
export function wakeCancellation(_deps: MandateDeps, on: Queryable): void {
  wake(on, END_JOB)
}

/** One mandate without its charges. Throws as `find` does. */
export async function refresh(deps: MandateDeps, scope: MandateScope, id: string): Promise<ShownMandate> {
  return shown(deps, await findOwn(deps, scope, id, 0))
}

/**
 * The values by which a payment ends a standing mandate that is for one (`updateLastPaid`): its version, which must
 * still be so, and its event. Undefined: it is for more than one, or has ended otherwise. `on`: the transaction that
 * has locked it.
 */
export async function consumption({ pool }: MandateDeps, { merchantId, id }: MandateRef, on: Queryable = pool) {
  const mandate = await store.findMandate(on, { merchantId, id, mostCharges: 0 })
  if (mandate === undefined) throw new Error(`There is no mandate ${id}.`)
  const { frequency, status, version } = mandate
  const mayEnd = originsOf(MANDATE_TRANSITIONS, 'consumed').some((origin) => origin === status)
  if (frequency !== 'one_time' || !mayEnd) return undefined
  return { mandateVersion: version, event: mandateEvent('mandate.consumed', mandate, 'consumed') }
}

export const createMandateService = (deps: MandateDeps) =>
  bound(deps, {
    ownerSeal,
    checkoutMandate,
    checkoutInstruction,
    allowedMandate,
    finishSetup,
    endSetup,
    register,
    wakeCancellation,
    carryingOutEnds,
    list,
    listLive,
    find,
    refresh,
    consumption,
    pause,
    resume,
    cancel,
    cancelOfCard,
  })
export type MandateService = ReturnType<typeof createMandateService>
