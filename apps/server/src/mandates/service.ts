import type { MerchantScope, RecurringFrequency } from '@mintmark/contract'
import { type Change, type CommandDeps, single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import type { CardNetwork } from '../network/port.ts'
import { bound } from '../platform/bound.ts'
import { unbounded } from '../platform/bounds.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import { originsOf } from '../platform/states.ts'
import { mandateEvent } from './events.ts'
import { instructionOf, register, sealedMandate } from './instruction.ts'
import { carryingOutEnds } from './jobs.ts'
import { cancel, pause, resume } from './move.ts'
import { cancelOfRevoked, listOfAgents } from './of-agent.ts'
import { cancelOfCard } from './of-card.ts'
import { ownerSeal } from './owner.ts'
import { find, findOwn, list, lookAtAll, type MandateScope, type ShownMandate, shown } from './read.ts'
import { allowedMandate, endSetup, settle } from './setup.ts'
import { MANDATE_TRANSITIONS } from './states.ts'
import * as store from './store.ts'
import { END_JOB } from './store.ts'

export type { Instruction } from './fragments.ts'
export { sealedMandate } from './instruction.ts'
export { sealedOwner } from './owner.ts'
export type { MandateScope, ShownMandate } from './read.ts'
export type { SetupWork } from './setup-fragments.ts'
export { endOf, mostTotal, oneTimeEnd } from './setup-rules.ts'
export type { MandateOfAgent } from './store.ts'
export { type MandateRefusal, type NextWindow, refusalOf, take, windowAfter } from './take.ts'
export { type ChargedMandate, findChargeable } from './take-store.ts'
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
  log: Log
  leaseSeconds: number
}

const ONE_PAYMENT = {
  perCheckout: true,
  frequency: 'one_time' as const satisfies RecurringFrequency,
  merchantScope: 'listed' as const satisfies MerchantScope,
  maxCharges: 1,
}

/** The one-time mandate that an ordinary checkout makes of its approval: its row (`MAKE_MANDATE`), and what the network must know of it. */
export function checkoutMandate({ seals }: MandateDeps, mandate: NewCheckoutMandate) {
  const made = { ...mandate, ...ONE_PAYMENT }
  const { id: mandateId, approvedMinor: amountMinor, tokenRef: _, ...row } = made
  const mandateSeal = seals.seal(sealedMandate(made))
  return { row: { ...row, mandateId, amountMinor, mandateSeal }, instruction: instructionOf(made, mandateSeal) }
}

/** Lets the worker look at cancellations as soon as the write that may make one has committed. */
export function wakeCancellation(_deps: MandateDeps, on: Queryable): void {
  wake(on, END_JOB)
}

/**
 * A charge against a mandate has ended for good. Where the mandate was cancelled meanwhile, a worker looks whether the network can be told
 * now. Nothing depends on it but when: without it that is when the credentials lapse.
 */
export async function chargeEnded(deps: MandateDeps, mandate: MandateRef): Promise<void> {
  await unbounded(() =>
    single(deps, { name: 'mandates.charge_ended', silent: 'work' }, ({ on, at }) => {
      wake(on, END_JOB)
      return store.updateLookedAt(on, { ...mandate, at })
    }),
  ).catch((error: unknown) => {
    deps.log.failure('a cancelled mandate was not looked at', error, {
      merchant_id: mandate.merchantId,
      mandate_id: mandate.id,
    })
  })
}

/**
 * A charge ended without a payment. The mandate of an ordinary checkout ends with it, and a worker tells the network,
 * which then refuses every later mint; a standing mandate stays as it is.
 */
export async function chargeFailed(_deps: MandateDeps, { tx, at }: Change, mandate: MandateRef): Promise<void> {
  const cancelled = await store.updateCancelled(tx, { ...mandate, at })
  if (cancelled !== undefined) wake(tx, END_JOB)
}

/**
 * A credential was not reported in time; the mandate of an ordinary checkout ends with it, and a worker tells the network, which alone
 * knows whether it was spent.
 */
export async function chargeLapsed(_deps: MandateDeps, { tx, at }: Change, mandate: MandateRef): Promise<void> {
  const expired = await store.updateExpired(tx, { ...mandate, at })
  if (expired !== undefined) wake(tx, END_JOB)
}

/** One mandate without its charges. Throws as `find` does. */
export async function look(deps: MandateDeps, scope: MandateScope, id: string): Promise<ShownMandate> {
  return shown(deps, await findOwn(deps, scope, id, 0))
}

/**
 * The values by which a payment ends a mandate that is for one (`recordPaid`, `charges/ends.ts`): its version, which must still be so, and
 * its event. Undefined: it is for more than one, or has ended otherwise.
 */
export async function consumption({ pool }: MandateDeps, { merchantId, id }: MandateRef) {
  const mandate = await store.findMandate(pool, { merchantId, id, maxListed: 0 })
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
    allowedMandate,
    settle,
    endSetup,
    register,
    wakeCancellation,
    chargeEnded,
    chargeFailed,
    chargeLapsed,
    carryingOutEnds,
    list,
    find,
    look,
    lookAtAll,
    consumption,
    pause,
    resume,
    cancel,
    cancelOfCard,
    cancelOfRevoked,
    listOfAgents,
  })
export type MandateService = ReturnType<typeof createMandateService>
