import type { SealedRow } from '../platform/row-seals.ts'

/** All that a transfer does: between whom, how much, and why. */
export interface SealedTransfer {
  merchantId: string
  transferId: string
  currency: string
  purpose: string
  reference: string
  payerId: string
  payeeId: string
  amountMinor: bigint
}

export function sealedTransfer({ merchantId, transferId: id, ...transfer }: SealedTransfer): SealedRow {
  const { currency, purpose, reference, payerId, payeeId, amountMinor } = transfer
  const parts = [currency, purpose, reference.toLowerCase(), payerId.toLowerCase(), payeeId.toLowerCase(), amountMinor]
  return { table: 'ledger_transfers', merchantId, id: id.toLowerCase(), parts }
}
