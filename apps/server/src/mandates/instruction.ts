import type { Currency } from '@mintmark/contract'
import type { NetworkAnswer, Registration } from '../network/port.ts'
import type { SealedRow } from '../platform/row-seals.ts'
import type { Instruction } from './fragments.ts'
import type { MandateDeps, NewMandate } from './service.ts'

// What the network is told of a mandate, and the seal over it.

/** What must not be edited of a mandate: the customer who approved it, what was approved, and what pays. */
export function sealedMandate(mandate: SealedMandate): SealedRow {
  const { merchantId, id, customerId, tokenRef, approvedMinor, currency, frequency, maxCharges, merchantScope } =
    mandate
  const { payeeName, payeeNetworkName, payeeUrl, payeeCountry, validUntil, approvalHash } = mandate
  const limits = [approvedMinor, currency, frequency, maxCharges, merchantScope, validUntil.toISOString()]
  const payee = [payeeName, payeeNetworkName, payeeUrl, payeeCountry]
  const parts = [customerId, tokenRef, ...limits, ...payee, approvalHash]
  return { table: 'mandates', merchantId, id, parts }
}

type SealedMandate = Omit<NewMandate, 'cardId'> & Pick<Instruction, 'frequency' | 'maxCharges' | 'merchantScope'>

/** The instruction of a mandate that is being made: the network does not know it yet. */
export function instructionOf(mandate: SealedMandate, mandateSeal: Buffer): Instruction {
  const { id: mandateId, customerId: mandateCustomerId, currency: mandateCurrency } = mandate
  const { payeeName: mandatePayeeName, payeeNetworkName: mandateNetworkName } = mandate
  const { payeeUrl: mandatePayeeUrl, payeeCountry: mandatePayeeCountry } = mandate
  const { tokenRef, approvedMinor, frequency, maxCharges, merchantScope, validUntil, approvalHash } = mandate
  return {
    ...{ mandateId, mandateCustomerId, mandateCurrency, tokenRef, approvedMinor, frequency, maxCharges, merchantScope },
    ...{ mandatePayeeName, mandateNetworkName, mandatePayeeUrl, mandatePayeeCountry },
    ...{ validUntil, approvalHash, mandateSeal, instructionRef: null },
  }
}

function sealedInstruction(work: Instruction & { merchantId: string }): SealedRow {
  const { mandateId: id, mandateCustomerId: customerId, mandateCurrency: currency } = work
  const payee = {
    payeeName: work.mandatePayeeName,
    payeeNetworkName: work.mandateNetworkName,
    payeeUrl: work.mandatePayeeUrl,
    payeeCountry: work.mandatePayeeCountry,
  }
  return sealedMandate({ ...work, id, customerId, currency, ...payee })
}

/**
 * Registers the instruction at the network, unless it is known to be. Throws `RowTampered` for a mandate that is not the one
 * which was approved.
 */
export async function register(
  deps: MandateDeps,
  mandate: Instruction & { merchantId: string },
): Promise<NetworkAnswer<{ instructionRef: string }>> {
  const { instructionRef } = mandate
  if (instructionRef === null) return askToRegister(deps, mandate)
  deps.seals.check(sealedInstruction(mandate), mandate.mandateSeal)
  return { outcome: 'ok', value: { instructionRef } }
}

/** Asks the network, outside any transaction. Idempotent on the mandate's id. Throws as `register` does. */
export async function askToRegister(
  { network, seals }: MandateDeps,
  mandate: Instruction & { merchantId: string },
): Promise<NetworkAnswer<Registration>> {
  const { mandateId, tokenRef, frequency, maxCharges, validUntil, approvalHash } = mandate
  seals.check(sealedInstruction(mandate), mandate.mandateSeal)
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
