import type { Currency, MerchantScope, RecurringFrequency } from '@mintmark/contract'
import type { Change, CommandDeps } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import type { CardNetwork, NetworkAnswer } from '../network/port.ts'
import { bound } from '../platform/bound.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals, SealedRow } from '../platform/row-seals.ts'
import type { Instruction } from './fragments.ts'
import { carryOutEnds, END_JOB } from './jobs.ts'
import { cancel, pause, resume } from './move.ts'
import { find, list } from './read.ts'
import * as store from './store.ts'

export type { Instruction } from './fragments.ts'

export interface MandateRef {
  merchantId: string
  id: string
}

export interface NewCheckoutMandate extends MandateRef {
  customerId: string
  cardId: string
  /** The one charge it is for. */
  chargeId: string
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

export interface MandateDeps extends CommandDeps {
  network: Pick<CardNetwork, 'registerInstruction' | 'cancelInstruction'>
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

/** The values of the one-time mandate that an ordinary checkout makes of its approval (`MAKE_MANDATE`). */
export function checkoutMandate({ seals }: MandateDeps, { tokenRef, ...mandate }: NewCheckoutMandate) {
  const { id: mandateId, approvedMinor: amountMinor, ...row } = { ...mandate, ...ONE_PAYMENT }
  const sealed = sealedMandate({ ...mandate, ...ONE_PAYMENT, tokenRef })
  return { ...row, mandateId, amountMinor, mandateSeal: seals.seal(sealed) }
}

/** What must not be edited of a mandate: what was approved, and what pays. */
export function sealedMandate(mandate: SealedMandate): SealedRow {
  const { merchantId, id, tokenRef, approvedMinor, currency, frequency, maxCharges, merchantScope } = mandate
  const { payeeName, payeeNetworkName, payeeUrl, payeeCountry, validUntil, approvalHash } = mandate
  const limits = [approvedMinor, currency, frequency, maxCharges, merchantScope, validUntil.toISOString()]
  const payee = [payeeName, payeeNetworkName, payeeUrl, payeeCountry]
  return { table: 'mandates', merchantId, id, parts: [tokenRef, ...limits, ...payee, approvalHash] }
}

type SealedMandate = Omit<NewCheckoutMandate, 'customerId' | 'cardId' | 'chargeId'> &
  Pick<Instruction, 'frequency' | 'maxCharges' | 'merchantScope'>

function sealedInstruction(work: Instruction & { merchantId: string }): SealedRow {
  const { mandateId: id, mandateCurrency: currency } = work
  const payee = {
    payeeName: work.mandatePayeeName,
    payeeNetworkName: work.mandateNetworkName,
    payeeUrl: work.mandatePayeeUrl,
    payeeCountry: work.mandatePayeeCountry,
  }
  return sealedMandate({ ...work, id, currency, ...payee })
}

/**
 * Registers the instruction at the network, outside any transaction. Idempotent on the mandate's id. Throws `RowTampered` for
 * a mandate that is not the one which was approved.
 */
export async function register(
  { network, seals }: MandateDeps,
  mandate: Instruction & { merchantId: string },
): Promise<NetworkAnswer<{ instructionRef: string }>> {
  const { mandateId, tokenRef, frequency, maxCharges, validUntil, approvalHash, instructionRef } = mandate
  seals.check(sealedInstruction(mandate), mandate.mandateSeal)
  if (instructionRef !== null) return { outcome: 'ok', value: { instructionRef } }
  const { mandateNetworkName: name, mandatePayeeUrl: url, mandatePayeeCountry: country } = mandate
  return network.registerInstruction({
    mandateId,
    tokenRef,
    cap: { minor: mandate.approvedMinor, currency: mandate.mandateCurrency as Currency },
    frequency,
    maxCharges,
    merchant: mandate.merchantScope === 'any' ? null : { name, url, country },
    validUntil,
    approvalHash,
  })
}

/** Lets the worker look at cancellations as soon as the write that may make one has committed. */
export function wakeCancellation(_deps: MandateDeps, on: Queryable): void {
  wake(on, END_JOB)
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
 * A credential was not used in time; the mandate of an ordinary checkout ends with it. The network enforces the same
 * time.
 */
export async function chargeLapsed(_deps: MandateDeps, { tx, at }: Change, mandate: MandateRef): Promise<void> {
  await store.updateExpired(tx, { ...mandate, at })
}

export const createMandateService = (deps: MandateDeps) =>
  bound(deps, {
    checkoutMandate,
    register,
    wakeCancellation,
    chargeFailed,
    chargeLapsed,
    carryOutEnds,
    list,
    find,
    pause,
    resume,
    cancel,
  })
export type MandateService = ReturnType<typeof createMandateService>
