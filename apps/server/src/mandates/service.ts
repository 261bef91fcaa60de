import type { Currency, MerchantScope, RecurringFrequency } from '@mintmark/contract'
import type { Change, CommandDeps } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import type { CardNetwork, NetworkAnswer } from '../network/port.ts'
import { bound } from '../platform/bound.ts'
import type { Log } from '../platform/log.ts'
import type { Instruction } from './fragments.ts'
import { CANCEL_JOB, cancelAtNetwork } from './jobs.ts'
import * as store from './store.ts'

export type { Instruction } from './fragments.ts'

export interface MandateRef {
  merchantId: string
  id: string
}

export interface NewCheckoutMandate extends MandateRef {
  customerId: string
  cardId: string
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
  log: Log
  leaseSeconds: number
}

const ONE_PAYMENT = {
  perCheckout: true,
  frequency: 'one_time' satisfies RecurringFrequency,
  merchantScope: 'listed' satisfies MerchantScope,
  maxCharges: 1,
}

/** The one-time mandate of an ordinary checkout, in the transaction of its approval. */
export async function createForCheckout(
  _deps: MandateDeps,
  { tx, at }: Change,
  mandate: NewCheckoutMandate,
): Promise<void> {
  await store.insertMandate(tx, { ...mandate, ...ONE_PAYMENT, at })
}

/** Registers the instruction at the network, outside any transaction. Idempotent on the mandate's id. */
export async function register(
  { network }: MandateDeps,
  mandate: Instruction,
): Promise<NetworkAnswer<{ instructionRef: string }>> {
  const { mandateId, tokenRef, frequency, maxCharges, validUntil, approvalHash, instructionRef } = mandate
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
  wake(on, CANCEL_JOB)
}

/**
 * A charge ended without a payment. The mandate of an ordinary checkout ends with it, and a worker tells the network,
 * which then refuses every later mint; a standing mandate stays as it is.
 */
export async function chargeFailed(_deps: MandateDeps, { tx, at }: Change, mandate: MandateRef): Promise<void> {
  const cancelled = await store.updateCancelled(tx, { ...mandate, at })
  if (cancelled !== undefined) wake(tx, CANCEL_JOB)
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
    createForCheckout,
    register,
    wakeCancellation,
    chargeFailed,
    chargeLapsed,
    cancelAtNetwork,
  })
export type MandateService = ReturnType<typeof createMandateService>
